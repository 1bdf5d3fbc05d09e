package clients

import (
	"strings"
	"testing"

	"slipway/internal/cli"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// IDs complete with their titles: by what people know, or by the ID.
func TestCompleteIDs(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-1013", "year": 2017, "make": "Grady-White", "model": "Express 330"})
		contact := s.Test.Contact(map[string]any{"first_name": "Dana", "last_name": "Reed", "email": "dana@example.com"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		var l struct{ ID string }
		s.Test.Post("/v1/locations", map[string]any{"name": "Kent Island"}, 201, &l)

		env := map[string]string{"SLIPWAY_BASE_URL": s.URL, "SLIPWAY_KEY": s.Test.Key}
		session := &cli.Session{Getenv: func(name string) string { return env[name] }, Config: t.TempDir()}
		complete := func(line string) (found []string) {
			words := strings.Split(line, " ")
			for _, c := range cli.Complete(t.Context(), session, words[0], words[1:]) {
				found = append(found, c.Text+"\t"+c.Help)
			}
			return found
		}
		for line, want := range map[string]string{
			"hulls get GW-":                     "GW-1013\tGW-1013 2017 Grady-White Express 330",
			"deals create --hull-id GW-":        "GW-1013\tGW-1013 2017 Grady-White Express 330",
			"contacts get dana":                 "dana@example.com\tdana@example.com Dana Reed",
			"leads get lead_":                   lead + "\tDana Reed new web",
			"leads get --jq .id lead_":          lead + "\tDana Reed new web",
			"hulls list --location-id " + l.ID:  l.ID + "\tKent Island", // a shell would split the name
			"hulls get GW-1013 ":                "",
			"hulls get nothing":                 "",
			"hulls get-photo-content GW-1013 x": "",
		} {
			assert.Equal(t, strings.Join(complete(line), "\n"), want, line)
		}
		env["SLIPWAY_BASE_URL"] = "http://127.0.0.1:1"
		assert.Len(t, complete("hulls get GW-"), 0, "without a server")
	})
}
