package main

import (
	"errors"
	"fmt"

	"slipway/internal/access"
	"slipway/internal/vocab/auth"
)

type usersCmd struct {
	ResetMFA usersResetMFACmd `cmd:"" name:"reset-mfa" help:"Replace the two-factor methods of a user who has lost them."`
}

type usersResetMFACmd struct {
	Dealership  string `required:"" help:"Dealership ID."`
	Environment string `required:"" enum:"live,test" help:"Environment of the user: ${enum}."`
	User        string `required:"" help:"Email address of the user."`
	JSON        bool   `name:"json" help:"Print JSON."`
}

// Run replaces the two-factor methods of a user. The API requires the proof of an
// administrator for that, which a dealership can lose.
func (c usersResetMFACmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()

	secret, err := access.ResetMFAFromCommandLine(s, a.DB, a.Box, c.Dealership, auth.Mode(c.Environment), c.User)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(map[string]string{"totp_secret": secret})
	}
	_, err = fmt.Fprintf(s.out, "TOTP secret   %s\n\nAdd it to an authenticator app. It is not shown again.\n", secret)
	return err
}
