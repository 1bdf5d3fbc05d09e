package main

import (
	"errors"
	"fmt"

	"slipway/internal/access"
	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
)

type bootstrapCmd struct {
	Name  string `required:"" help:"Name of the dealership."`
	Owner string `required:"" help:"Email address of the owner."`
	Plan  string `default:"standard" enum:"standard,fleet" help:"Plan of the dealership: ${enum}. The fleet plan includes single sign-on."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run creates a dealership and its owner.
func (c bootstrapCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	created, err := access.Bootstrap(s, a.DB, a.Box, c.Name, c.Owner, dealership.Plan(c.Plan))
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(created)
	}
	_, err = fmt.Fprintf(s.out, `Dealership         %s
Owner              %s
Password           %s
TOTP secret, live  %s
TOTP secret, test  %s

Save the password and the TOTP secrets. They are not shown again.

Next, add both TOTP secrets to an authenticator app. Each environment has its own
codes. Then create an API key with a code for its environment, which the admin
scope requires:

  slipway keys create --dealership %[1]s --environment test \
    --scopes hulls:read,hulls:write,admin --user %[2]s --totp 123456
`, created.DealershipID, created.Owner.Email, created.Owner.Password,
		created.Owner.LiveTOTPSecret, created.Owner.TestTOTPSecret)
	return err
}

type keysCmd struct {
	Create       keysCreateCmd   `cmd:"" help:"Create an API key."`
	RotateMaster rotateMasterCmd `cmd:"" name:"rotate-master" help:"Replace the master key while servers keep running."`
}

type keysCreateCmd struct {
	Dealership  string       `required:"" help:"Dealership ID."`
	Environment string       `required:"" enum:"live,test" help:"Environment of the key: ${enum}."`
	Scopes      []auth.Scope `required:"" help:"Scopes of the key, such as hulls:read,hulls:write."`
	Name        string       `default:"Command line" help:"Name of the key."`
	RateLimit   int64        `help:"Requests per second. Defaults to the limit of the environment."`
	User        string       `help:"Email address of the user who creates the key. Required for the admin scope."`
	TOTP        string       `name:"totp" help:"Two-factor code of that user."`
	JSON        bool         `name:"json" help:"Print JSON."`
}

// Run creates an API key.
func (c keysCreateCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	in := access.KeyRequest{Name: c.Name, Scopes: c.Scopes}
	if c.RateLimit > 0 {
		in.RateLimit = &c.RateLimit
	}
	operator := access.Operator{Email: c.User, Code: c.TOTP}
	issued, err := access.IssueKeyFromCommandLine(s, a.DB, a.Box, c.Dealership, auth.Mode(c.Environment), in, operator)
	if err != nil {
		return err
	}

	if c.JSON {
		return s.printJSON(map[string]string{"id": issued.ID, "key": issued.Key})
	}
	_, err = fmt.Fprintf(s.out, "%s\n\nSave this key. It is not shown again. Its ID is %s.\n", issued.Key, issued.ID)
	return err
}
