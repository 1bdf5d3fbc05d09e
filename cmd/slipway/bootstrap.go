package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/vocab/auth"
)

type bootstrapCmd struct {
	Name  string `required:"" help:"Name of the dealership."`
	Owner string `required:"" help:"Email address of the owner."`
	Plan  string `default:"standard" enum:"standard,fleet" help:"Plan of the dealership. The fleet plan includes single sign-on."`
	Yes   bool   `help:"Create the dealership even if one with the same name exists."`
	jsonFlag
}

// Run creates a dealership and its owner.
func (c bootstrapCmd) Run(s *session) (err error) {
	c.Name = strings.TrimSpace(c.Name)
	if n := utf8.RuneCountInString(c.Name); n == 0 || n > 200 {
		return errors.New("--name must have 1 to 200 characters")
	}
	a, err := s.create()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()
	if err := c.checkName(s, a); err != nil {
		return err
	}

	created, err := access.Bootstrap(s, a.DB, a.Box, access.NewDealership{Name: c.Name, Owner: c.Owner, Plan: dealership.Plan(c.Plan)})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(created)
	}
	return c.print(s, created)
}

// checkName asks before it creates the same dealership twice.
func (c bootstrapCmd) checkName(s *session, a *app.App) error {
	all, err := listDealerships(s, a)
	if err != nil || c.Yes {
		return err
	}
	for _, d := range all {
		if !strings.EqualFold(d.Name, c.Name) {
			continue
		}
		if !s.confirm(fmt.Sprintf("The dealership %s already exists (%s). Create another one with this name?", d.Name, d.ID)) {
			return fmt.Errorf("the dealership %s already exists (%s). To create another one with this name, add --yes", d.Name, d.ID)
		}
		return nil
	}
	return nil
}

func (c bootstrapCmd) print(s *session, created access.Bootstrapped) error {
	o := created.Owner
	var b strings.Builder
	fmt.Fprintf(&b, "Dealership  %s\nOwner       %s\n", created.DealershipID, o.Email)
	for _, env := range []struct {
		mode, password, secret, uri string
		codes                       []string
	}{
		{"Live", o.Password, o.LiveTOTPSecret, o.LiveTOTPURI, o.LiveRecoveryCodes},
		{"Test", o.TestPassword, o.TestTOTPSecret, o.TestTOTPURI, o.TestRecoveryCodes},
	} {
		fmt.Fprintf(&b, "\n%s environment\n\n", env.mode)
		if isTerminal(s.out) {
			code, err := qrCode(env.uri)
			if err != nil {
				return err
			}
			b.WriteString(code + "\n")
		}
		fmt.Fprintf(&b, "  Password        %s\n  TOTP secret     %s\n  Authenticator   %s\n  Recovery codes  %s\n                  %s\n", env.password, env.secret, env.uri,
			strings.Join(env.codes[:len(env.codes)/2], " "), strings.Join(env.codes[len(env.codes)/2:], " "))
	}

	fmt.Fprintf(&b, `
Save the passwords, the TOTP secrets and the recovery codes. They are not shown again.

1. Add both environments to an authenticator app: scan the QR codes, or enter the
   TOTP secrets. Each environment has its own password and codes. A recovery code works once,
   instead of a code, if you lose your phone.
2. Create an API key. The admin scope requires a code of the test environment. The command
   asks for it:

   slipway keys create --dealership %s --environment test --name First \
     --scopes %s \
     --user %s

3. Start the server:

   slipway serve
`, created.DealershipID, auth.ScopeNames(), o.Email)
	_, err := fmt.Fprint(s.out, b.String())
	return err
}
