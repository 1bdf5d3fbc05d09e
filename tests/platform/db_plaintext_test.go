package platform

import (
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit/assert"
)

func TestPlaintext(t *testing.T) {
	for dsn, want := range map[string]bool{
		"postgres://u:p@db.example.com/slipway":                     true, // TLS is optional
		"postgres://u:p@db.example.com/slipway?sslmode=disable":     true,
		"postgres://u:p@db.example.com/slipway?sslmode=require":     false,
		"postgres://u:p@db.example.com/slipway?sslmode=verify-full": false,
		"postgres://u:p@localhost,10.0.0.7/slipway?sslmode=disable": true,
		"postgres://u:p@localhost/slipway?sslmode=disable":          false,
		"postgres://u:p@127.0.0.1/slipway":                          false,
		"postgres://u:p@[::1]/slipway":                              false,
		"postgres://u:p@/slipway?host=/var/run/postgresql":          false,
		"sqlite:" + t.TempDir() + "/slipway.db":                     false,
	} {
		d, err := db.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, d.Plaintext(), want, dsn)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
