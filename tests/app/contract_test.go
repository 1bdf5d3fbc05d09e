//go:build contract

package app

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Prism is a proxy that validates requests and responses against the OpenAPI
// document. It sees no violation in the story. Run with `make test-contract`.
func TestContract(t *testing.T) {
	p := &proxy{func(url string) string { return startPrism(t, wholeDocument(t), url) }, beyondPrism}
	for _, c := range tellStory(t, testkit.OnSQLite(t), p) {
		if v := c.response.Header.Get("Sl-Violations"); v != "" {
			t.Errorf("%s: %s", c.operation, v)
		}
	}
}

// beyondPrism are operations that Prism can't pass on. It decodes each body that is
// not JSON as UTF-8 (parseRequestBody in @stoplight/prism-http-server), so that the
// server receives a broken photo.
var beyondPrism = []string{"uploadHullPhoto"}

// With a wrong description, Prism sees violations.
func TestContractCanFail(t *testing.T) {
	doc := wholeDocument(t)
	components, _ := doc["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	change := func(schema, property string) {
		object, _ := schemas[schema].(map[string]any)
		properties, _ := object["properties"].(map[string]any)
		p, _ := properties[property].(map[string]any)
		p["type"] = "boolean"
	}
	change("Location", "name")
	change("HullCreate", "make")

	var violated []string
	p := &proxy{func(url string) string { return startPrism(t, doc, url) }, beyondPrism}
	for _, c := range tellStory(t, testkit.OnSQLite(t), p) {
		if c.response.Header.Get("Sl-Violations") != "" && !slices.Contains(violated, c.operation) {
			violated = append(violated, c.operation)
		}
	}
	slices.Sort(violated)
	assert.Equal(t, violated, []string{"createHull", "createLocation", "getLocation", "listLocations", "updateLocation"})
}

// wholeDocument returns the description with the operations that anyone can call.
// The story signs in with them.
func wholeDocument(t *testing.T) map[string]any {
	t.Helper()
	doc, public := documentOf(t), parsed(t, app.Described().Public())
	addMissing(doc["paths"], public["paths"])
	each(public["components"], func(kind string, parts map[string]any) {
		components, _ := doc["components"].(map[string]any)
		addMissing(components[kind], parts)
	})
	return doc
}

// addMissing adds what an object doesn't have.
func addMissing(to, from any) {
	object, _ := to.(map[string]any)
	each(from, func(name string, value map[string]any) {
		if _, ok := object[name]; !ok && object != nil {
			object[name] = value
		}
	})
}

// startPrism starts Prism in front of a server and returns its URL.
func startPrism(t *testing.T, doc map[string]any, upstream string) string {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address)

	prism := exec.CommandContext(t.Context(), os.Getenv("SLIPWAY_PRISM"), "proxy", file, upstream,
		"--host", host, "--port", port, "--verboseLevel", "error")
	prism.Stdout, prism.Stderr = t.Output(), t.Output()
	if err := prism.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = prism.Process.Kill()
		_ = prism.Wait()
	})
	assert.Eventually(t, "Prism accepts connections", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// freeAddress returns an address that no server uses.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strings.Clone(l.Addr().String())
}
