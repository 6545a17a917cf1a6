package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// configFindings say where the settings come from.
func (s *shell) configFindings(cmd *cobra.Command, w *works) []finding {
	const check = "configuration"
	from := "no file"
	file, err := s.configFile(cmd)
	if path, named := s.configPath(cmd); named {
		from = path
	}
	var given []string
	for _, setting := range settings {
		text, source, textErr := s.textOf(cmd, setting, file.Settings)
		if err = errors.Join(err, textErr); err == nil && text != setting.byDefault {
			given = append(given, fmt.Sprintf("%s %s (%s)", setting.flag, text, strings.TrimSuffix(source, " in the configuration")))
		}
	}
	if err != nil { // it was read a moment ago
		return []finding{wrong(check, "see whether somebody is just writing the file", "%s", oneLine(err))}
	}
	if len(given) == 0 {
		given = []string{"every setting as it comes"}
	}
	return []finding{fine(check, "%s; %s; data in %s", from, strings.Join(given, ", "), w.cfg.dataDir)}
}

// operatorFinding: with a real provider, nobody can decide without a secret.
func operatorFinding(w *works) finding {
	const check, set = "operator's secret", "a person sets one with: counterfoil operator init"
	files := w.cfg.operatorFiles()
	for _, path := range files {
		line, err := os.ReadFile(path)
		if err == nil {
			_, _, _, err = parseHash(string(line))
		}
		if err != nil {
			return wrong(check, "put it back from a backup, or remove it and set a new one: counterfoil operator init", "%s: %v", path, err)
		}
	}
	switch {
	case len(files) > 0:
		return fine(check, "set; approve, decline, resolve, release, reopen, allow-repeat and erase ask for it")
	case needsSecret(w.market) && w.market.Account != "":
		return wrong(check, set, "none is set: nobody can approve or resolve anything with a real provider")
	}
	return fine(check, "none is set; the sandbox needs none, and a real provider will")
}

// filesFinding: what lies in the data directory is its owner's alone.
func filesFinding(cfg config) finding {
	const check = "files"
	if runtime.GOOS == "windows" || !isThere(cfg.dataDir) {
		return fine(check, "nothing to look at")
	}
	var open []string
	err := filepath.WalkDir(cfg.dataDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
			return nil
		}
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
		return err
	})
	switch {
	case err != nil:
		return warns(check, "see that the data directory may be read", "%v", err)
	case len(open) > 0:
		return warns(check, "chmod -R go= "+cfg.dataDir, "%s others may use: %s", countedAs(len(open), "file that", "files that"), strings.Join(open[:min(len(open), 3)], ", "))
	}
	return fine(check, "%s and all in it are their owner's alone", cfg.dataDir)
}

// sqliteWithin bounds how long somebody else's program may take to say its version.
const sqliteWithin = 3 * time.Second

// sqliteSafe is the first SQLite without the bug by which another program could
// reset a -wal that is in use.
var sqliteSafe = [3]int{3, 51, 3}

// sqliteFinding looks at the sqlite3 that a person would reach for.
func (s *shell) sqliteFinding(ctx context.Context) finding {
	const check = "sqlite3 on the PATH"
	path := s.onPath("sqlite3")
	if path == "" {
		return fine(check, "none, and none is needed")
	}
	ctx, cancel := context.WithTimeout(ctx, sqliteWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version") //nolint:gosec // the program that the operator's own shell would run
	cmd.Env, cmd.WaitDelay = []string{}, time.Second
	out, err := cmd.Output()
	version, ok := versionIn(string(out))
	const mend = "do not open a ledger with it; counterfoil ledger list, show and backup read one safely"
	switch {
	case err != nil || !ok:
		return warns(check, mend, "%s does not say its version", path)
	case older(version, sqliteSafe):
		return warns(check, mend, "%s is %s: before %s it may damage a ledger that is in use", path, dotted(version), dotted(sqliteSafe))
	}
	return fine(check, "%s is %s", path, dotted(version))
}

// onPath finds a program by the environment that this run was given.
func (s *shell) onPath(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(s.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return path
		}
	}
	return ""
}

// versionIn reads the version that a text begins with.
func versionIn(text string) (v [3]int, ok bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	parts := strings.Split(word, ".")
	if len(parts) < 2 || len(parts) > 4 {
		return v, false
	}
	for i, part := range parts[:min(len(parts), len(v))] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func older(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func dotted(v [3]int) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
