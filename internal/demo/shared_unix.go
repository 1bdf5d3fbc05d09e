//go:build unix

package demo

import (
	"io/fs"
	"syscall"
)

// isShared reports whether a file is in several folders.
func isShared(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
