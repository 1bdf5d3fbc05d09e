package auth_test

import (
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func TestRule(t *testing.T) {
	const read, write, admin = auth.HullsRead, auth.HullsWrite, auth.Admin
	for name, c := range map[string]struct {
		rule  auth.Rule
		held  []auth.Scope
		allow bool
		text  string
	}{
		"any, no scopes":           {auth.AnyCredential, nil, true, ""},
		"any, several scopes":      {auth.AnyCredential, []auth.Scope{read, admin}, true, ""},
		"one, present":             {auth.Require(read), []auth.Scope{read}, true, "hulls:read"},
		"one of several":           {auth.Require(read), []auth.Scope{admin, read}, true, "hulls:read"},
		"one, missing":             {auth.Require(read), []auth.Scope{admin}, false, "hulls:read"},
		"one, no scopes":           {auth.Require(read), nil, false, "hulls:read"},
		"write does not mean read": {auth.Require(read), []auth.Scope{write}, false, "hulls:read"},
		"admin does not mean all":  {auth.Require(write), []auth.Scope{admin}, false, "hulls:write"},
		"both, present":            {auth.Require(read, write), []auth.Scope{write, read}, true, "hulls:read and hulls:write"},
		"both, one missing":        {auth.Require(read, write), []auth.Scope{write}, false, "hulls:read and hulls:write"},
		"either, first present":    {auth.Either(read, admin), []auth.Scope{read}, true, "hulls:read or admin"},
		"either, second present":   {auth.Either(read, admin), []auth.Scope{admin}, true, "hulls:read or admin"},
		"either, both missing":     {auth.Either(read, admin), []auth.Scope{write}, false, "hulls:read or admin"},
		"one of two sets":          {auth.Rule{{read, write}, {admin}}, []auth.Scope{admin}, true, "hulls:read and hulls:write or admin"},
		"half of each set": {auth.Rule{{read, write}, {write, admin}}, []auth.Scope{read, admin}, false,
			"hulls:read and hulls:write or hulls:write and admin"},
		"no rule": {nil, []auth.Scope{read, write, admin}, false, ""}, // a missing rule denies access
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.rule.Allows(c.held), c.allow)
			if got := c.rule.String(); got != c.text {
				t.Errorf("got text %q, want %q", got, c.text)
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
