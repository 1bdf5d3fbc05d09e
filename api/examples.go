// Package api embeds the examples of the API reference.
package api

import _ "embed"

// Examples are a request and a response of each operation. They are recorded by a
// test, which `make openapi` runs.
//
//go:embed examples.json
var Examples []byte
