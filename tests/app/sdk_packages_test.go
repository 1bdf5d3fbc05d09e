package app

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// inFolder runs a command that must succeed, and returns what it prints.
func inFolder(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A program in Go gets the SDK from the server, as from any proxy, and uses it.
func TestServedGoModule(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Hull(s.Test.Location(), map[string]any{"model": "210 Montauk"})
	project := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/project\n\ngo 1.24\n", "main.go": `package main

import (
	"context"
	"fmt"
	"os"

	"slipway.example.com/slipway"
)

func main() {
	c := slipway.New(os.Getenv("SLIPWAY"), os.Getenv("KEY"))
	for h, err := range c.Hulls.List(context.Background(), slipway.HullListParams{}) {
		fmt.Println(h.Model, err)
	}
}
`} {
		assert.NoError(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	env := []string{"GOPROXY=" + s.URL + "/sdk/go", "GONOSUMDB=slipway.example.com/slipway", "GOFLAGS=-modcacherw", "GOMODCACHE=" + t.TempDir(),
		"GOTOOLCHAIN=local", "GOWORK=off", "SLIPWAY=" + s.URL, "KEY=" + s.Test.Key}
	inFolder(t, project, env, "go", "get", "slipway.example.com/slipway@latest")
	assert.Equal(t, inFolder(t, project, env, "go", "run", "."), "210 Montauk <nil>\n")
	for _, path := range []string{"/sdk/go/example.com/other/@v/list", "/sdk/python/other/", "/sdk/python/slipway-python/slipway_python-9.9.9-py3-none-any.whl"} {
		assert.Equal(t, served(t, s, path).StatusCode, http.StatusNotFound, path)
	}
}

// served returns the response of a page, without following redirects.
func served(t *testing.T, s *testkit.Server, path string) *http.Response {
	t.Helper()
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Get(s.URL + path)
	assert.NoError(t, err)
	assert.NoError(t, res.Body.Close())
	return res
}

// pip gets the SDK from the index of the server, and from the address of the wheel.
func TestServedWheel(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Hull(s.Test.Location(), map[string]any{"model": "210 Montauk"})
	for _, install := range [][]string{{"--index-url", s.URL + "/sdk/python", "slipway-python"}, {"--no-index", s.URL + served(t, s, "/sdk/python.whl").Header.Get("Location")}} {
		folder := t.TempDir()
		inFolder(t, folder, nil, "python3", append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--target", "lib"}, install...)...)
		env := []string{"PYTHONPATH=" + filepath.Join(folder, "lib"), "SLIPWAY=" + s.URL, "KEY=" + s.Test.Key}
		got := inFolder(t, folder, env, "python3", "-c",
			`import os, slipway_sdk; print([h["model"] for h in slipway_sdk.Slipway(os.environ["SLIPWAY"], os.environ["KEY"]).hulls.list()])`)
		assert.Equal(t, got, "['210 Montauk']\n")
	}
}
