package people

import (
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func roleWith(scopes ...auth.Scope) UserRole { return UserRole{ID: "role_1", Scopes: scopes} }

// An administrator's status doesn't matter for changes of them. To prove
// something, they must be active and have an active two-factor method.
func TestAdministrators(t *testing.T) {
	active, waiting := []UserFactor{{Active: true}}, []UserFactor{{Active: false}}
	admin, sales := roleWith(auth.HullsRead, auth.Admin), roleWith(auth.HullsRead)
	for name, c := range map[string]struct {
		user            User
		admin, canProve bool
	}{
		"without roles":                {User{Status: Active, MFAFactors: active}, false, false},
		"without admin":                {User{Status: Active, Roles: []UserRole{sales}, MFAFactors: active}, false, false},
		"administrator":                {User{Status: Active, Roles: []UserRole{sales, admin}, MFAFactors: active}, true, true},
		"without two-factor methods":   {User{Status: Active, Roles: []UserRole{admin}}, true, false},
		"with an unverified method":    {User{Status: Active, Roles: []UserRole{admin}, MFAFactors: waiting}, true, false},
		"with one of each":             {User{Status: Active, Roles: []UserRole{admin}, MFAFactors: append(waiting, active...)}, true, true},
		"invited administrator":        {User{Status: Invited, Roles: []UserRole{admin}, MFAFactors: active}, true, false},
		"deactivated administrator":    {User{Status: Deactivated, Roles: []UserRole{admin}, MFAFactors: active}, true, false},
		"role with owner as its name":  {User{Status: Active, Roles: []UserRole{{Name: ownerRole}}, MFAFactors: active}, false, false},
		"several roles, none is admin": {User{Status: Active, Roles: []UserRole{sales, sales}, MFAFactors: active}, false, false},
	} {
		admin := c.user.IsAdmin()
		canProve := c.user.canVerify() && byAdmin.rule(User{}).Accept(c.user) == nil
		if admin != c.admin || canProve != c.canProve {
			t.Errorf("%s: got administrator %t, proof %t; want %t, %t", name, admin, canProve, c.admin, c.canProve)
		}
	}
}

func TestChangeEmail(t *testing.T) {
	const old, next, earlier = "old@example.com", "new@example.com", "earlier@example.com"
	admin := []UserRole{roleWith(auth.Admin)}
	for name, c := range map[string]struct {
		user    User
		to      string
		email   string
		pending string // "" for none
		proven  bool
	}{
		"invited":                       {User{Status: Invited}, next, next, "", false},
		"invited administrator":         {User{Status: Invited, Roles: admin}, next, next, "", false},
		"active":                        {User{Status: Active}, next, old, next, false},
		"active administrator":          {User{Status: Active, Roles: admin}, next, old, next, true},
		"active, another address":       {User{Status: Active, PendingEmail: new(earlier), EmailProven: true}, next, old, next, false},
		"active, withdrawn":             {User{Status: Active, PendingEmail: new(earlier), EmailProven: true}, old, old, "", false},
		"active, nothing to withdraw":   {User{Status: Active}, old, old, "", false},
		"deactivated with a password":   {User{Status: Deactivated, PasswordHash: new("hash")}, next, old, next, false},
		"deactivated with single sign":  {User{Status: Deactivated, SSOSubject: new("subject")}, next, old, next, false},
		"deactivated before acceptance": {User{Status: Deactivated}, next, next, "", false},
	} {
		u := c.user
		u.Email = old
		u.changeEmail(c.to)
		pending := ""
		if u.PendingEmail != nil {
			pending = *u.PendingEmail
		}
		if u.Email != c.email || pending != c.pending || u.EmailProven != c.proven {
			t.Errorf("%s: got %s, pending %q, proven %t; want %s, %q, %t", name, u.Email, pending, u.EmailProven, c.email, c.pending, c.proven)
		}
	}
}

func TestCanConfirm(t *testing.T) {
	const email = "new@example.com"
	admin := []UserRole{roleWith(auth.Admin)}
	for name, c := range map[string]struct {
		user User
		want bool
	}{
		"pending":                       {User{Status: Active, PendingEmail: new(email)}, true},
		"nothing pending":               {User{Status: Active}, false},
		"another address":               {User{Status: Active, PendingEmail: new("other@example.com")}, false},
		"deactivated":                   {User{Status: Deactivated, PendingEmail: new(email)}, false},
		"administrator with proof":      {User{Status: Active, Roles: admin, PendingEmail: new(email), EmailProven: true}, true},
		"administrator without proof":   {User{Status: Active, Roles: admin, PendingEmail: new(email)}, false},
		"former administrator, proven":  {User{Status: Active, PendingEmail: new(email), EmailProven: true}, true},
		"administrator, nothing needed": {User{Status: Active, Roles: admin, EmailProven: true}, false},
	} {
		assert.Equal(t, c.user.canConfirm(email), c.want, name)
	}
}
