package assert_test

import (
	"fmt"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	failure string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

// A failure message contains the expression, the row and the wanted value.
func TestFailureMessages(t *testing.T) {
	type boat struct {
		Name  *string
		Years []int
	}
	b := boat{Name: new("Ann"), Years: []int{2024}}
	for want, compare := range map[string]func(t testing.TB){
		`b.Name: got "Ann", want "Bea"`:                        func(t testing.TB) { assert.Equal(t, b.Name, new("Bea")) },
		`b.Name: got "Ann", want nil`:                          func(t testing.TB) { assert.Equal(t, b.Name, nil) },
		`row 3: len(b.Years): got 1, want 2`:                   func(t testing.TB) { assert.Equal(t, len(b.Years), 2, "row", 3) },
		"b: differs (-want +got):\n":                           func(t testing.TB) { assert.Equal(t, b, boat{}) },
		`b.Years: got 1 elements, want 0: [`:                   func(t testing.TB) { assert.Len(t, b.Years, 0) },
		`*b.Name: got "Ann", want it to contain "nn "`:         func(t testing.TB) { assert.Contains(t, *b.Name, "nn ") },
		`name: *b.Name: got "Ann", want it not to contain "A"`: func(t testing.TB) { assert.Excludes(t, *b.Name, "A", "name") },
	} {
		var r recorder
		compare(&r)
		if !strings.HasPrefix(r.failure, want) {
			t.Errorf("got failure %q, want %q", r.failure, want)
		}
	}
}

func TestEqualValuesPass(t *testing.T) {
	var r recorder
	if !assert.Equal(&r, new("Ann"), new("Ann")) || !assert.Equal[any](&r, 1, 1) || assert.Equal(&r, []int{}, nil) {
		t.Error("want equal values to pass, and nil to differ from an empty list")
	}
	assert.Len(t, []int{1}, 1)
	assert.Contains(t, "Ann", "nn")
	assert.Excludes(t, []byte("Ann"), "b")
	n := 0
	assert.Eventually(t, "the third call", func() bool { n++; return n == 3 })
}
