package scope_test

import (
	"testing"

	"slipway/internal/scope"
)

func TestRule(t *testing.T) {
	const read, write, admin = scope.HullsRead, scope.HullsWrite, scope.Admin
	for name, c := range map[string]struct {
		rule  scope.Rule
		held  []scope.Scope
		allow bool
		words string
	}{
		"anyone, holding nothing":  {scope.Anyone, nil, true, ""},
		"anyone, holding a lot":    {scope.Anyone, []scope.Scope{read, admin}, true, ""},
		"one, held":                {scope.Need(read), []scope.Scope{read}, true, "hulls:read"},
		"one, held among others":   {scope.Need(read), []scope.Scope{admin, read}, true, "hulls:read"},
		"one, not held":            {scope.Need(read), []scope.Scope{admin}, false, "hulls:read"},
		"one, holding nothing":     {scope.Need(read), nil, false, "hulls:read"},
		"write does not mean read": {scope.Need(read), []scope.Scope{write}, false, "hulls:read"},
		"admin does not mean all":  {scope.Need(write), []scope.Scope{admin}, false, "hulls:write"},
		"both, held":               {scope.Need(read, write), []scope.Scope{write, read}, true, "hulls:read and hulls:write"},
		"both, one held":           {scope.Need(read, write), []scope.Scope{write}, false, "hulls:read and hulls:write"},
		"either, first held":       {scope.Either(read, admin), []scope.Scope{read}, true, "hulls:read or admin"},
		"either, second held":      {scope.Either(read, admin), []scope.Scope{admin}, true, "hulls:read or admin"},
		"either, none held":        {scope.Either(read, admin), []scope.Scope{write}, false, "hulls:read or admin"},
		"one of two sets":          {scope.Rule{{read, write}, {admin}}, []scope.Scope{admin}, true, "hulls:read and hulls:write or admin"},
		"half of each set":         {scope.Rule{{read, write}, {write, admin}}, []scope.Scope{read, admin}, false, "hulls:read and hulls:write or hulls:write and admin"},
		"no rule at all":           {nil, []scope.Scope{read, write, admin}, false, ""}, // what was forgotten is closed
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.rule.Allows(c.held); got != c.allow {
				t.Errorf("%v allows %v: %t", c.rule, c.held, got)
			}
			if got := c.rule.String(); got != c.words {
				t.Errorf("in words %q, want %q", got, c.words)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	for _, s := range scope.All {
		if !scope.Known(s.Scope) || s.Doc == "" {
			t.Errorf("%s: known %t, %q", s.Scope, scope.Known(s.Scope), s.Doc)
		}
	}
	for _, s := range []scope.Scope{"", "*", "hulls", "hulls:", "HULLS:READ", "hulls:read "} {
		if scope.Known(s) {
			t.Errorf("%q is known", s)
		}
	}
}
