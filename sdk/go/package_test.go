package slipway

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const consumer = `package main

import (
	"fmt"

	"slipway.example.com/slipway"
)

func main() {
	c := slipway.New("https://slipway.example.com", "sk_test_1")
	fmt.Println(c.Hulls != nil, c.Preview.Hulls != nil, slipway.HullStatusAvailable)
}
`

// The module can be published on a proxy, and used from outside of the repository. It has no
// dependencies.
func TestPackage(t *testing.T) {
	const module, release = "slipway.example.com/slipway", "v1.0.0"
	proxy, project := t.TempDir(), t.TempDir()
	versions := filepath.Join(proxy, module, "@v")
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		filepath.Join(versions, "list"):          release + "\n",
		filepath.Join(versions, release+".info"): `{"Version": "` + release + `"}`,
		filepath.Join(versions, release+".mod"):  string(mod),
		filepath.Join(project, "go.mod"):         "module example.com/project\n\ngo 1.24\n",
		filepath.Join(project, "main.go"):        consumer,
	} {
		write(t, file, text)
	}
	zipModule(t, filepath.Join(versions, release+".zip"), module+"@"+release)

	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy), "GOSUMDB=off", "GOFLAGS=-modcacherw",
			"GOMODCACHE="+filepath.Join(proxy, "cache"), "GOTOOLCHAIN=local", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("get", module+"@"+release)
	run("mod", "download")
	equal(t, run("run", "."), "true true available\n", "output")
	equal(t, run("list", "-m", "all"), "example.com/project\n"+module+" "+release+"\n", "modules")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// zipModule packs this module as a proxy serves it.
func zipModule(t *testing.T, file, prefix string) {
	t.Helper()
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z := zip.NewWriter(out)
	err = filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		w, err := z.Create(prefix + "/" + filepath.ToSlash(path))
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
