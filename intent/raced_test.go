//go:build race

package intent_test

// raced: the race detector is at work, under which SQLite is many times slower.
const raced = true
