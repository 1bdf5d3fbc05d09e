package slipway

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var sample = regexp.MustCompile("(?s)```go\n(.*?)```")

// prelude declares what the samples of the documentation don't.
const prelude = `package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"slipway.example.com/slipway"
)

var (
	_ = []any{context.Canceled, errors.New, fmt.Println, log.Print, http.NoBody, os.Open}
	ctx context.Context
	c *slipway.Client
	h *slipway.Hull
	r *http.Request
	err error
	body []byte
	stored slipway.Tokens
	save func(context.Context, slipway.Tokens) error
	base, id, location, photoID, secret string
)

func main() {}
`

// The samples of the documentation compile. They can have variables that they don't use.
func TestSamples(t *testing.T) {
	var program strings.Builder
	program.WriteString(prelude)
	count := 0
	for _, file := range []string{"README.md", "../../docs/sdks.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sample.FindAllStringSubmatch(string(text), -1) {
			count++
			fmt.Fprintf(&program, "\nfunc sample%d() error {\n%s\nreturn nil\n}\n", count, s[1])
		}
	}
	if count < 7 {
		t.Fatalf("got %d samples, want at least 7", count)
	}

	folder, err := os.MkdirTemp("internal", "samples") // inside of the module
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	write(t, filepath.Join(folder, "main.go"), program.String())
	out, _ := exec.Command("go", "build", "-gcflags=-e", "-o", os.DevNull, "./"+filepath.ToSlash(folder)).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "declared and not used") && !strings.HasPrefix(line, "#") {
			t.Errorf("%s\n%s", line, program.String())
		}
	}
}
