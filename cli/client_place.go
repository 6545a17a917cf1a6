package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"counterfoil/desktop"
)

// machine is this one, for the places of files.
func (s *shell) machine() (desktop.Machine, error) {
	home := s.Getenv("HOME")
	if home == "" || runtime.GOOS == "windows" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return desktop.Machine{}, misused("there is no home directory here: name the client's file with --file")
		}
	}
	return desktop.Machine{OS: runtime.GOOS, Home: home, Getenv: s.Getenv}, nil
}

// fileOf is the client's file.
func (s *shell) fileOf(client desktop.Client, named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	m, err := s.machine()
	if err != nil {
		return "", err
	}
	return likeliest(client.Files(m))
}

// likeliest is the first place whose directory is there; see desktop's Files.
func likeliest(places []string) (string, error) {
	last := len(places) - 1
	for _, place := range places[:last] {
		dirs, err := filepath.Glob(filepath.Dir(place))
		if err != nil {
			return "", err
		}
		switch len(dirs) {
		case 0:
		case 1:
			return filepath.Join(dirs[0], filepath.Base(place)), nil
		default:
			return "", misused("this client is there more than once, in %s: name its file with --file", strings.Join(dirs, " and "))
		}
	}
	return places[last], nil
}
