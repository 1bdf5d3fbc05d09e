package main

import (
	"errors"
	"fmt"
	"strings"

	"slipway/internal/identity/access"
	"slipway/internal/vocab/auth"
)

type usersCmd struct {
	List   usersListCmd   `cmd:"" help:"List the users of an environment."`
	Invite usersInviteCmd `cmd:"" help:"Create a user and send a link to set a password."`
	Reset  usersResetCmd  `cmd:"" help:"Clear a user's password, end their sessions and send a link to set a new password."`
	Unlock usersUnlockCmd `cmd:"" help:"Let a user enter two-factor codes again after too many wrong ones."`
}

type usersListCmd struct {
	environmentFlags
	jsonFlag
}

// Run lists the users of an environment.
func (c usersListCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	users, err := access.UsersFromCommandLine(s, a.DB, c.Dealership, auth.Mode(c.Environment))
	if err != nil {
		return err
	}

	if c.JSON {
		return s.printJSON(users)
	}
	rows := [][]string{}
	for _, u := range users {
		var roles []string
		for _, r := range u.Roles {
			roles = append(roles, r.Name)
		}
		twoFactor := "off"
		if u.HasActiveFactor() {
			twoFactor = "on"
		}
		rows = append(rows, []string{u.ID, u.Email, u.Name, string(u.Status), strings.Join(roles, ","), twoFactor, day(u.LastSeenAt)})
	}
	return s.printTable([]string{"ID", "EMAIL", "NAME", "STATUS", "ROLES", "TWO-FACTOR", "LAST SEEN"}, rows)
}

type usersInviteCmd struct {
	Email string `arg:"" help:"Email address of the user."`
	Name  string `help:"Full name of the user. Defaults to the email address."`
	Role  string `required:"" help:"Role of the user: owner, manager, sales, finance, marketing, viewer, or one of your own."`
	environmentFlags
}

// Run creates a user. The server sends the email.
func (c usersInviteCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()
	in := access.CommandUser{DealershipID: c.Dealership, Mode: auth.Mode(c.Environment), Email: c.Email}
	u, err := access.InviteUserFromCommandLine(s, a.DB, a.Jobs, access.CommandInvitation{CommandUser: in, Name: c.Name, Role: c.Role})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s (%s) was invited. The server sends a link to set a password to this address.\n", u.Email, u.ID)
	return err
}

// userFlags choose a user.
type userFlags struct {
	Email       string `arg:"" help:"Email address of the user."`
	Environment string `default:"live" enum:"live,test" help:"Environment of the user."`
	Dealership  string `help:"Dealership ID. Required if several dealerships have a user with this email address."`
}

type usersResetCmd struct {
	userFlags
	TwoFactor bool `help:"Also remove the user's two-factor methods."`
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

type usersUnlockCmd struct{ userFlags }

// Run unlocks the two-factor methods of a user.
func (c usersUnlockCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()
	locked, err := access.UnlockUserFromCommandLine(s, a.DB, access.CommandUser{
		DealershipID: c.Dealership, Mode: auth.Mode(c.Environment), Email: c.Email,
	})
	if err != nil {
		return err
	}
	text := c.Email + " was not locked."
	if locked {
		text = c.Email + " can enter two-factor codes again."
	}
	_, err = fmt.Fprintln(s.out, text)
	return err
}
