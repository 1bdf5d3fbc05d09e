package db

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"slipway/internal/testkit/assert"
)

func TestIsFull(t *testing.T) {
	for code, want := range map[string]bool{"53100": true, "53200": false, "23505": false} {
		err := fmt.Errorf("insert: %w", &pgconn.PgError{Code: code})
		assert.Equal(t, isFull(err), want, code)
	}
	if isFull(nil) || isFull(errors.New("disk full")) {
		t.Error("got a full disk for an error of another kind, want none")
	}
}
