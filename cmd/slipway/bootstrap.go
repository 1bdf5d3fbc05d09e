package main

import (
	"errors"
	"fmt"

	"slipway/internal/access"
	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
)

type bootstrapCmd struct {
	Name  string `required:"" help:"The dealership's name."`
	Owner string `required:"" help:"The owner's email address."`
	Plan  string `default:"standard" enum:"standard,fleet" help:"Plan of the dealership: ${enum}. The fleet plan includes single sign-on."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run creates a dealership.
func (c bootstrapCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	f, err := access.Bootstrap(s, a.DB, a.Box, c.Name, c.Owner, dealership.Plan(c.Plan))
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(f)
	}
	_, err = fmt.Fprintf(s.out, `Dealership    %s
Owner         %s
Password      %s
TOTP secret   %s

Keep the last two: they are not shown again. Next, a key. The admin scope wants
a code of the authenticator app that holds the TOTP secret:
  slipway keys create --dealership %[1]s --environment test \
    --scopes hulls:read,hulls:write,admin --user %[2]s --totp 123456
`, f.DealershipID, f.Owner.Email, f.Owner.Password, f.Owner.TOTPSecret)
	return err
}

type keysCmd struct {
	Create keysCreateCmd `cmd:"" help:"Issue an API key."`
}

type keysCreateCmd struct {
	Dealership  string       `required:"" help:"The dealership's id."`
	Environment string       `required:"" enum:"live,test" help:"${enum}."`
	Scopes      []auth.Scope `required:"" help:"What the key may do, such as hulls:read,hulls:write."`
	Name        string       `default:"Command line" help:"What the key is for."`
	RateLimit   int64        `help:"Requests a second; without it, the environment's default."`
	User        string       `help:"Email of the user who issues the key; needed for the admin scope."`
	TOTP        string       `name:"totp" help:"A code of that user's second factor."`
	JSON        bool         `name:"json" help:"Print JSON."`
}

// Run issues a key.
func (c keysCreateCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	in := access.KeyRequest{Name: c.Name, Scopes: c.Scopes}
	if c.RateLimit > 0 {
		in.RateLimit = &c.RateLimit
	}
	issued, err := access.IssueKeyAtTerminal(s, a.DB, a.Box, c.Dealership, auth.Mode(c.Environment), in, access.Operator{Email: c.User, Code: c.TOTP})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(map[string]string{"id": issued.ID, "key": issued.Key})
	}
	_, err = fmt.Fprintf(s.out, "%s\n\nKeep it: it is not shown again. Its id is %s.\n", issued.Key, issued.ID)
	return err
}
