//go:build !linux

package app

// networkDisk returns "": only Linux shows the type of a file system in the same way everywhere.
func networkDisk(string) string { return "" }
