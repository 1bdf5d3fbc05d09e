package backup

// syncDisks does nothing: Windows can only sync single files without privileges.
func syncDisks() {}
