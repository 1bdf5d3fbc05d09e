package main

import (
	"errors"
	"fmt"

	"slipway/internal/access"
	"slipway/internal/vocab/auth"
)

type usersCmd struct {
	Reset usersResetCmd `cmd:"" help:"Clear a user's password, end their sessions and send a link to set a new password."`
}

type usersResetCmd struct {
	Email       string `arg:"" help:"Email address of the user."`
	Environment string `default:"live" enum:"live,test" help:"Environment of the user: ${enum}."`
	Dealership  string `help:"Dealership ID. Required if several dealerships have a user with this email address."`
	TwoFactor   bool   `help:"Also remove the user's two-factor methods."`
}

// Run resets a user. The server sends the email.
func (c usersResetCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	u, err := access.ResetUserFromCommandLine(s, a.DB, a.Jobs, access.UserReset{
		DealershipID: c.Dealership, Mode: auth.Mode(c.Environment), Email: c.Email, TwoFactor: c.TwoFactor,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "The password of %s (%s) was cleared, and all sessions were ended.\n"+
		"The server sends a link to set a new password to this address.\n", u.Email, u.ID)
	return err
}
