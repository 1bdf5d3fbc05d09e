//go:build unix

package app

import "golang.org/x/sys/unix"

// DiskSpace returns the free space and the size of the disk of a folder, in bytes.
func DiskSpace(folder string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize)                                       //nolint:unconvert // the type depends on the system
	return uint64(s.Bavail) * block, uint64(s.Blocks) * block, nil //nolint:unconvert // the type depends on the system
}
