package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"slipway/internal/app"
)

type versionCmd struct{}

// Run prints the versions of the program, the API and the schema.
func (versionCmd) Run(s *session) error {
	_, err := fmt.Fprint(s.out, app.Version())
	return err
}

// versionFlag is --version, which works without a command.
type versionFlag bool

// BeforeReset prints the versions and exits.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, err := fmt.Fprint(k.Stdout, app.Version())
	k.Exit(0)
	return err
}
