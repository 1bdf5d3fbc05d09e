//go:build unix

package main

import "syscall"

// init makes all new files readable for this user only: the database, uploads,
// keys and outgoing mail, whatever the mode of their folder is.
func init() { syscall.Umask(0o077) }
