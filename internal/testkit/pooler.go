package testkit

import (
	"net/url"
	"os"
)

// throughPooler returns the URL of a database behind the pooler of scripts/test-pgbouncer, and
// its own URL. Without that pooler, the first is its own, and the second is empty.
func throughPooler(database string) (pooler, direct string) {
	host := os.Getenv("SLIPWAY_TEST_POOLER")
	u, err := url.Parse(database)
	if host == "" || database == "" || err != nil {
		return database, ""
	}
	u.Host = host
	return u.String(), database
}
