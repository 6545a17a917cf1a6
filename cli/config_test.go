package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigurationRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string // of --config
		args []string
		env  map[string]string
		err  string
	}{
		{name: "an unknown setting", file: "sweep: 5s", err: `there is no setting "sweep"`},
		{name: "a setting twice", file: "ledger: a\nledger: b", err: "already defined"},
		{name: "two documents", file: "ledger: a\n---\nledger: b", err: "more than one document"},
		{name: "no mapping", file: "- ledger", err: "cannot unmarshal"},
		{name: "a bad duration", file: "answer_within: 20", err: `answer_within in the configuration: "20"`},
		{name: "an empty setting", file: `sandbox_url: ""`, err: "sandbox_url in the configuration is empty"},
		{name: "no such file", args: []string{"--config", "missing.yaml"}, err: "configuration: open missing.yaml"},
		{name: "no file named", args: []string{"--config", ""}, err: "configuration:"},
		{name: "no room for a lookup", args: []string{"--provider-timeout", "10s"}, err: "must be under half of answer-within 20s"},
		{name: "a bad level", args: []string{"--log-level", "loud"}, err: "must be debug, info, warn or error"},
		{name: "an empty URL", args: []string{"--sandbox-url", ""}, err: "--sandbox-url is empty"},
		{name: "no URL", env: map[string]string{"COUNTERFOIL_SANDBOX_URL": "localhost:80"}, err: "COUNTERFOIL_SANDBOX_URL"},
		{name: "a data directory that is a file", args: []string{"--data-dir", "config_test.go"}, err: "data directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for name, value := range tt.env {
				r.env[name] = value
			}
			args := append([]string{"call", "get_ticket", "ticket_id=T-4127"}, tt.args...)
			if tt.file != "" {
				args = append(args, "--config", written(t, tt.file))
			}
			got := r.must(2, args...)
			if !strings.Contains(got.err, tt.err) || strings.Count(got.err, "\n") != 1 {
				t.Errorf("said %q, want one line with %q", got.err, tt.err)
			}
		})
	}
}

// A flag counts before the environment, that before the file, and that before
// the default.
func TestConfigurationOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	home := at("home")
	file := written(t, "data_dir: "+at("file"))
	standard := filepath.Join(home, ".local", "share", "counterfoil")
	tests := []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"the flag", map[string]string{"COUNTERFOIL_DATA_DIR": at("env")}, []string{"--config", file, "--data-dir", at("flag")}, at("flag")},
		{"the environment", map[string]string{"COUNTERFOIL_DATA_DIR": at("env")}, []string{"--config", file}, at("env")},
		{"the file", nil, []string{"--config", file}, at("file")},
		{"XDG", map[string]string{"XDG_DATA_HOME": at("xdg")}, nil, filepath.Join(at("xdg"), "counterfoil")},
		{"XDG must be absolute", map[string]string{"XDG_DATA_HOME": "xdg"}, nil, standard},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &rig{t: t, env: map[string]string{"HOME": home}}
			for name, value := range tt.env {
				r.env[name] = value
			}
			r.must(0, append([]string{"sandbox", "effects"}, tt.args...)...)
			if _, err := os.Stat(filepath.Join(tt.want, "sandbox.db")); err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(tt.want); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPrivateFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	err := filepath.WalkDir(r.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPolicyFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		code int
		says string
	}{
		{"lower", "refund_ceilings: {USD: {per_refund_cents: 11799, per_ticket_cents: 15000}}", 1, "the ceiling for one refund is 117.99 USD"},
		{"high enough", "refund_ceilings: {USD: {per_refund_cents: 11800, per_ticket_cents: 11800}}", 0, "Done, once"},
		{"no currency", "refund_ceilings: {}", 1, "there is no ceiling for USD"},
		{"nothing", "", 2, "refund_ceilings is missing"},
		{"half", "refund_ceilings: {USD: {per_refund_cents: 1}}", 2, "USD needs per_refund_cents and per_ticket_cents"},
		{"below zero", "refund_ceilings: {USD: {per_refund_cents: -1, per_ticket_cents: 1}}", 2, `"-1" is no whole number of cents`},
		{"no currency's name", "refund_ceilings: {usd: {per_refund_cents: 1, per_ticket_cents: 1}}", 2, "no currency"},
		{"no number", "refund_ceilings: {USD: {per_refund_cents: 1.5, per_ticket_cents: 1}}", 2, `"1.5" is no whole number of cents`},
		{"no plain number", "refund_ceilings: {USD: {per_refund_cents: 0x10, per_ticket_cents: 1}}", 2, "no whole number of cents"},
		{"no value", "refund_ceilings: {USD: {per_refund_cents: , per_ticket_cents: 1}}", 2, "USD needs per_refund_cents"},
		{"more", "refund_ceilings: {}\ncaps: {}", 2, "field caps not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if err := os.MkdirAll(r.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			r.policy(tt.text)
			got := r.must(tt.code, refund()...)
			if !strings.Contains(got.out+got.err, tt.says) {
				t.Errorf("got %q and %q, want %q", got.out, got.err, tt.says)
			}
		})
	}
}

// policy writes policy.yaml.
func (r *rig) policy(text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "policy.yaml"), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// written is a file with this text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
