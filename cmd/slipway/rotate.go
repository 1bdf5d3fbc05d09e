package main

import (
	"errors"
	"fmt"

	"slipway/internal/app"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
)

type rotateMasterCmd struct {
	Finish bool `help:"Stop accepting the previous master key. Run it after all servers were restarted with the new key."`
}

// sealedColumns are encrypted again with the new data key. Challenges and responses
// of idempotent requests are not: they expire within a day.
var sealedColumns = []site.Sealed{
	{Table: "mfa_factors", Column: "secret"}, {Table: "webhooks", Column: "secrets"}, {Table: "inbound_secrets", Column: "secret"},
	{Table: "channels", Column: "secrets"}, {Table: "sso_connections", Column: "secrets"}, {Table: "sso_sessions", Column: "secrets"},
	{Table: "proposals", Column: "sealed"},
}

// Run replaces the master key while servers keep running.
func (c rotateMasterCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	if c.Finish {
		if err := site.FinishRotation(s, a.DB, a.Box); err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, "The previous master key no longer works.")
		return err
	}

	key := seal.NewKey()
	next, err := seal.NewBox(key)
	if err != nil {
		return err
	}
	if err := site.Rotate(s, a.DB, a.Box, next); err != nil {
		return err
	}
	if err := c.save(s, key); err != nil {
		return err
	}
	return c.reseal(s, a)
}

// save stores the new key where the server reads it, or shows it.
func (rotateMasterCmd) save(s *session, key []byte) error {
	if s.settings.MasterKey != "" {
		_, err := fmt.Fprintf(s.out, "Set SLIPWAY_MASTER_KEY to this key on all servers:\n\n%s\n\n", seal.Encode(key))
		return err
	}
	if err := seal.ReplaceMasterKey(s.settings.Data, key); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, "The new master key is in master.key in the data folder. Back it up.")
	return err
}

func (rotateMasterCmd) reseal(s *session, a *app.App) error {
	for _, col := range sealedColumns {
		n, err := site.Reseal(s, a.DB, a.Box, col)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.out, "Encrypted %d values of %s again.\n", n, col.Table); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(s.out, "Restart all servers, then run: slipway keys rotate-master --finish")
	return err
}
