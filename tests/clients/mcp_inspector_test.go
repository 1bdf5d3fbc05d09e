//go:build inspector

package clients

import (
	"os"
	"os/exec"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The official inspector lists and calls tools over both transports. See scripts/test-mcp.
func TestInspector(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-1003"})
	key := s.Key(scopes(allScopes)...)
	for name, target := range map[string][]string{
		"http":  {s.URL + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + key},
		"stdio": {"-e", "SLIPWAY_KEY=" + key, "-e", "SLIPWAY_BASE_URL=" + s.URL, os.Getenv("SLIPWAY_PROGRAM"), "mcp"},
	} {
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"--method", "tools/list"}, "find_boats"},
			{[]string{"--method", "tools/call", "--tool-name", "find_boats", "--tool-arg", "q=GW-1003"}, "GW-1003"},
			{[]string{"--method", "tools/call", "--tool-name", "find_operation", "--tool-arg", "q=list locations"}, "listLocations"},
			{[]string{"--method", "tools/call", "--tool-name", "report", "--tool-arg", "report=inventory"}, "buckets"},
			{[]string{"--method", "tools/call", "--tool-name", "get_lead", "--tool-arg", "lead_id=lead_1"}, "isError"},
		} {
			args := append(append([]string{"--cli"}, target...), c.args...)
			out, err := exec.CommandContext(t.Context(), os.Getenv("SLIPWAY_INSPECTOR"), args...).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
			assert.Contains(t, string(out), c.want, name)
		}
	}
}
