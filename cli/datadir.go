package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// What lies in the data directory.
const (
	sandboxName  = "sandbox.db"
	policyName   = "policy.yaml"
	tokensName   = "tokens.json"
	ledgerSuffix = ".ledger.db"
)

func (c config) sandboxFile() string { return filepath.Join(c.dataDir, sandboxName) }
func (c config) policyFile() string  { return filepath.Join(c.dataDir, policyName) }
func (c config) tokensFile() string  { return filepath.Join(c.dataDir, tokensName) }

// ledgerFile is the ledger of an account.
func (c config) ledgerFile(account string) string {
	if c.ledger != "" {
		return c.ledger
	}
	return filepath.Join(c.dataDir, account+ledgerSuffix)
}

// defaultDataDir is the user's own place for data, which is not synchronised
// between machines.
func (s *shell) defaultDataDir() (string, error) {
	if runtime.GOOS == "windows" {
		if local := s.Getenv("LocalAppData"); local != "" {
			return filepath.Join(local, "counterfoil"), nil
		}
	}
	if xdg := s.Getenv("XDG_DATA_HOME"); filepath.IsAbs(xdg) && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		return filepath.Join(xdg, "counterfoil"), nil
	}
	home := s.Getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", misused("there is no home directory here: name a place with --data-dir")
		}
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "counterfoil"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "counterfoil"), nil
	}
	return filepath.Join(home, ".local", "share", "counterfoil"), nil
}

// makeDataDir makes the data directory, for its owner alone.
func (c config) makeDataDir() error {
	if err := os.MkdirAll(c.dataDir, dirMode); err != nil {
		return misused("data directory: %w", err)
	}
	return nil
}

// makePrivate makes an empty file for its owner alone, where there is none, so
// that a database which begins in it, and what lies beside it, is private too.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return f.Close()
}

// ledgersIn are the ledgers in the data directory, the one written to last
// first.
func (c config) ledgersIn() ([]string, error) {
	entries, err := os.ReadDir(c.dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ledgerSuffix) && !e.IsDir() {
			paths = append(paths, filepath.Join(c.dataDir, e.Name()))
		}
	}
	return newestFirst(paths), nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
