package internal

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each direct dependency has its reason in a decision.
func TestDependenciesHaveReasons(t *testing.T) {
	decision, err := os.ReadFile("../docs/decisions/0038-dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\|$").FindAllStringSubmatch(string(decision), -1) {
		listed[m[1]] = true
	}

	direct := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t([^ ]+) v[^ ]+$`).FindAllStringSubmatch(string(mod), -1) {
		direct[m[1]] = true
		if !listed[m[1]] {
			t.Errorf("go.mod requires %s, but the decision about dependencies has no reason for it", m[1])
		}
	}
	for name := range listed {
		if strings.Contains(name, ".") && !direct[name] {
			t.Errorf("the decision about dependencies lists %s, which go.mod doesn't require directly", name)
		}
	}
}
