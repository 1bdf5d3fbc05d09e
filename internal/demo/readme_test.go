package demo

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var example = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:```(?:json|text)\n(.*?)```)?")

// buildProgram returns a folder with the program. Without the tables for a debugger,
// linking takes half of the time.
func buildProgram(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", folder, "../../cmd/slipway").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return folder
}

// testTour runs the commands of a Markdown file in a shell, in order. The output
// must match the file, where … matches anything. program is the folder of the program.
func testTour(t *testing.T, file string, handler http.Handler, w Summary, program string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()

	const end = "\x1e"
	examples := example.FindAllStringSubmatch(string(text), -1)
	var script strings.Builder
	for _, e := range examples {
		script.WriteString(e[1] + "printf '" + end + "'\n")
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	sh.Dir = t.TempDir()
	sh.Env = append(os.Environ(), "PATH="+program+string(os.PathListSeparator)+os.Getenv("PATH"), "SLIPWAY="+web.URL, "KEY="+w.TestKey, "SLIPWAY_BASE_URL="+web.URL, "SLIPWAY_KEY="+w.TestKey)
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	outputs := strings.Split(strings.ReplaceAll(string(out), "\r", ""), end)
	if len(examples) != strings.Count(string(text), "```sh\n") || len(outputs) != len(examples)+1 {
		t.Fatalf("got %d examples and %d outputs", len(examples), len(outputs)-1)
	}
	for i, e := range examples {
		remaining := outputs[i]
		for line := range strings.Lines(e[2]) {
			for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "…") {
				_, after, found := strings.Cut(remaining, part)
				if !found {
					t.Fatalf("%s\nThe output does not contain %q after the previous match:\n%s", e[1], part, outputs[i])
				}
				remaining = after
			}
		}
	}
}
