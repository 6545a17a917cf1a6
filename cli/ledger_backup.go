package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"counterfoil/store"
)

func (s *shell) ledgerBackup() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the ledger to a new file", Args: takes(1, "the file to write"),
		RunE: s.reading(func(ctx context.Context, ledger *store.Ledger, args []string) error {
			if err := mayBeBackup(args[0]); err != nil {
				return err
			}
			if ledger == nil {
				return errors.New("there is no ledger to back up yet")
			}
			if err := ledger.Backup(ctx, args[0]); err != nil {
				if errors.Is(err, store.ErrExists) {
					return fmt.Errorf("%w; name a new one", err)
				}
				return err
			}
			fmt.Fprintf(s.Out, "The ledger of %s is in %s.\n", ledger.Account(), args[0])
			return nil
		}),
	}
}

// mayBeBackup says of a name that no file can be written under, which one could.
func mayBeBackup(path string) error {
	if path == "" {
		return misused("ledger backup: name the file to write")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return misused("ledger backup: %s is a directory; name a new file in it", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return misused("ledger backup: there is no directory %s; make it first", dir)
	case err == nil && !info.IsDir():
		return misused("ledger backup: %s is no directory; name a file in one", dir)
	}
	return err
}
