package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Backup writes a complete copy of the ledger, as it is at one moment, to a new
// file. Writers go on meanwhile. A file that is there is ErrExists and is left
// alone.
func (l *Ledger) Backup(ctx context.Context, dst string) error {
	if err := l.backup(ctx, dst); err != nil {
		return fmt.Errorf("back up to %s: %w", dst, err)
	}
	return nil
}

func (l *Ledger) backup(ctx context.Context, dst string) (err error) {
	if l.closed.Load() {
		return ErrClosed
	}
	dst, err = filepath.Abs(dst)
	if err != nil {
		return err
	}
	_, err = os.Lstat(dst)
	if err == nil {
		return ErrExists
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c, err := connect(l.path, "mode=ro")
	if err != nil {
		return l.trouble(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	callOff := c.Until(ctx)
	defer callOff()
	if err := c.Exec("VACUUM INTO ?", uri(dst)+"?"+modeOf(l.path)); err != nil {
		if strings.Contains(err.Error(), "already exists") {
			return errors.Join(ErrExists, err)
		}
		return errors.Join(ctx.Err(), l.trouble(err), os.Remove(dst))
	}
	return syncDir(filepath.Dir(dst))
}
