package clients

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Times are printed in the zone of the machine.
func init() { time.Local = time.UTC }

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	file = "testdata/" + file
	if *update {
		write(t, file, []byte(got))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is outdated. Run `make sdk` and review the diff. Got:\n%s", file, got)
	}
}

// transcript runs commands, and returns them with their output.
func (m *machine) transcript(lines ...string) string {
	m.t.Helper()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("$ slipway " + line + "\n" + m.ok(strings.Fields(line)...) + "\n\n")
	}
	return b.String()
}

// The help is the same as the one that was reviewed.
func TestGoldenHelp(t *testing.T) {
	m := &machine{t: t, config: t.TempDir(), env: map[string]string{}}
	golden(t, "help.txt", m.transcript("hulls --help", "hulls list --help", "deals accept-offer --help", "hulls upload-photo --help",
		"access create-api-key --help", "webhooks replay-events --help", "search --help", "api --help", "login --help", "logout --help", "profiles --help"))
}

var (
	ids     = regexp.MustCompile(`\b([a-z]{2,4})_[0-9a-z]{26}\b`)
	columns = "hulls list -o table,hulls list -o wide,leads list -o table,leads list -o wide,leads list --sort last_activity -o table,deals list -o table," +
		"contacts list -o table,proposals list -o table,dealership list-locations -o table,appointments list -o table,hulls get GW-1013 -o table," +
		"deals get 1001 -o table,search express -o table"
)

// Tables are the same as those that were reviewed: with names, US money and dates.
func TestGoldenTables(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.StopClock(time.Date(2026, 5, 1, 14, 2, 0, 0, time.UTC))
		m := newMachine(t, s, s.Test.Key)
		var l struct{ ID string }
		s.Test.Post("/v1/locations", map[string]any{"name": "Annapolis"}, 201, &l)
		boat := func(changes map[string]any) string {
			changes["hin"], changes["hin_absent_reason"], changes["make"] = nil, "not_yet_assigned", "Grady-White"
			return s.Test.Hull(l.ID, changes)
		}
		boat(map[string]any{"model": "Freedom 235", "year": 2027, "price_usd": 74900, "stock_number": "GW-1"})
		hull := boat(map[string]any{"model": "Express 330", "year": 2017, "price_usd": 286000, "stock_number": "GW-1013", "received_on": "2026-04-01"})
		contact := s.Test.Contact(map[string]any{"first_name": "Dana", "last_name": "Reed", "email": "dana@example.com", "phone": "+14105550199"})
		user := s.Test.User(map[string]any{"email": "ben@example.com", "name": "Ben Ray"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "hull_id": hull, "contact": nil})
		s.Test.Post("/v1/leads/"+lead+"/assign", map[string]any{"user_id": user}, 200, nil)
		s.Test.Deal(map[string]any{"buyer_id": contact, "hull_id": hull, "owner_id": user, "offer_usd": 280000})
		s.Test.Post("/v2-preview/proposals", map[string]any{
			"operation_id": "assignLead", "path": map[string]string{"lead_id": lead}, "body": map[string]any{"user_id": user}, "reason": "Ben knows the boat.",
		}, 201, nil)
		s.Test.Post("/v2-preview/appointments", map[string]any{
			"kind": "showing", "starts_at": "2026-05-02T15:00:00Z", "user_id": user, "contact_id": contact, "hull_id": hull, "location_id": l.ID,
		}, 201, nil)
		text := m.transcript(strings.Split(columns, ",")...)
		golden(t, "tables.txt", ids.ReplaceAllString(text, "${1}_01jcqz8t5n8m2x4v6b7c9d0e1f"))
	})
}

// A key that can't read everything that a table shows gets IDs instead of names.
func TestNamesWithoutScopes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		contact := s.Test.Contact(map[string]any{"first_name": "Dana", "last_name": "Reed"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "hull_id": hull, "contact": nil})
		m := newMachine(t, s, s.Key("leads:read"))
		for _, args := range [][]string{{"leads", "list", "-o", "table"}, {"leads", "list", "--all", "-o", "table"}, {"leads", "get", lead, "-o", "table"}} {
			text := m.ok(args...)
			assert.Contains(t, text, "Dana Reed", args)
			assert.Contains(t, text, hull, args)
		}
	})
}
