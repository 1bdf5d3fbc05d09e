//go:build clients

package identity

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"slipway/internal/testkit"
)

// The npm packages oauth4webapi and openid-client reject responses that don't follow
// the RFCs exactly. Run with `make test-clients`.
func TestNodeClients(t *testing.T) {
	for _, library := range []string{"oauth4webapi", "openid-client"} {
		t.Run(library, func(t *testing.T) {
			testkit.Each(t, func(t *testing.T, s *testkit.Server) { runNode(t, s, library) })
		})
	}
}

func runNode(t *testing.T, s *testkit.Server, library string) {
	t.Helper()
	c, b := newClient(t, s, nil), signedIn(s, s.Person("manager"))
	node := exec.CommandContext(t.Context(), "node", os.Getenv("SLIPWAY_NODE_CLIENTS"), library)
	node.Env = append(os.Environ(), "ISSUER=http://localhost/oauth", "SERVER="+s.URL, "CLIENT_ID="+c.app.ClientID,
		"CLIENT_SECRET="+c.app.Secret, "REDIRECT_URI="+callback)
	node.Stderr = t.Output()
	input, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}

	done := false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		line := lines.Text()
		if done = line == "done"; done {
			break
		}
		v := b.Open(strings.Replace(line, "http://localhost", s.URL, 1))
		if v.StatusCode == 200 {
			v = b.Submit(v, "decision", "allow")
		}
		if _, err := fmt.Fprintln(input, v.Header.Get("Location")); err != nil {
			t.Fatal(err)
		}
	}
	if err := node.Wait(); err != nil || !done {
		t.Errorf("got %v, want a complete run", err)
	}
}
