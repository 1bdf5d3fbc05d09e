//go:build sdkts

package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/sdkgen"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// sdkFolder is a copy of sdk/ts with its packages and dist. scripts/test-sdk-ts creates it.
var sdkFolder = os.Getenv("SLIPWAY_SDK_TS")

func nodeJS(t *testing.T, file string) *exec.Cmd {
	t.Helper()
	c := exec.Command("node", file)
	c.Dir = sdkFolder
	return c
}

// The TypeScript SDK calls each operation once. The requests and responses are then
// compiled as literals of their types: an unknown or missing field is an error.
func TestTypeScriptSDK(t *testing.T) {
	s := testkit.OnSQLite(t)
	program := startSDK(t, nodeJS(t, "test/conformance.ts"))
	var literals strings.Builder
	literals.WriteString(`import type { Slipway } from "slipway-sdk";` + "\n")
	eachSDKCall(t, s, sdkModel(t, version.Latest()), func(t *testing.T, m sdkgen.Method, c sdkCall) {
		c.Family, c.Method = sdkgen.TSName(c.Family), sdkgen.TSName(m.Name)
		path := "Slipway"
		if c.Preview {
			path += `["preview"]`
		}
		path += fmt.Sprintf("[%q][%q]", c.Family, c.Method)
		name := strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestTypeScriptSDK/"), ".", "_")

		response := program.call(t, c)
		if len(c.Body) > 0 {
			fmt.Fprintf(&literals, "export const %s_request: Parameters<%s>[%d] = %s;\n", name, path, len(c.IDs), c.Body)
		}
		if len(response) > 0 {
			fmt.Fprintf(&literals, "export const %s: Awaited<ReturnType<%s>> = %s;\n", name, path, response)
		}
	})

	assert.NoError(t, os.WriteFile(filepath.Join(sdkFolder, "test", "literals.ts"), []byte(literals.String()), 0o600))
	compile := exec.Command("npm", "run", "--silent", "check")
	compile.Dir = sdkFolder
	if out, err := compile.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTypeScriptSDKExamples(t *testing.T) {
	checkSDKExamples(t, func(t *testing.T, name string, env []string) string {
		t.Helper()
		return output(t, nodeJS(t, "examples/"+name+".ts"), env)
	})
}

// The package of the server is for the script, which installs it.
func TestServedNPMPackage(t *testing.T) {
	s := testkit.OnSQLite(t)
	res, err := http.Get(s.URL + "/sdk/ts.tgz")
	assert.NoError(t, err)
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	assert.NoError(t, err)
	assert.NoError(t, os.WriteFile(filepath.Join(sdkFolder, "served.tgz"), content, 0o600))
}
