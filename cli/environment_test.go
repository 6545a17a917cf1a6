package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A field of a desktop bundle that was left blank arrives as its placeholder, or
// as nothing at all: neither says anything.
func TestBlankFields(t *testing.T) {
	t.Parallel()
	for name, blank := range map[string]func(field string) string{
		"the placeholder": func(field string) string { return "${user_config." + field + "}" },
		"nothing":         func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			r := &rig{t: t, env: map[string]string{
				"HOME":                       home,
				"COUNTERFOIL_DATA_DIR":       blank("data_dir"),
				"COUNTERFOIL_CONFIG":         blank("config_file"),
				"COUNTERFOIL_WEBHOOK_SECRET": blank("webhook_secret"),
				"COUNTERFOIL_MAIL_PASSWORD":  blank("mail_password"),
			}}
			r.must(0, "sandbox", "effects")
			if _, err := os.Stat(filepath.Join(home, ".local", "share", "counterfoil", "sandbox.db")); err != nil {
				t.Error(err)
			}
			got := r.must(2, "sandbox", "effects", "--config", written(t, "notify: {webhook: {url: 'https://example.com/hook'}}"))
			if !strings.Contains(got.err, "secret_file is missing, and COUNTERFOIL_WEBHOOK_SECRET is not set") {
				t.Errorf("said %q", got.err)
			}
		})
	}
}

// The environment may name the configuration; the flag counts before it.
func TestConfigOfTheEnvironment(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.env["COUNTERFOIL_CONFIG"] = "missing.yaml"
	if got := r.must(2, "sandbox", "effects"); !strings.Contains(got.err, "configuration: open missing.yaml") {
		t.Errorf("said %q", got.err)
	}
	r.must(0, "sandbox", "effects", "--config", written(t, "sweep_every: 20s"))
	r.env["COUNTERFOIL_CONFIG"] = written(t, "sweep_every: 20s")
	if got := r.must(0, "doctor"); !strings.Contains(got.out, "sweep-every 20s") || !strings.Contains(got.out, r.env["COUNTERFOIL_CONFIG"]) {
		t.Errorf("doctor does not name the file and what it says:\n%s", got.out)
	}
}

// A secret in the environment counts before its file, and needs none.
func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	const (
		hook    = "notify: {webhook: {url: 'https://example.com/hook'}}"
		hookAnd = "notify: {webhook: {url: 'https://example.com/hook', secret_file: secret}}"
		mail    = "notify: {mail: {host: mail.example.com, from: a@example.com, to: [b@example.com], user: a}}"
	)
	tests := []struct {
		name, file string
		env        map[string]string
		code       int
		err        string
	}{
		{"the webhook's", hook, map[string]string{"COUNTERFOIL_WEBHOOK_SECRET": "correct horse battery staple"}, 0, ""},
		{"before the file's", hookAnd, map[string]string{"COUNTERFOIL_WEBHOOK_SECRET": "short"}, 2, "at least 16 are needed"},
		{"the mail's", mail, map[string]string{"COUNTERFOIL_MAIL_PASSWORD": "tape measure"}, 0, ""},
		{"the other one", mail, map[string]string{"COUNTERFOIL_WEBHOOK_SECRET": "correct horse battery staple"}, 2, "COUNTERFOIL_MAIL_PASSWORD is not set"},
		{"with nothing to notify by", "sweep_every: 20s", map[string]string{"COUNTERFOIL_WEBHOOK_SECRET": "short"}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for name, value := range tt.env {
				r.env[name] = value
			}
			file := beside(t, written(t, tt.file), map[string]string{"secret": "correct horse battery staple\n"})
			got := r.must(tt.code, "sandbox", "effects", "--config", file)
			if !strings.Contains(got.err, tt.err) || strings.Contains(got.err, "horse") {
				t.Errorf("said %q, want %q", got.err, tt.err)
			}
		})
	}
}
