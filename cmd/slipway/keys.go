package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/vocab/auth"
)

type keysCmd struct {
	Create       keysCreateCmd   `cmd:"" help:"Create an API key."`
	List         keysListCmd     `cmd:"" help:"List the API keys of an environment."`
	Revoke       keysRevokeCmd   `cmd:"" help:"Revoke an API key. It stops working immediately."`
	RotateMaster rotateMasterCmd `cmd:"" name:"rotate-master" help:"Replace the master key while servers keep running."`
}

type keysCreateCmd struct {
	Dealership  string       `required:"" help:"Dealership ID."`
	Environment string       `required:"" enum:"live,test" help:"Environment of the key."`
	Scopes      []auth.Scope `required:"" help:"Scopes of the key, separated by commas: ${suggest}." suggest:"scopes"`
	Name        string       `default:"Command line" help:"Name of the key."`
	RateLimit   int64        `help:"Requests per second. Defaults to the limit of the environment."`
	User        string       `help:"Email address of the user who creates the key. Required for the admin scope. Asks for the user's two-factor code."`
	jsonFlag
}

// Run creates an API key.
func (c keysCreateCmd) Run(s *session) (err error) {
	operator := access.Operator{Email: c.User}
	if c.User != "" {
		if operator.Code, err = s.cli().Ask("Two-factor code of " + c.User + " in " + c.Environment + ": "); err != nil {
			return err
		}
	}
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	in := access.KeyRequest{Name: c.Name, Scopes: c.Scopes}
	if c.RateLimit > 0 {
		in.RateLimit = &c.RateLimit
	}
	issued, err := access.IssueKeyFromCommandLine(s, a.DB, a.Box, access.CommandKey{DealershipID: c.Dealership, Mode: auth.Mode(c.Environment), Key: in, By: operator})
	if err != nil {
		return err
	}

	if c.JSON {
		return s.printJSON(map[string]string{"id": issued.ID, "key": issued.Key})
	}
	_, err = fmt.Fprintf(s.out, "%s\n\nSave this key. It is not shown again. Its ID is %s.\n", issued.Key, issued.ID)
	return err
}

// environmentFlags choose an environment.
type environmentFlags struct {
	Dealership  string `help:"Dealership ID. Required if there are several dealerships."`
	Environment string `default:"live" enum:"live,test" help:"Environment."`
}

type keysListCmd struct {
	environmentFlags
	jsonFlag
}

// Run lists the API keys of an environment.
func (c keysListCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	keys, err := access.KeysFromCommandLine(s, a.DB, c.Dealership, auth.Mode(c.Environment))
	if err != nil {
		return err
	}

	if c.JSON {
		return s.printJSON(keys)
	}
	rows := [][]string{}
	for _, k := range keys {
		var scopes []string
		for _, scope := range k.Scopes {
			scopes = append(scopes, string(scope))
		}
		rows = append(rows, []string{k.ID, k.Name, k.Prefix, string(k.Status(a.DB.Now())), strings.Join(scopes, ","), day(&k.CreatedAt), day(k.LastUsedAt)})
	}
	return s.printTable([]string{"ID", "NAME", "PREFIX", "STATUS", "SCOPES", "CREATED", "LAST USED"}, rows)
}

// day returns the day of a time, or "" if there is none.
func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

type keysRevokeCmd struct {
	ID string `arg:"" help:"ID of the key, such as key_01jcqz8t5n8m2x4v6b7c9d0e1f."`
}

// Run revokes an API key.
func (c keysRevokeCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()
	k, err := access.RevokeKeyFromCommandLine(s, a.DB, c.ID)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "The key %s (%s) is revoked.\n", k.Name, k.Prefix)
	return err
}
