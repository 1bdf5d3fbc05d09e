package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

func TestKindOf(t *testing.T) {
	cause := errors.New("disk on fire")
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"a fault":                  {fault.Conflict("taken"), fault.KindConflict},
		"a fault in an error":      {fmt.Errorf("hull 7: %w", fault.NotFound("hull", "7")), fault.KindNotFound},
		"the outer of two faults":  {fault.Conflict("taken").WithCause(fault.BadRequest("x")), fault.KindConflict},
		"any other error":          {cause, fault.KindServerError},
		"a fault joined to others": {errors.Join(cause, fault.Forbidden("no")), fault.KindForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, fault.KindOf(c.err), c.want, c.err)
		})
	}
}

func TestErrorWrapsItsCause(t *testing.T) {
	cause := errors.New("SQLSTATE 23505")
	f := fault.Conflict("Hull %s is taken.", "7").Detail("status", "state", "is %s", "sold").RetryIn(time.Second).WithCause(cause)
	if !errors.Is(f, cause) || !strings.Contains(f.Error(), cause.Error()) {
		t.Errorf("got %v, want an error that wraps and names its cause %q", f, cause.Error())
	}
	want := fault.Error{Kind: fault.KindConflict, Message: "Hull 7 is taken.",
		Details: []fault.Detail{{Field: "status", Code: "state", Message: "is sold"}}, RetryAfter: time.Second}
	assert.Equal(t, f.Kind, want.Kind)
	assert.Equal(t, f.Message, want.Message)
	assert.Equal(t, f.RetryAfter, want.RetryAfter)
	assert.Equal(t, f.Details, want.Details)
}

func TestFields(t *testing.T) {
	type detail struct{ field, code, text string }
	for name, c := range map[string]struct {
		details []detail
		kind    fault.Kind
		message string
	}{
		"one value": {[]detail{{"year", "maximum", "must be at most 2028"}}, fault.KindUnprocessable, "year must be at most 2028."},
		"a missing field": {[]detail{{"year", "maximum", "is late"}, {"hin", "required", "is required"}}, fault.KindBadRequest,
			"year is late; hin is required."},
		"three": {[]detail{{"a", "x", "1"}, {"b", "x", "2"}, {"c", "x", "3"}}, fault.KindUnprocessable, "a 1; b 2; c 3."},
		"more than fit": {[]detail{{"a", "x", "1"}, {"b", "x", "2"}, {"c", "x", "3"}, {"d", "x", "4"}, {"e", "x", "5"}},
			fault.KindUnprocessable, "a 1; b 2; c 3; and 2 more."},
		"the whole body":   {[]detail{{"", "x", "must be an object"}}, fault.KindUnprocessable, "must be an object."},
		"a percent inside": {[]detail{{"rate", "x", "must be 100%"}}, fault.KindUnprocessable, "rate must be 100%."},
	} {
		t.Run(name, func(t *testing.T) {
			var bad fault.Fields
			for _, p := range c.details {
				bad.Add(p.field, p.code, "%s", p.text)
			}
			f, ok := bad.Err().(*fault.Error) //nolint:errorlint // not wrapped
			assert.Equal(t, ok, true)
			assert.Equal(t, f.Kind, c.kind)
			assert.Equal(t, f.Message, c.message)
			assert.Len(t, f.Details, len(c.details))
		})
	}
	if err := (fault.Fields{}).Err(); err != nil {
		t.Errorf("without details: got %v, want nil", err)
	}
}

// The message is the same for an object of another environment.
func TestNotFound(t *testing.T) {
	assert.Equal(t, fault.NotFound("hull", "hull_7").Message, "Hull hull_7 not found.")
}
