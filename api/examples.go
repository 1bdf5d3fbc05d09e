// Package api embeds the examples and the samples of the API reference.
package api

import _ "embed"

// Examples are a request and a response of each operation. They are recorded by a
// test, which `make openapi` runs.
//
//go:embed examples.json
var Examples []byte

// Samples call each operation with the SDKs. `make sdk` generates them.
//
//go:embed samples.json
var Samples []byte

// Behavior is which events each operation emitted in tests, and why it was refused. Command
// behavior writes it, which `make behavior` runs.
//
//go:embed behavior.json
var Behavior []byte
