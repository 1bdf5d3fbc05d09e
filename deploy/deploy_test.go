// Package deploy_test checks the files for containers, systemd and Kubernetes.
package deploy_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"slipway/internal/app"
)

var files = []string{"Dockerfile", "../compose.yaml", "kubernetes/bootstrap.yaml", "kubernetes/slipway.yaml", "systemd/slipway.service"}

// Each setting that a file sets exists.
func TestSettingsExist(t *testing.T) {
	var known []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Settings]()) {
		known = append(known, f.Tag.Get("env"))
	}
	variable := regexp.MustCompile(`SLIPWAY_[A-Z_]*[A-Z]`)
	for _, name := range files {
		found := variable.FindAllString(read(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s has no settings", name)
		}
		for _, v := range found {
			if !slices.Contains(known, v) {
				t.Errorf("%s sets %s, which is not a setting", name, v)
			}
		}
	}
}

// The YAML files are valid, without duplicate keys, and run no container as root.
func TestYAML(t *testing.T) {
	kinds := []string{}
	for _, doc := range append(documents(t, "kubernetes/bootstrap.yaml"), documents(t, "kubernetes/slipway.yaml")...) {
		kinds = append(kinds, doc["kind"].(string))
		if name, _ := doc["metadata"].(map[string]any)["name"].(string); doc["apiVersion"] == nil || !strings.HasPrefix(name, "slipway") {
			t.Errorf("%v: apiVersion and a name that starts with slipway are required", doc["kind"])
		}
	}
	if want := []string{"Job", "ConfigMap", "Deployment", "Service", "PodDisruptionBudget"}; !slices.Equal(kinds, want) {
		t.Errorf("got the objects %v, want %v", kinds, want)
	}
	for _, name := range files {
		if strings.Contains(read(t, name), ":latest") {
			t.Errorf("%s has an image without a version", name)
		}
	}
	kubernetes, compose, image := read(t, "kubernetes/slipway.yaml"), read(t, "../compose.yaml"), read(t, "Dockerfile")
	for _, part := range []string{"runAsNonRoot: true", "readOnlyRootFilesystem: true", "path: /readyz", "path: /healthz"} {
		if !strings.Contains(kubernetes, part) {
			t.Errorf("the Kubernetes manifest doesn't contain %q", part)
		}
	}
	services := documents(t, "../compose.yaml")[0]["services"].(map[string]any)
	for _, name := range []string{"slipway", "database", "files", "bucket"} {
		if services[name] == nil {
			t.Errorf("compose.yaml has no service %s", name)
		}
	}
	if !strings.Contains(compose, "read_only: true") {
		t.Error("the root file system of compose.yaml is writable")
	}
	for _, part := range []string{"FROM scratch", "USER 65532:65532", `HEALTHCHECK`, `"/slipway", "health"`} {
		if !strings.Contains(image, part) {
			t.Errorf("the Dockerfile doesn't contain %q", part)
		}
	}
}

// systemd accepts the unit, and rates its exposure as low.
func TestSystemdUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("systemd-analyze is missing")
		}
		t.Skip("systemd-analyze is missing")
	}
	// The program and the user are only on the machine that it is installed on.
	unit := strings.NewReplacer("/usr/local/bin/slipway", "/bin/true", "User=slipway", "User=nobody", "Group=slipway", "").
		Replace(read(t, "systemd/slipway.service"))
	file := t.TempDir() + "/slipway.service"
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--man=no", file}, {"security", "--offline=true", "--threshold=20", file}} {
		if out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documents parses a file with one or more YAML documents.
func documents(t *testing.T, name string) (docs []map[string]any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, name))))
	for {
		var doc map[string]any
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		docs = append(docs, doc)
	}
}
