package proposals

// For the test that classifies operations.
var (
	Allowed  = allowed
	Excluded = excluded
)
