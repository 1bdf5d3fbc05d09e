package main_test

import (
	"testing"

	"slipway/internal/testkit/assert"
)

// Each command that opens the database refuses one that a newer version has migrated,
// and says what to do.
func TestNewerSchema(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		p.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, TRUE)`)
		commands := map[string][]string{
			"serve":                {"serve"},
			"migrate":              {"migrate"},
			"bootstrap":            {"bootstrap", "--name", "Other Marine", "--owner", "other@example.com"},
			"keys create":          {"keys", "create", "--dealership", d.DealershipID, "--environment", "test", "--scopes", "hulls:read"},
			"keys rotate-master":   {"keys", "rotate-master"},
			"keys list":            {"keys", "list"},
			"keys revoke":          {"keys", "revoke", "key_1"},
			"dealerships list":     {"dealerships", "list"},
			"users list":           {"users", "list"},
			"users invite":         {"users", "invite", "ann@example.com", "--role", "sales"},
			"users unlock":         {"users", "unlock", d.Owner.Email},
			"users reset":          {"users", "reset", d.Owner.Email, "--environment", "test"},
			"sso verify-domain":    {"sso", "verify-domain", "example.com", "--dealership", d.DealershipID},
			"audit verify":         {"audit", "verify"},
			"audit head":           {"audit", "head"},
			"audit refusals":       {"audit", "refusals"},
			"trigger hull.created": {"trigger", "hull.created"},
		}
		for name, args := range commands {
			text := p.fail(args...)
			assert.Contains(t, text, "a newer version of Slipway has migrated this database: its schema is 9001", name)
			assert.Contains(t, text, "Start the newer version, or restore a backup", name)
		}
	})
}
