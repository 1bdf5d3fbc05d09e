package main

type demoCmd struct{}

// Run serves a demo.
func (demoCmd) Run(s *session) error { return nil }
