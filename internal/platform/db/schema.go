package db

import (
	"io/fs"
	"strconv"
	"strings"
)

// Schema returns the version of the newest migration, which is the version of the schema
// that this program migrates to.
func Schema() (newest int64) {
	names, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is valid
	for _, name := range names {
		digits, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		n, _ := strconv.ParseInt(digits, 10, 64) // goose rejects names without a number
		newest = max(newest, n)
	}
	return newest
}
