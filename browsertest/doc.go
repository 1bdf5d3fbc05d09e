// Package browsertest tests the pages in a real browser. It is a separate module, so
// that the service doesn't depend on the library that drives the browser. Run it with
// `make test-browser`.
package browsertest
