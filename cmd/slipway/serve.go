package main

import (
	"fmt"
	"strings"

	"slipway/internal/app"
	"slipway/internal/description"
)

type serveCmd struct {
	Init bool `help:"Create the data folder and the database if they don't exist."`
}

// Run serves the API until it receives a signal.
func (c serveCmd) Run(s *session) error {
	open := app.OpenExisting
	if c.Init {
		open = app.Open
	}
	a, err := open(s, s.settings, s.log)
	if err != nil {
		return err
	}
	return a.Serve(s, func(string) {
		if isTerminal(s.out) {
			base := strings.TrimSuffix(s.settings.BaseURL, "/")
			_, _ = fmt.Fprintf(s.out, "Documentation  %s/docs\nAPI            %s/v1\nSign-in page   %s\n",
				base, base, s.settings.SignInURL()) // the terminal might be closed
		}
	})
}

type openapiCmd struct{}

// Run prints the OpenAPI document.
func (openapiCmd) Run(s *session) error {
	doc, err := description.JSON(app.Described().Stable())
	if err != nil {
		return err
	}
	_, err = s.out.Write(doc)
	return err
}
