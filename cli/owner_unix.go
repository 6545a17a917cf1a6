//go:build unix

package cli

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTo makes a file the same owner's as another. Only root can give one away.
func giveTo(out *os.File, other fs.FileInfo) error {
	owner, ok := other.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return out.Chown(int(owner.Uid), int(owner.Gid))
}
