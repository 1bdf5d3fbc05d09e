package doctor

import "golang.org/x/sys/unix"

// networkDisk returns the file system of a folder on a network disk, "" for others.
func networkDisk(folder string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return ""
	}
	switch int64(s.Type) { //nolint:unconvert // the type depends on the system
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "SMB"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	}
	return ""
}
