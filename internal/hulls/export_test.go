package hulls

// Small limits make the searches of tests use all their paths with few hulls.
func init() {
	limits.block, limits.several, limits.pending, limits.few, limits.many, limits.nearby = 16, 2, 12, 3, 6, 4
}
