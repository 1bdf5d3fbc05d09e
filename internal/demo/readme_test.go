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

// testReadme pastes the README's tour into a shell as it stands. It must show
// what the README says; where that says …, anything may stand.
func testReadme(t *testing.T, service http.Handler, w Welcome) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(service)
	defer web.Close()

	const end = "\x1e"
	examples := example.FindAllStringSubmatch(string(readme), -1)
	var script strings.Builder
	for _, e := range examples {
		script.WriteString(e[1] + "printf '" + end + "'\n")
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	sh.Env = append(os.Environ(), "SLIPWAY="+web.URL, "KEY="+w.TestKey)
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers := strings.Split(strings.ReplaceAll(string(out), "\r", ""), end)
	if len(examples) < 8 || len(answers) != len(examples)+1 {
		t.Fatalf("got %d examples, %d answers; want len(examples) >= 8, len(answers) = %v", len(examples), len(answers), len(examples)+1)
	}
	for i, e := range examples {
		left := answers[i]
		for line := range strings.Lines(e[2]) {
			for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "…") {
				_, after, found := strings.Cut(left, part)
				if !found {
					t.Fatalf("%s\nThe answer has no %q after what went before:\n%s; want found = true", e[1], part, answers[i])
				}
				left = after
			}
		}
	}
}
