package main

import (
	"bufio"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

const sumsName = "SHA256SUMS"

// inspect says whether every file of a release is what it should be: the
// binaries static, for their own system, without a trace of the machine that
// built them; each bill complete; each sum right. It runs none of them.
func (r release) inspect() error {
	var problems []error
	for _, t := range targets {
		if err := r.inspectTarget(t); err != nil {
			problems = append(problems, fmt.Errorf("%s/%s: %w", t.os, t.arch, err))
		}
	}
	return errors.Join(append(problems, r.inspectSums())...)
}

func (r release) inspectTarget(t target) error {
	binary, err := os.ReadFile(r.binary(t))
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	machine, libraries, err := linked(bytes.NewReader(binary), t.os)
	if err != nil {
		return err
	}
	return errors.Join(
		builtFor(t, info),
		madeFor(t, machine),
		onlySystems(t, libraries),
		r.untraced(binary),
		r.inspectBill(t, info),
	)
}

// builtFor compares how a binary was built with how it should be.
func builtFor(t target, info *debug.BuildInfo) error {
	want := map[string]string{"GOOS": t.os, "GOARCH": t.arch, "CGO_ENABLED": "0", "-trimpath": "true"}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	var problems []error
	for _, key := range []string{"GOOS", "GOARCH", "CGO_ENABLED", "-trimpath"} {
		if got[key] != want[key] {
			problems = append(problems, fmt.Errorf("%s is %q, not %q", key, got[key], want[key]))
		}
	}
	return errors.Join(problems...)
}

// untraced says whether a binary tells where it was built.
func (r release) untraced(binary []byte) error {
	source, err := filepath.Abs(filepath.Join(r.root, "main.go"))
	if err != nil {
		return err
	}
	if bytes.Contains(binary, []byte(source)) {
		return fmt.Errorf("it names the directory that it was built in")
	}
	return nil
}

// inspectBill compares a bill with what the binary says of itself.
func (r release) inspectBill(t target, info *debug.BuildInfo) error {
	text, err := os.ReadFile(r.bill(t))
	if err != nil {
		return err
	}
	var bill struct {
		BOMFormat string
		Metadata  struct{ Component component }
		// The standard library is a component as well; a binary does not list it.
		Components []component
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		return fmt.Errorf("%s: %w", r.bill(t), err)
	}
	want := []component{{"std", info.GoVersion}}
	for _, dep := range info.Deps {
		want = append(want, component{dep.Path, dep.Version})
	}
	for _, list := range [][]component{want, bill.Components} {
		slices.SortFunc(list, func(a, b component) int { return strings.Compare(a.Name, b.Name) })
	}
	switch {
	case bill.BOMFormat != "CycloneDX" || bill.Metadata.Component != component{"counterfoil", "v" + r.version}:
		return fmt.Errorf("its bill is %s for %v", bill.BOMFormat, bill.Metadata.Component)
	case !slices.Equal(bill.Components, want):
		return fmt.Errorf("its bill lists %v, and it holds %v", bill.Components, want)
	}
	return nil
}

type component struct{ Name, Version string }

// inspectSums compares the sums with the files, of which none may be missing.
func (r release) inspectSums() error {
	text, err := os.ReadFile(filepath.Join(r.dir, sumsName))
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		sums[name] = sum
	}
	files, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var problems []error
	for _, f := range files {
		if f.Name() == sumsName {
			continue
		}
		sum, err := sha256Of(filepath.Join(r.dir, f.Name()))
		if err == nil && sum != sums[f.Name()] {
			err = fmt.Errorf("%s: %s has another sum, or none", sumsName, f.Name())
		}
		problems = append(problems, err)
		delete(sums, f.Name())
	}
	for name := range sums {
		problems = append(problems, fmt.Errorf("%s: there is no %s", sumsName, name))
	}
	return errors.Join(problems...)
}
