//go:build !linux

package doctor

// networkDisk returns "": only Linux shows the type of a file system in the same way everywhere.
func networkDisk(string) string { return "" }
