package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mostOfClientFile is how long a client's file may be, in bytes. One that also
// keeps a client's history grows to some tens of millions.
const mostOfClientFile = 1 << 28

// clientFile is a client's configuration as it was found.
type clientFile struct {
	path string // where it really lies: a link leads there
	text []byte
	info fs.FileInfo // nil: there is none yet
}

func readClientFile(path string) (*clientFile, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if isThere(path) {
			return nil, fmt.Errorf("%s is a link to a file that is not there", path)
		}
		return &clientFile{path: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := &clientFile{path: target}
	if f.info, err = os.Stat(target); err != nil {
		return nil, err
	}
	switch {
	case !f.info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", target)
	case f.info.Size() > mostOfClientFile:
		return nil, fmt.Errorf("%s is too long to be a configuration", target)
	}
	f.text, err = os.ReadFile(target)
	return f, err
}

// replace puts another text in the place of the file's, all of it or nothing,
// and says where the old one is kept; a file that was not there has none. It
// refuses where somebody else has changed the file since it was read.
func (f *clientFile) replace(text []byte) (backup string, err error) {
	if f.info != nil && f.info.Mode().Perm()&0o200 == 0 {
		return "", errors.New("it may only be read")
	}
	if err := os.MkdirAll(filepath.Dir(f.path), dirMode); err != nil {
		return "", err
	}
	next, err := f.stage(text)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(next) }() // gone, once it has its name
	if f.info != nil {
		if backup, err = f.keep(); err != nil {
			return "", err
		}
	}
	if err = f.isAsRead(); err == nil {
		err = os.Rename(next, f.path)
	}
	if err != nil && backup != "" {
		err = errors.Join(err, os.Remove(backup))
	}
	return backup, err
}

// stage writes the text beside the file, for its owner alone or as the file is.
func (f *clientFile) stage(text []byte) (path string, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*") // 0600
	if err != nil {
		return "", err
	}
	if err := f.fill(tmp, text); err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// keep writes what was read to a new file beside it.
func (f *clientFile) keep() (path string, err error) {
	for n := 1; ; n++ {
		path = fmt.Sprintf("%s.counterfoil-%d.bak", f.path, n)
		out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := f.fill(out, f.text); err != nil {
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
}

// fill writes and closes a new file, as open to others as the old one.
func (f *clientFile) fill(out *os.File, text []byte) error {
	_, err := out.Write(text)
	if err == nil && f.info != nil {
		err = errors.Join(giveTo(out, f.info), out.Chmod(f.info.Mode().Perm()))
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// isAsRead fails where the file is no longer what was read. A client that runs
// may write it at any time; what it writes after this look, it writes over ours.
func (f *clientFile) isAsRead() error {
	now, err := os.ReadFile(f.path)
	if f.info == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if f.info == nil || !bytes.Equal(now, f.text) {
		return errors.New("somebody else is writing it: close the client, and do it once more")
	}
	return nil
}
