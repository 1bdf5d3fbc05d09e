//go:build clients

package identity

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// npm packages check the responses against the RFCs, and compare what filters find and
// what changes do. Run with `make test-scim`.
func TestNodeSCIM(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		node := exec.CommandContext(t.Context(), "node", os.Getenv("SLIPWAY_NODE_SCIM"))
		node.Env = append(os.Environ(), "BASE="+p.URL+"/scim/v2", "TOKEN="+p.scim.Key, "DOMAIN="+domain)
		node.Stderr = t.Output()
		if out, err := node.Output(); err != nil || strings.TrimSpace(string(out)) != "done" {
			t.Errorf("got %s, %v; want a complete run", out, err)
		}
	})
}
