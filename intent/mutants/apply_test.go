package mutants

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// in is the package that a swap changes.
func (s swap) in() string { return path.Dir(s.file) }

// mutate applies swaps to copies of the files that they name.
func mutate(swaps []swap) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, s := range swaps {
		text, again := texts[s.file]
		if !again {
			var err error
			if text, err = os.ReadFile(filepath.Join(module, s.file)); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(text, []byte(s.old)); n != 1 {
			return nil, fmt.Errorf("%s has this %d times, and not once:\n%s", s.file, n, s.old)
		}
		texts[s.file] = bytes.Replace(text, []byte(s.old), []byte(s.now), 1)
	}
	return texts, nil
}

// Every mutant still applies, and is a program: what it changes has not moved
// away from under it.
func TestMutantsApply(t *testing.T) {
	t.Parallel()
	names, source := map[string]bool{}, newSource(t)
	for _, m := range mutants() {
		if names[m.name] {
			t.Errorf("%s is there twice", m.name)
		}
		names[m.name] = true
		if m.says == "" || len(m.swaps) == 0 || m.breaks == "" {
			t.Errorf("%s does not say what it is", m.name)
			continue
		}
		texts, err := mutate(m.swaps)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if err := source.check(m.swaps[0].in(), texts); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// A mutant that does not compile is noticed without building it.
func TestMutantsApplyBites(t *testing.T) {
	t.Parallel()
	source := newSource(t)
	for _, now := range []string{"return 5", "return oldest(a, b)", "return a}"} {
		texts, err := mutate([]swap{{"intent/ruling.go", "\treturn b\n}", "\t" + now + "\n}"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := source.check("intent", texts); err == nil {
			t.Errorf("%q passes for a program", now)
		}
	}
	if _, err := mutate([]swap{{"intent/ruling.go", "return", "panic"}}); err == nil {
		t.Error("what is there many times was swapped")
	}
}

// source is our packages as the compiler has them.
type source struct {
	files  map[string][]string // by package, relative to the module
	export map[string]string   // by import path
}

func newSource(t *testing.T) *source {
	t.Helper()
	const each = "{{if .Export}}{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}{{end}}"
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", each, "./intent", "./store", "./tools")
	cmd.Dir, cmd.Stderr = module, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &source{files: map[string][]string{}, export: map[string]string{}}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 4 {
			continue
		}
		s.export[fields[0]] = fields[1]
		if pkg, ours := strings.CutPrefix(fields[0], "counterfoil/"); ours {
			for name := range strings.FieldsSeq(fields[3]) {
				s.files[pkg] = append(s.files[pkg], pkg+"/"+name)
			}
		}
	}
	return s
}

// check type-checks a package of ours with other texts for some of its files.
func (s *source) check(pkg string, texts map[string][]byte) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range s.files[pkg] {
		var text any
		if changed, ok := texts[name]; ok {
			text = changed
			delete(texts, name)
		}
		file, err := parser.ParseFile(fset, filepath.Join(module, name), text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if len(texts) > 0 || len(files) == 0 {
		return fmt.Errorf("it changes more than package %s", pkg)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(s.export[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	_, err := conf.Check("counterfoil/"+pkg, fset, files, nil)
	return err
}
