package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// operatorName is the file in the data directory that bears the hash of the
// operator's secret.
const operatorName = "operator.hash"

// leastSecret is how long a secret must be, in characters.
const leastSecret = 12

func (c config) operatorFile() string { return filepath.Join(c.dataDir, operatorName) }

// operatorFiles are the files of secrets that are set. A ledger that was named
// brings the one beside it along: to name another data directory is no way
// round it.
func (c config) operatorFiles() []string {
	files := []string{c.operatorFile()}
	if c.ledger != "" {
		files = append(files, filepath.Join(filepath.Dir(c.ledger), operatorName))
	}
	return slices.DeleteFunc(slices.Compact(files), func(path string) bool { return !isThere(path) })
}

// fitsAll reports whether a secret is that of every file.
func fitsAll(files []string, secret string) (bool, error) {
	right := true
	for _, path := range files {
		line, err := os.ReadFile(path)
		if err != nil {
			return false, fmt.Errorf("operator's secret: %w", err)
		}
		fits, err := hashFits(string(line), secret)
		if err != nil {
			return false, fmt.Errorf("operator's secret: %s: %w", path, err)
		}
		right = right && fits
	}
	return right, nil
}

// readSecretFile reads a secret; the end of its line is not part of it.
func readSecretFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", misused("secret file: %w", err)
	}
	line := strings.TrimRight(string(text), "\r\n")
	if strings.ContainsAny(line, "\r\n") {
		return "", misused("secret file %s: it holds more than one line", path)
	}
	return line, nil
}

// fitToBeSet refuses a secret that is easily guessed.
func fitToBeSet(secret string) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(secret)); n < leastSecret {
		return fmt.Errorf("the secret has %s; take at least %d", counted(n, "character"), leastSecret)
	}
	return nil
}

// setFirst writes the hash of a secret where there is none yet.
func (c config) setFirst(secret string) error {
	if err := c.makeDataDir(); err != nil {
		return err
	}
	path := c.operatorFile()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return errSecretSet
	}
	if err != nil {
		return fmt.Errorf("operator's secret: %w", err)
	}
	if err := errors.Join(writeLine(f, hashOf(secret)), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("operator's secret: %w", err), os.Remove(path))
	}
	return nil
}

// setNext puts the hash of a secret in the place of another, all of it or
// nothing.
func (c config) setNext(secret string) error {
	f, err := os.CreateTemp(c.dataDir, operatorName+".*") // 0600
	if err != nil {
		return fmt.Errorf("operator's secret: %w", err)
	}
	if err := errors.Join(writeLine(f, hashOf(secret)), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("operator's secret: %w", err), os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), c.operatorFile())
}

func writeLine(f *os.File, line string) error {
	if _, err := fmt.Fprintln(f, line); err != nil {
		return err
	}
	return f.Sync()
}
