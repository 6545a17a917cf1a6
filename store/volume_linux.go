package store

import "golang.org/x/sys/unix"

func kindOf(s *unix.Statfs_t) string {
	kind := uint32(s.Type) //nolint:gosec // the kernel's magic numbers have 32 bits
	if name, ok := unsafeKinds[kind]; ok {
		return name
	}
	return usualKinds[kind]
}

// usualKinds are local file systems, on which a ledger is safe.
var usualKinds = map[uint32]string{
	unix.EXT4_SUPER_MAGIC:      "ext4",
	unix.XFS_SUPER_MAGIC:       "XFS",
	unix.BTRFS_SUPER_MAGIC:     "Btrfs",
	unix.F2FS_SUPER_MAGIC:      "F2FS",
	unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
	0x2fc12fc1:                 "ZFS",
	0xca451a4e:                 "bcachefs",
}
