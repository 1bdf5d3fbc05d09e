// Package faulttest checks errors in tests of rules.
package faulttest

import (
	"errors"
	"slices"
	"testing"

	"slipway/internal/vocab/fault"
)

// WantDetail reports a failure unless the error has this kind and a detail for
// this field. The test continues.
func WantDetail(t testing.TB, name string, err error, kind fault.Kind, field string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || !slices.ContainsFunc(f.Details, func(d fault.Detail) bool { return d.Field == field }) {
		t.Errorf("%s: got error %v, want %s with a detail for %s", name, err, kind.Code, field)
	}
}
