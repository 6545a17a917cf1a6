//go:build unix

package e2e_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// played are the plays of this run, by name. What shows several things is played
// once: whoever names it next is told how that went.
var played = struct {
	mu    sync.Mutex
	plays map[string]*play
	tests map[string]bool // that have begun; one that begins again plays anew
}{plays: map[string]*play{}, tests: map[string]bool{}}

type play struct {
	once sync.Once
	held bool
}

// begins is a test that plays. Under -count it plays everything each time.
func begins(t *testing.T) {
	t.Helper()
	played.mu.Lock()
	defer played.mu.Unlock()
	if played.tests[t.Name()] {
		clear(played.plays)
		clear(played.tests)
	}
	played.tests[t.Name()] = true
}

// playOnce plays something as a part of t, unless it has been played.
func playOnce(t *testing.T, name string, run func(*testing.T)) {
	t.Helper()
	played.mu.Lock()
	p := played.plays[name]
	if p == nil {
		p = &play{}
		played.plays[name] = p
	}
	played.mu.Unlock()
	p.once.Do(func() { p.held = t.Run(name, run) })
	if !p.held {
		t.Errorf("%s: see where it was played", name)
	}
}

// playScript plays one script.
func playScript(t *testing.T, name string) {
	t.Helper()
	binary := build(t, "crashpoints")
	playOnce(t, name, func(t *testing.T) {
		deadline, _ := t.Deadline()
		testscript.RunT(onStage{t}, testscript.Params{
			Deadline:           deadline,
			Files:              []string{filepath.Join("testdata", name+".txtar")},
			RequireUniqueNames: true,
			Setup:              func(env *testscript.Env) error { return newStage(env, binary) },
			Cmds:               commands,
		})
	})
}

// onStage has a script be played by the time that its test ends: who has named it
// waits for it.
type onStage struct{ *testing.T }

func (s onStage) Run(_ string, f func(testscript.T)) { f(s) }
func (onStage) Parallel()                            {}
func (onStage) Verbose() bool                        { return testing.Verbose() }

// allScripts are the names of the scripts.
func allScripts(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".txtar"))
	}
	slices.Sort(names)
	return names
}
