package store

import (
	"context"
	"database/sql"
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
	db, err := sql.Open("sqlite", dsn(l.path, "mode=ro"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", l.private(dst)); err != nil {
		if strings.Contains(err.Error(), "already exists") {
			return errors.Join(ErrExists, err)
		}
		return errors.Join(l.trouble(err), os.Remove(dst))
	}
	return syncDir(filepath.Dir(dst))
}

// private names a new database that gets the permissions of the ledger.
func (l *Ledger) private(path string) string {
	name, _, _ := strings.Cut(dsn(path), "?")
	return name + "?" + modeOf(l.path)
}
