package main

import (
	"fmt"

	"slipway/internal/app"
)

type versionCmd struct{}

// Run prints the versions of the program, the API and the schema.
func (versionCmd) Run(s *session) error {
	_, err := fmt.Fprint(s.out, app.Version())
	return err
}
