package main

import (
	"errors"
	"fmt"

	"slipway/internal/identity/sso"
	"slipway/internal/vocab/auth"
)

type ssoCmd struct {
	VerifyDomain ssoVerifyDomainCmd `cmd:"" help:"Verify an email domain of an SSO connection without a TXT record."`
}

type ssoVerifyDomainCmd struct {
	Domain      string `arg:"" help:"Email domain, such as example.com."`
	Dealership  string `required:"" help:"Dealership ID."`
	Environment string `default:"live" enum:"live,test" help:"Environment of the connection."`
}

// Run verifies a domain. Users with the domain can then be created and linked.
func (c ssoVerifyDomainCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	domain, err := sso.VerifyDomainFromCommandLine(s, a.DB, c.Dealership, auth.Mode(c.Environment), c.Domain)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s is verified.\n", domain)
	return err
}
