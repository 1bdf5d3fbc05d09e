package internal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test in the table of attacks in docs/security.md exists. A subtest is in the file of its
// test.
func TestAttackTable(t *testing.T) {
	text, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)(?:/([A-Za-z_]+))?`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 100 {
		t.Errorf("found %d tests in docs/security.md, want at least 100", len(named))
	}

	files := map[string]string{} // by test
	for _, root := range []string{".", "../tests", "../cmd"} {
		for _, file := range testFiles(t, root) {
			src := readAll(t, file)
			for _, f := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(src, -1) {
				files[f[1]] = src
			}
		}
	}
	for _, n := range named {
		src, ok := files[n[1]]
		if !ok {
			t.Errorf("docs/security.md names %s, which doesn't exist", n[1])
		} else if subtest := strings.ReplaceAll(n[2], "_", " "); !strings.Contains(src, `"`+subtest) {
			t.Errorf("docs/security.md names the subtest %q of %s, which doesn't exist", subtest, n[1])
		}
	}
}

func testFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
