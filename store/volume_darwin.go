package store

import "golang.org/x/sys/unix"

func kindOf(s *unix.Statfs_t) string { return unix.ByteSliceToString(s.Fstypename[:]) }
