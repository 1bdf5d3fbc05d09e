package proposals

// Allows reports whether an operation can be proposed.
func Allows(operationID string) bool {
	_, ok := Allowed[operationID]
	return ok
}
