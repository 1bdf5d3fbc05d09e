package browsertest

import (
	"testing"

	"slipway/internal/testkit"
)

// A user adds a passkey, signs in with it and changes the password.
func TestSelfService(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("sales")
	p.Enroll()
	b := open(t, s, desk)
	b.addAuthenticator()
	b.signIn(p.Email, testkit.Password)
	b.fill("#code", s.Code(p.Secret))
	b.click("main button")

	b.visit("/oauth/account/passkey")
	b.want("Add a passkey", "add-passkey")
	b.fill("#code", "000000")
	b.click("main button")
	b.want("Add a passkey", "add-passkey-wrong")
	b.fill("#code", s.Code(p.Secret))
	b.click("main button")
	b.want("Create your passkey", "create-passkey")
	b.click("#passkey button")
	b.want("Your passkey was added", "passkey-added")

	b.visit("/oauth/sign-out")
	b.click("main button")
	b.signIn(p.Email, testkit.Password)
	b.click("#passkey button")
	b.visit("/oauth/account/password")
	b.want("Change your password", "change-password")
	b.fill("#old_password", "wrong")
	b.fill("#password", "seven calm herons at low tide")
	b.fill("#code", "000000")
	b.click("main button")
	b.want("Change your password", "change-password-wrong")
	b.fill("#old_password", testkit.Password)
	b.fill("#password", "seven calm herons at low tide")
	b.fill("#code", s.Code(p.Secret))
	b.click("main button")
	b.want("Your password was changed", "password-changed")
}
