//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The launcher finds the binary for the machine, mends its mode, and becomes it.
func TestStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		system, machine string
		want            string // what is run; empty: nothing
	}{
		{"Darwin", "arm64", "darwin-arm64"},
		{"Darwin", "x86_64", "darwin-amd64"},
		{"Linux", "x86_64", "linux-amd64"},
		{"Linux", "aarch64", "linux-arm64"},
		{"Linux", "riscv64", ""},
		{"FreeBSD", "amd64", ""},
	}
	for _, tt := range tests {
		t.Run(tt.system+" "+tt.machine, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a place with spaces")
			lay(t, filepath.Join(dir, "start"), string(read(t, "start")), 0o600)
			for _, binary := range []string{"darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64"} {
				lay(t, filepath.Join(dir, binary, "counterfoil"), "#!/bin/sh\necho "+binary+" \"$*\"\ncat\n", 0o600)
			}
			lay(t, filepath.Join(dir, "bin", "uname"), "#!/bin/sh\n[ \"$1\" = -s ] && echo "+tt.system+" || echo "+tt.machine+"\n", 0o700)

			cmd := exec.Command("/bin/sh", filepath.Join(dir, "start"), "sandbox", "effects")
			cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH")}
			cmd.Stdin = strings.NewReader("from standard input\n")
			out, err := cmd.CombinedOutput()
			if tt.want == "" {
				if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "no binary for "+tt.system+" on "+tt.machine) {
					t.Errorf("%v: %s", err, out)
				}
				return
			}
			if got, want := string(out), tt.want+" sandbox effects\nfrom standard input\n"; err != nil || got != want {
				t.Errorf("%v: %q, want %q", err, got, want)
			}
		})
	}
}

func lay(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
