package main

import "slipway/internal/app"

type serveCmd struct{}

// Run serves the API until it receives a signal.
func (serveCmd) Run(s *session) error {
	a, err := app.Open(s, s.settings, s.log)
	if err != nil {
		return err
	}
	return a.Serve(s, nil)
}

type migrateCmd struct{}

// Run migrates the database.
func (migrateCmd) Run(s *session) error {
	a, err := s.open()
	if err != nil {
		return err
	}
	return a.Close()
}

type openapiCmd struct{}

// Run prints the OpenAPI document.
func (openapiCmd) Run(s *session) error {
	doc, err := app.OpenAPIJSON(app.OpenAPI())
	if err != nil {
		return err
	}
	_, err = s.out.Write(doc)
	return err
}
