//go:build !race

package intent_test

const raced = false
