package auth_test

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

func TestRule(t *testing.T) {
	const read, write, admin = auth.HullsRead, auth.HullsWrite, auth.Admin
	for name, c := range map[string]struct {
		rule  auth.Rule
		held  []auth.Scope
		allow bool
		words string
	}{
		"anyone, holding nothing":  {auth.AnyCredential, nil, true, ""},
		"anyone, holding a lot":    {auth.AnyCredential, []auth.Scope{read, admin}, true, ""},
		"one, held":                {auth.Require(read), []auth.Scope{read}, true, "hulls:read"},
		"one, held among others":   {auth.Require(read), []auth.Scope{admin, read}, true, "hulls:read"},
		"one, not held":            {auth.Require(read), []auth.Scope{admin}, false, "hulls:read"},
		"one, holding nothing":     {auth.Require(read), nil, false, "hulls:read"},
		"write does not mean read": {auth.Require(read), []auth.Scope{write}, false, "hulls:read"},
		"admin does not mean all":  {auth.Require(write), []auth.Scope{admin}, false, "hulls:write"},
		"both, held":               {auth.Require(read, write), []auth.Scope{write, read}, true, "hulls:read and hulls:write"},
		"both, one held":           {auth.Require(read, write), []auth.Scope{write}, false, "hulls:read and hulls:write"},
		"either, first held":       {auth.Either(read, admin), []auth.Scope{read}, true, "hulls:read or admin"},
		"either, second held":      {auth.Either(read, admin), []auth.Scope{admin}, true, "hulls:read or admin"},
		"either, none held":        {auth.Either(read, admin), []auth.Scope{write}, false, "hulls:read or admin"},
		"one of two sets":          {auth.Rule{{read, write}, {admin}}, []auth.Scope{admin}, true, "hulls:read and hulls:write or admin"},
		"half of each set":         {auth.Rule{{read, write}, {write, admin}}, []auth.Scope{read, admin}, false, "hulls:read and hulls:write or hulls:write and admin"},
		"no rule at all":           {nil, []auth.Scope{read, write, admin}, false, ""}, // what was forgotten is closed
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Equal(t, c.rule.Allows(c.held), c.allow)
			if got := c.rule.String(); got != c.words {
				t.Errorf("in words %q, want %q", got, c.words)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	for _, s := range auth.Scopes {
		if !auth.KnownScope(s.Scope) || s.Doc == "" {
			t.Errorf("%s: got known %t, description %q; want true and a description", s.Scope, auth.KnownScope(s.Scope), s.Doc)
		}
	}
	for _, s := range []auth.Scope{"", "*", "hulls", "hulls:", "HULLS:READ", "hulls:read "} {
		if auth.KnownScope(s) {
			t.Errorf("%q is known, want it unknown", s)
		}
	}
}
