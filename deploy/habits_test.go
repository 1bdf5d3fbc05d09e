package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"slipway/internal/testkit/assert"
)

// The workflows only run commands that exist, so that a machine of any service can do the same.
func TestWorkflows(t *testing.T) {
	makefile := read(t, "../Makefile")
	for _, name := range []string{"check", "release"} {
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Minutes int `yaml:"timeout-minutes"`
				Steps   []struct{ Uses, Run string }
			}
		}
		assert.NoError(t, yaml.Unmarshal([]byte(read(t, "../.github/workflows/"+name+".yml")), &workflow), name)
		if len(workflow.Permissions) != 1 || len(workflow.Jobs) == 0 {
			t.Errorf("%s: got permissions %v and %d jobs, want one permission and a job", name, workflow.Permissions, len(workflow.Jobs))
		}
		for id, job := range workflow.Jobs {
			if job.Minutes == 0 {
				t.Errorf("%s: %s has no time limit", name, id)
			}
			for _, step := range job.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: %q contains a value of the event, which can be a command", name, step.Run)
				}
				if target, ok := strings.CutPrefix(step.Run, "make "); ok && !strings.Contains(makefile, "\n"+target+":") {
					t.Errorf("%s: there is no make %s", name, target)
				}
				if file, _, _ := strings.Cut(step.Run, " "); strings.HasPrefix(file, "scripts/") || strings.HasPrefix(file, ".ci/") {
					info, err := os.Stat("../" + file)
					if err != nil || info.Mode()&0o111 == 0 {
						t.Errorf("%s: %s can't be run: %v", name, file, err)
					}
				}
			}
		}
	}
	assert.Contains(t, read(t, "../.github/workflows/check.yml"), "run: .ci/run")
}

// Everything that has dependencies is updated, and all files of the repository's habits are valid.
func TestHabits(t *testing.T) {
	var updates struct {
		Updates []struct{ Directories []string }
	}
	assert.NoError(t, yaml.Unmarshal([]byte(read(t, "../.github/dependabot.yml")), &updates))
	for _, u := range updates.Updates {
		for _, folder := range u.Directories {
			if info, err := os.Stat(filepath.Join("..", folder)); err != nil || !info.IsDir() {
				t.Errorf("dependabot.yml has the folder %s, which doesn't exist", folder)
			}
		}
	}
	forms, err := filepath.Glob("../.github/ISSUE_TEMPLATE/*.yml")
	assert.NoError(t, err)
	for _, file := range forms {
		var form map[string]any
		assert.NoError(t, yaml.Unmarshal([]byte(read(t, file)), &form), file)
	}
	var container struct{ Image string }
	assert.NoError(t, json.Unmarshal([]byte(read(t, "../.devcontainer/devcontainer.json")), &container))
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))[1]
	assert.Equal(t, container.Image, "golang:"+version)
	assert.Contains(t, read(t, "../.github/workflows/check.yml"), "container: golang:"+version)
	assert.Contains(t, read(t, "Dockerfile"), "FROM golang:"+version)
}
