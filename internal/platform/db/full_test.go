package db

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestIsFull(t *testing.T) {
	for code, want := range map[string]bool{"53100": true, "53200": false, "23505": false} {
		err := fmt.Errorf("insert: %w", &pgconn.PgError{Code: code})
		if got := isFull(err); got != want {
			t.Errorf("%s: got %t, want %t", code, got, want)
		}
	}
	if isFull(nil) || isFull(errors.New("disk full")) {
		t.Error("got a full disk for an error of another kind, want none")
	}
}
