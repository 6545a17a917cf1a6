package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDoctorTokens(t *testing.T) {
	t.Parallel()
	file := func(r *rig) string { return filepath.Join(r.dir, "tokens.json") }
	chmod := func(r *rig, mode os.FileMode) {
		if err := os.Chmod(file(r), mode); err != nil {
			r.t.Fatal(err)
		}
	}
	const asked = "http: {hosts: [support.example.com]}"
	tests := []struct {
		name   string
		make   func(r *rig)
		config string
		code   int
		level  string
		says   string
	}{
		{"none", func(*rig) {}, "", 0, "ok", "only this machine may call"},
		{"none, and asked for", func(*rig) {}, asked, 1, "wrong", "nobody has any"},
		{"none, and required", func(*rig) {}, "http: {require_token: true}", 1, "wrong", "nobody has any"},
		{"some", func(r *rig) { r.newToken("a", "read"); r.newToken("b", "read") }, asked, 0, "ok", "2 tokens count"},
		{"one expired", func(r *rig) { r.newToken("a", "read"); r.newToken("b", "read", "--expires", "1ns") }, asked, 0, "warn", "1 token has expired: "},
		{"all expired", func(r *rig) { r.newToken("b", "read", "--expires", "1ns") }, asked, 1, "wrong", "nobody has any"},
		{"readable", func(r *rig) { r.newToken("a", "read"); chmod(r, 0o640) }, "", 0, "warn", "others may read"},
		{"writable", func(r *rig) { r.newToken("a", "read"); chmod(r, 0o620) }, "", 1, "wrong", "others may write"},
		{"damaged", func(r *rig) { r.newToken("a", "read"); r.write("tokens.json", "{}x", 0o600) }, "", 1, "wrong", "tokens.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tt.make(r)
			var args []string
			if tt.config != "" {
				args = []string{"--config", written(t, tt.config)}
			}
			expect(t, r.doctor(tt.code, args...), "tokens", tt.level, tt.says)
		})
	}
}

func TestDoctorIssuer(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	config := written(t, i.config())
	expect(t, newRig(t).doctor(0, "--config", config), "issuer's keys", "ok", "1 key at http://127.0.0.1:")
	i.Close()
	expect(t, newRig(t).doctor(1, "--config", config), "issuer's keys", "wrong", "cannot be had")
	empty := written(t, `{"keys":[]}`)
	found := newRig(t).doctor(1, "--config", written(t, "http: {jwt: {resource: https://a.example/mcp, issuer: https://b.example, jwks_file: "+empty+"}}"))
	expect(t, found, "issuer's keys", "wrong", "no key that could sign")
}
