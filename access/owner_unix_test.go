//go:build unix

package access_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"counterfoil/access"
)

// A server does not run as root; its operator may. What root writes stays
// readable for the server.
func TestTokensFileKeepsItsOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	const server = 65534
	dir := t.TempDir()
	if err := os.Chown(dir, server, server); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, "tokens.json")
	tokens := access.NewTokens(path, newClock().now)
	for _, when := range []string{"at first", "again"} {
		add(t, tokens, reader, 0)
		for _, name := range []string{path, path + ".lock"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if owner, ok := info.Sys().(*syscall.Stat_t); !ok || owner.Uid != server || info.Mode().Perm() != 0o600 {
				t.Errorf("%s, %s: %+v %v", when, name, owner, info.Mode())
			}
		}
	}
}
