package app

import (
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

func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	folder, err := filepath.Abs("../../sdk/python")
	assert.NoError(t, err)
	c := exec.Command("python3", args...)
	c.Dir, c.Env = folder, append(os.Environ(), "PYTHONPATH="+folder, "PYTHONDONTWRITEBYTECODE=1")
	return c
}

// The Python SDK calls each operation once, and the requests and responses have the types that
// it says. Lists are the same with asyncio.
func TestPythonSDK(t *testing.T) {
	s := testkit.OnSQLite(t)
	program := startSDK(t, python(t, "tests/conformance.py"))
	eachSDKCall(t, s, sdkModel(t, version.Latest()), func(t *testing.T, m sdkgen.Method, c sdkCall) {
		c.Family, c.Method = sdkgen.PythonName(c.Family), sdkgen.PythonName(m.Name)
		program.call(t, c)
	})
}

func TestPythonSDKExamples(t *testing.T) {
	checkSDKExamples(t, func(t *testing.T, name string, env []string) string {
		t.Helper()
		c := python(t, "examples/"+name+".py")
		return output(t, c, append(env, c.Env[len(os.Environ()):]...))
	})
}

// The samples of the README are Python, and the tests of the SDK itself pass.
func TestPythonSDKItself(t *testing.T) {
	if out, err := python(t, "-m", "unittest", "discover", "-t", ".", "-s", "tests").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	text, err := os.ReadFile("../../sdk/python/README.md")
	assert.NoError(t, err)
	for i, block := range strings.Split(string(text), "```python\n")[1:] {
		code, _, _ := strings.Cut(block, "```")
		c := python(t, "-c", "import ast, sys; compile(sys.stdin.read(), 'README.md', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)")
		c.Stdin = strings.NewReader(code)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("sample %d: %v\n%s", i, err, out)
		}
	}
}
