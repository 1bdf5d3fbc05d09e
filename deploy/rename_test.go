package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"slipway/internal/testkit/assert"
)

// names are the names in release.yaml.
func names(t *testing.T, folder string) (names map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "release.yaml"))
	assert.NoError(t, err)
	assert.NoError(t, yaml.Unmarshal(text, &names))
	return names
}

// checkNames fails if a file has another name than release.yaml.
func checkNames(t *testing.T, folder string) {
	t.Helper()
	is := names(t, folder)
	has := func(file, text string) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || !strings.Contains(string(content), text) {
			t.Errorf("%s doesn't contain %q, error %v", file, text, err)
		}
	}
	has("go.mod", "module "+is["module"]+"\n")
	has("Makefile", is["module"]+"/internal/app")
	has("sdk/go/go.mod", "module "+is["go_sdk"]+"\n")
	has("sdk/lib/go/go.mod.txt", "module "+is["go_sdk"]+"\n")
	has("docs/sdks.md", "go get "+is["go_sdk"]+"@latest")
	has("internal/sdks/pack.go", "distribution = \""+is["python"]+"\"")
	has("docs/sdks.md", "/sdk/python "+is["python"])
	has("deploy/kubernetes/slipway.yaml", "image: "+is["image"]+":")
	has("README.md", is["downloads"])
	var npm struct{ Name string }
	text, err := os.ReadFile(filepath.Join(folder, "sdk/ts/package.json"))
	assert.NoError(t, err)
	assert.NoError(t, json.Unmarshal(text, &npm))
	assert.Equal(t, npm.Name, is["npm"])
	has("sdk/ts/test/consumer/consumer.ts", "from \""+is["npm"]+"\"")
}

func TestNames(t *testing.T) { checkNames(t, "..") }

// A publisher can rename everything. What is renamed still compiles, and no file has the old names.
// make test-release compiles all of it.
func TestRename(t *testing.T) {
	clone := t.TempDir()
	run := func(folder, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = filepath.Join(clone, folder)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	before := names(t, "..")
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = ".."
	files, err := list.Output()
	assert.NoError(t, err)
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join("..", file))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		assert.NoError(t, err)
		content, err := os.ReadFile(filepath.Join("..", file))
		assert.NoError(t, err)
		assert.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(clone, file)), 0o755))
		assert.NoError(t, os.WriteFile(filepath.Join(clone, file), content, info.Mode()))
	}
	run("", "git", "init", "--quiet")
	run("", "git", "add", "--all")
	run("", "scripts/rename-module", "module=example.org/boats", "go_sdk=example.org/boats/sdk/go", "npm=@boats/client", "python=boats-client",
		"image=images.example.org/boats", "downloads=https://downloads.example.org")

	checkNames(t, clone)
	for name, old := range before {
		if name == "module" { // a word that has other meanings
			continue
		}
		found := exec.Command("git", "grep", "-In", "-F", "-e", old, "--", ".", ":!CHANGELOG.md")
		found.Dir = clone
		if out, _ := found.CombinedOutput(); len(out) > 0 {
			t.Errorf("%s is still %s in\n%s", name, old, out)
		}
	}
	run("", "go", "build", "./sdk", "./internal/sdkgen", "./internal/vocab/money")
	run("sdk/go", "go", "vet", ".")
	if left := run("", "gofmt", "-l", "."); left != "" {
		t.Errorf("not formatted: %s", left)
	}
}
