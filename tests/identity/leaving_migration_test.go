package identity

import (
	"os"
	"strings"
	"testing"

	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The migration finds the users of earlier keys of slipway login, and who created earlier
// webhooks, channels and calendars. Otherwise they would survive their users.
func TestMigratedCreators(t *testing.T) {
	file, err := os.ReadFile("../../internal/platform/db/migrations/0068_created_by.sql")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		x := belongingsOf(t, s, newClient(t, s, nil))
		s.Exec(`UPDATE users SET name = 'Ann "Annie" Bell' WHERE id = ?`, x.p.ID)
		want := accessOf(s, x.p.ID)
		for _, table := range []string{"webhooks", "channels", "user_calendars"} {
			s.Exec(`UPDATE `+table+` SET created_by = ?`, `{"type":"system","id":"system","label":"Slipway"}`)
		}
		s.Exec(`UPDATE api_keys SET user_id = NULL`)
		assert.Equal(t, accessOf(s, x.p.ID)[people.WebhookAccess], 0, "before the migration")

		mine, other := "{postgres}", "{sqlite}"
		if s.DB.SQLite() {
			mine, other = other, mine
		}
		var lines []string
		for line := range strings.Lines(string(file)) {
			if !strings.HasPrefix(line, other) && !strings.HasPrefix(line, "--") {
				lines = append(lines, strings.TrimPrefix(line, mine))
			}
		}
		for statement := range strings.SplitSeq(strings.Join(lines, ""), ";") {
			if statement = strings.TrimSpace(statement); strings.HasPrefix(statement, "UPDATE") {
				s.Exec(statement)
			}
		}
		assert.Equal(t, accessOf(s, x.p.ID), want, "after the migration")
		keys := testkit.Rows[int64](s, `SELECT COUNT(*) FROM api_keys WHERE user_id IS NOT NULL`)[0]
		assert.Equal(t, keys, 1, "keys of slipway login")
	})
}
