package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// The command line lists, invites and unlocks users, and lists and revokes keys. All
// changes are in the audit log.
func TestUsersAndKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		inTest := func(args ...string) []string { return append(args, "--environment", "test") }
		admin := []string{"keys", "create", "--dealership", d.DealershipID, "--environment", "test", "--scopes", "admin", "--user", d.Owner.Email}
		codes := d.Owner.TestRecoveryCodes

		// A recovery code of bootstrap works instead of a code of the app, once.
		key := strings.Fields(p.enters(codes[0]).text(admin...))[0]
		assert.Contains(t, p.enters(codes[0]).fail(admin...), "code is wrong")
		for range 4 {
			assert.Contains(t, p.enters("000-000").fail(admin...), "code is wrong")
		}
		assert.Contains(t, p.enters(codes[1]).fail(admin...), "locked")
		assert.Equal(t, p.text(inTest("users", "unlock", "OWNER@example.com")...), "OWNER@example.com can enter two-factor codes again.\n")
		assert.Equal(t, p.text(inTest("users", "unlock", "owner@example.com")...), "owner@example.com was not locked.\n")
		p.enters(codes[1]).text(admin...)

		assert.Contains(t, p.fail(inTest("users", "invite", "ann@example.com", "--role", "captain")...),
			"Role captain not found. Use one of: owner, manager, sales, finance, marketing, viewer.")
		assert.Contains(t, p.text(inTest("users", "invite", "ann@example.com", "--name", "Ann Bell", "--role", "sales")...), "was invited")
		assert.Contains(t, p.fail(inTest("users", "invite", "ann@example.com", "--role", "sales")...), "already used")
		users := p.text(inTest("users", "list")...)
		assert.Contains(t, users, "ann@example.com    Ann Bell           invited  sales  off")
		var listed []struct{ Email, Status string }
		p.run(&listed, inTest("users", "list", "--json")...)
		assert.Len(t, listed, 2)

		s := p.serve()
		assert.Eventually(t, "the invitation in the outbox folder", func() bool {
			mails, _ := filepath.Glob(filepath.Join(p.data, "outbox", "invitation-*.eml"))
			if len(mails) == 0 {
				return false
			}
			text, err := os.ReadFile(mails[0])
			return err == nil && strings.Contains(string(text), "http://localhost:8080/oauth/invitations/")
		})

		var keys []struct{ ID, Prefix string }
		p.run(&keys, inTest("keys", "list", "--json")...)
		assert.Len(t, keys, 2)
		assert.Equal(t, s.send("GET", "/v1/me", key, "", nil).status, 200, "before the key is revoked")
		assert.Contains(t, p.text("keys", "revoke", keys[0].ID), "The key Command line ("+keys[0].Prefix+") is revoked.")
		assert.Equal(t, s.send("GET", "/v1/me", key, "", nil).status, 401, "after the key is revoked")
		assert.Contains(t, p.text(inTest("keys", "list")...), "revoked")
		assert.Contains(t, p.fail("keys", "revoke", "key_1"), "API key key_1 not found")

		other := strings.Fields(p.enters(codes[2]).text(admin...))[0]
		var audit struct{ Data []struct{ Action string } }
		a := s.send("GET", "/v1/audit?limit=100", other, "", nil)
		if err := json.Unmarshal(a.body, &audit); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"user.unlocked", "user.provisioned", "api_key.revoked", "api_key.created", "recovery_code.used"} {
			assert.Contains(t, string(a.body), `"action":"`+want+`"`)
		}
	})
}
