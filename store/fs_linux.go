package store

import "golang.org/x/sys/unix"

// unsafePlace names the file system of dir where a ledger is not safe on it:
// shared with other machines, which SQLite's -wal cannot be, or gone at the
// next reboot. Empty: nothing is known against it.
func unsafePlace(dir string) (kind string, err error) {
	if synchronised(dir) {
		return synchronisedFolder, nil
	}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", err
	}
	return unsafeKinds[uint32(s.Type)], nil //nolint:gosec // the kernel's magic numbers have 32 bits
}

var unsafeKinds = map[uint32]string{
	unix.NFS_SUPER_MAGIC:   "NFS",
	unix.SMB_SUPER_MAGIC:   "SMB",
	unix.CIFS_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC:  "SMB",
	unix.V9FS_MAGIC:        "9p",
	unix.FUSE_SUPER_MAGIC:  "FUSE or virtiofs",
	unix.AFS_SUPER_MAGIC:   "AFS",
	unix.AFS_FS_MAGIC:      "AFS",
	unix.CODA_SUPER_MAGIC:  "Coda",
	unix.NCP_SUPER_MAGIC:   "NCP",
	unix.OCFS2_SUPER_MAGIC: "OCFS2",
	0x00c36400:             "Ceph",
	0x786f4256:             "a shared folder of VirtualBox",
	0x01161970:             "GFS2",
	0x0bd00bd0:             "Lustre",
	unix.TMPFS_MAGIC:       "tmpfs",
	unix.RAMFS_MAGIC:       "ramfs",
}
