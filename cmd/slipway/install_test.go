package main_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// Commands don't create an installation by accident. Only bootstrap, demo and
// serve --init do.
func TestNothingIsCreated(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		p.data = filepath.Join(p.data, "missing")
		key := "SLIPWAY_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
		reasons := map[string][]string{"slipway.db doesn't exist": nil}
		if p.database != "" {
			reasons = map[string][]string{"there is no master key": nil, "has no tables of Slipway": {key}}
		}
		for reason, env := range reasons {
			p.env = env
			for _, args := range []string{
				"serve", "migrate", "dealerships list", "keys create --dealership dlr_1 --environment test --scopes hulls:read", "keys list",
				"keys revoke key_1", "keys rotate-master", "users list", "users invite a@example.com --role sales", "users reset a@example.com",
				"users unlock a@example.com", "sso verify-domain example.com --dealership dlr_1", "audit verify", "audit head", "audit refusals",
				"trigger hull.created", "maintenance on", "maintenance off", "maintenance status",
			} {
				text := p.fail(strings.Fields(args)...)
				assert.Contains(t, text, "Slipway is not installed here", args)
				assert.Contains(t, text, reason, args)
				assert.Contains(t, text, "slipway bootstrap --name NAME --owner EMAIL", args)
				if _, err := os.Stat(p.data); !os.IsNotExist(err) {
					t.Fatalf("%s: got error %v for the data folder, want that it doesn't exist", args, err)
				}
			}
		}
		assert.Contains(t, p.fail("bootstrap", "--name", " ", "--owner", "a@example.com"), "--name must have 1 to 200 characters")

		s := p.serve("--init")
		stop(t, s)
		assert.Contains(t, s.log.String(), "no dealership exists yet")
		assert.Contains(t, s.log.String(), "but the server listens on port")
		assert.Equal(t, p.text("dealerships", "list"), "ID  NAME  PLAN  CREATED\n")
		p.bootstrap()
		s = p.serve()
		stop(t, s)
		assert.Excludes(t, s.log.String(), "no dealership exists yet")
	})
}

// stop stops a server and waits until it has ended.
func stop(t *testing.T, s *server) {
	t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.done
}

// One server runs on a data folder with SQLite. Commands still work, and another server
// can start when the first has ended, however it ended.
func TestSecondServer(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	d := p.bootstrap()
	s := p.serve()
	assert.Contains(t, p.fail("serve"), "another server (process "+strconv.Itoa(s.cmd.Process.Pid)+") already runs on the data folder "+p.data)
	assert.Equal(t, s.ready(), 200, "/readyz of the first server")
	p.key(d.DealershipID, "live", "hulls:read")
	p.text("audit", "verify")

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	p.serve()
}

// A dealership with the same name is only created if that is confirmed, and a lost ID
// can be found.
func TestBootstrapTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		text := p.fail("bootstrap", "--name", "ACME Marine ", "--owner", "owner@example.com", "--json")
		assert.Contains(t, text, "the dealership Acme Marine already exists ("+d.DealershipID+")")
		assert.Contains(t, text, "add --yes")
		var second bootstrapped
		p.run(&second, "bootstrap", "--name", "Acme Marine", "--owner", "owner@example.com", "--json", "--yes")

		var listed []struct{ ID, Name, Plan string }
		p.run(&listed, "dealerships", "list", "--json")
		assert.Len(t, listed, 2)
		assert.Equal(t, listed[0].ID, d.DealershipID)
		assert.Equal(t, listed[1].ID, second.DealershipID)
		assert.Contains(t, p.text("dealerships", "list"), d.DealershipID+"  Acme Marine  standard")
		assert.Contains(t, p.fail("users", "list"), "There are 2 dealerships. Choose one with --dealership.")

		assert.Len(t, d.Owner.LiveRecoveryCodes, 10)
		assert.Len(t, d.Owner.TestRecoveryCodes, 10)
		if slices.Contains(d.Owner.TestRecoveryCodes, d.Owner.LiveRecoveryCodes[0]) {
			t.Error("got the same recovery codes for both environments, want different ones")
		}
		assert.Contains(t, d.Owner.LiveTOTPURI, "otpauth://totp/")
		assert.Contains(t, d.Owner.LiveTOTPURI, "secret="+d.Owner.LiveTOTPSecret)

		out := p.text("bootstrap", "--name", "Other Marine", "--owner", "owner@example.com")
		for _, want := range []string{"Live environment", "Test environment", "TOTP secret", "otpauth://totp/", "Recovery codes",
			"--scopes hulls:read,hulls:write,leads:read,leads:write,deals:read,deals:write,webhooks,admin"} {
			assert.Contains(t, out, want)
		}
	})
}
