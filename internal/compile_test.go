package internal

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Tests that start a server are in the folder tests. If they were next to tests of
// unexported code, Go would compile each package in between once more for them.
func TestServersAreTestedApart(t *testing.T) {
	for _, file := range sources(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		isTest := strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "testkit/")
		if isTest && slices.Contains(imports(t, file, src), "slipway/internal/testkit") {
			t.Errorf("%s imports testkit; move it to the folder tests", file)
		}
	}
}

// Vet compiles each package once, or a few more times for tests.
func TestPackagesAreCompiledOnce(t *testing.T) {
	const limit = 1.5 // on average
	cmd := exec.Command("go", "vet", "-a", "-n", "./...")
	cmd.Dir = ".."
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}

	times := map[string]int{}
	all := 0
	for _, m := range regexp.MustCompile(`/compile .* -p (\S+)`).FindAllStringSubmatch(out.String(), -1) {
		if strings.HasPrefix(m[1], "slipway/") {
			times[m[1]]++
			all++
		}
	}
	if len(times) < 50 {
		t.Fatalf("found %d packages, want all of them", len(times))
	}
	if average := float64(all) / float64(len(times)); average > limit {
		t.Errorf("packages are compiled %.2f times on average, want at most %.1f: %v", average, limit, times)
	}
}
