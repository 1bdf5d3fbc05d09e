package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/cli"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A boat is created with flags and JSON, changed by its stock number, and a conflict has its
// own exit code.
func TestCreateAndChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		s.Test.Post("/v1/locations", map[string]any{"name": "Harbor West"}, 201, nil)
		id := m.ok("hulls", "create", "--make", "Grady-White", "--model", "Freedom 235", "--year", "2024", "--length-ft", "23.58", "--price-usd", "124900",
			"--hin", "US-GRT40912G324", "--stock-number", "GW-1042", "--location-id", "harbor west", "-d", `{"metadata": {"color": "blue"}}`, "-o", "id")

		var h hulls.Hull
		m.ok("hulls", "update", "gw-1042", "--title", "One owner", "--if-version", "1")
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		assert.Equal(t, *h.Title, "One owner")
		assert.Equal(t, h.Metadata["color"], "blue")
		assert.Equal(t, h.LengthFt, 23.58)
		m.ok("hulls", "update", "GRT40912G324", "--title", "null", "-o", "json")
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		if h.Title != nil {
			t.Errorf("got the title %q, want none", *h.Title)
		}

		assert.Contains(t, m.fails(cli.ExitConflict, "hulls", "update", id, "--title", "Late", "--if-version", "1"), "409 conflict, request req_")
		assert.Contains(t, m.fails(cli.ExitFailed, "hulls", "update", id, "--year", "1"), "year ")
		assert.Contains(t, m.fails(cli.ExitFailed, "hulls", "get", "GW-10"), `no hull matches "GW-10"`)
		assert.Contains(t, m.fails(cli.ExitFailed, "hulls", "get", "hull_missing"), "404 not_found")
		m.env["SLIPWAY_KEY"] = s.Test.Key[:len(s.Test.Key)-1] + "x"
		assert.Contains(t, m.fails(cli.ExitNotSignedIn, "hulls", "list"), "401 unauthenticated")
		m.env["SLIPWAY_KEY"] = ""
		assert.Contains(t, m.fails(cli.ExitNotSignedIn, "hulls", "list"), "slipway login")
	})
}

// A name that fits several resources is an error that lists them.
func TestNames(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		for range 2 {
			s.Test.Post("/v1/locations", map[string]any{"name": "Twin Harbor"}, 201, nil)
		}
		text := m.fails(cli.ExitFailed, "dealership", "get-location", "Twin Harbor")
		assert.Contains(t, text, "several resources match")
		assert.Equal(t, strings.Count(text, "loc_"), 2, text)

		contact := s.Test.Contact(map[string]any{"email": "ann@example.com", "last_name": "Bell"})
		assert.Contains(t, m.ok("contacts", "get", "ANN@example.com"), contact)
		user := s.Test.User(map[string]any{"email": "ben@example.com", "name": "Ben Ray"})
		lead := s.Test.Lead(nil)
		assert.Contains(t, m.ok("leads", "assign", lead, "--user-id", "ben@example.com"), user)
		assert.Contains(t, m.ok("leads", "list", "--owner-id", "Ben Ray", "-o", "id"), lead)
	})
}

// Lists have pages, formats and filters.
func TestLists(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		for i := range 130 {
			s.Test.Post("/v1/locations", map[string]any{"name": fmt.Sprintf("Dock %03d", i)}, 201, nil)
		}
		assert.Equal(t, len(strings.Fields(m.ok("dealership", "list-locations", "-o", "id", "--limit", "7"))), 7)
		assert.Equal(t, len(strings.Fields(m.ok("dealership", "list-locations", "-o", "id", "--limit", "120"))), 120)
		all := strings.Fields(m.ok("dealership", "list-locations", "-o", "id", "--all"))
		if len(all) < 130 {
			t.Errorf("got %d locations with --all, want at least 130", len(all))
		}
		var page struct{ Data []json.RawMessage }
		if err := json.Unmarshal([]byte(m.ok("dealership", "list-locations", "--all")), &page); err != nil || len(page.Data) != len(all) {
			t.Errorf("got %d locations as JSON and error %v, want %d", len(page.Data), err, len(all))
		}
		assert.Equal(t, m.ok("dealership", "list-locations", "--limit", "1", "--jq", ".data[].name"), "Dock 129")
		lines := strings.Split(m.ok("dealership", "list-locations", "--limit", "2", "-o", "csv"), "\n")
		assert.Len(t, lines, 3)
		assert.Contains(t, lines[1], "Dock 129")

		// Formats for programs have all items. Where items are left out, stderr says so.
		for format, want := range map[string]int{"id": len(all), "jsonl": len(all), "csv": len(all) + 1} {
			r := m.run("dealership", "list-locations", "-o", format)
			assert.Equal(t, strings.Count(r.out, "\n"), want, format)
			assert.Equal(t, r.err, "", format)
		}
		const more = "There are more. To list all, add --all.\n"
		for args, want := range map[string]string{
			"-o table":                           more,
			"--jq .data[].id":                    more,
			"-o csv --limit 7":                   "There are more. --limit is 7.\n",
			"-o id --limit 120":                  "There are more. --limit is 120.\n",
			"-o jsonl --limit 500":               "",
			"-o table --all":                     "",
			"-o json":                            "", // has has_more
			"-o id --ending-before " + all[100]:  more,
			"-o id --starting-after " + all[100]: "",
		} {
			r := m.run(append([]string{"dealership", "list-locations"}, strings.Fields(args)...)...)
			assert.Equal(t, r.code, 0, args, r.err)
			assert.Equal(t, r.err, want, args)
		}

		for args, want := range map[string]string{
			"dealership list-locations -o xml":       "--output must be",
			"dealership list-locations --limti 3":    `did you mean "--limit"?`,
			"dealership list-location":               `did you mean "list-locations"?`,
			"dealership list-photos":                 `did you mean "slipway hulls list-photos"?`,
			"dealership get-location":                `expected "<location-id>"`,
			"dealership list-locations --jq .data[":  "--jq",
			"dealership list-locations --key sk_tes": "slipway login --key",
			"hulls create --data [1]":                "is not a JSON object",
			"api FETCH /v1/hulls":                    "is not a method",
			"hulls create --price-usd 5 --preview":   "the preview has no flag --price-usd",
		} {
			assert.Contains(t, m.fails(cli.ExitUsage, strings.Fields(args)...), want, args)
		}
	})
}

// Tables are for people: the columns of the type, US money and names.
func TestTables(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		var l struct{ ID string }
		s.Test.Post("/v1/locations", map[string]any{"name": "Annapolis"}, 201, &l)
		s.Test.Hull(l.ID, map[string]any{"make": "Grady-White", "model": "Express 330", "year": 2017, "price_usd": 286000, "stock_number": "GW-1013", "hin": nil, "hin_absent_reason": "not_yet_assigned"})
		s.Test.Hull(l.ID, map[string]any{"make": "Grady-White", "model": "Freedom 235", "year": 2027, "price_usd": 74900, "stock_number": "GW-1", "hin": nil, "hin_absent_reason": "not_yet_assigned"})
		assert.Equal(t, m.ok("hulls", "list", "--sort", "-price", "-o", "table"), ""+
			"STOCK    BOAT                          STATUS     LOCATION   DAYS     PRICE\n"+
			"GW-1013  2017 Grady-White Express 330  available  Annapolis     0  $286,000\n"+
			"GW-1     2027 Grady-White Freedom 235  available  Annapolis     0   $74,900")
		assert.Contains(t, m.ok("hulls", "list", "--status", "available", "-o", "table"), "  $286,000")
		m.session.Terminal, m.session.Width = true, 60
		for line := range strings.Lines(m.ok("hulls", "list")) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 60 {
				t.Errorf("got a line of %d characters on a terminal with 60: %s", n, line)
			}
		}
		assert.Contains(t, m.ok("hulls", "get", "GW-1"), "price_usd          $74,900\n")
	})
}

// Files are uploaded from a path, with progress on a terminal, and saved to a path.
func TestFiles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "B-1"})
		photo := filepath.Join(t.TempDir(), "bow.jpg")
		picture := testkit.Picture()
		if picture.Type == "image/png" {
			photo = strings.TrimSuffix(photo, "jpg") + "png"
		}
		write(t, photo, picture.Bytes)
		m.session.Interactive = true
		r := m.run("hulls", "upload-photo", "B-1", photo, "--caption", "At the dock", "-o", "id")
		if r.code != 0 || !strings.HasPrefix(r.out, "pho_") {
			t.Fatalf("got code %d, %q and %q, want the ID of a photo", r.code, r.out, r.err)
		}
		assert.Contains(t, r.err, "Uploading bow")
		assert.Contains(t, r.err, "100%")

		saved := filepath.Join(t.TempDir(), "saved")
		s.RunJobs()
		assert.Eventually(t, "the sizes of the photo", func() bool {
			return m.run("hulls", "get-photo-content", hull, strings.TrimSpace(r.out), "--save", saved).code == 0
		})
		if info, err := os.Stat(saved); err != nil || info.Size() == 0 {
			t.Errorf("got %v and error %v, want a file", info, err)
		}
		assert.Contains(t, m.fails(cli.ExitFailed, "hulls", "upload-photo", "B-1", "boat.txt"), "must be image/jpeg")
	})
}

// With a live key, each command that writes asks first.
func TestLive(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Live.Key)
		m.ok("dealership", "list-locations")
		create := []string{"dealership", "create-location", "--name", "Harbor West", "-o", "id"}
		assert.Contains(t, m.fails(cli.ExitUsage, create...), "Pass --yes to confirm")
		assert.Contains(t, m.fails(cli.ExitUsage, "api", "POST", "/v1/locations", "-d", `{"name": "x"}`), "Pass --yes to confirm")

		m.session.Interactive, m.session.In = true, strings.NewReader("\n")
		text := m.fails(cli.ExitFailed, create...)
		assert.Contains(t, text, "LIVE POST /v1/locations at "+s.URL)
		assert.Contains(t, text, "Nothing was changed")
		m.session.In = strings.NewReader("y\n")
		assert.Contains(t, m.ok(create...), "loc_")
		m.session.Interactive = false
		assert.Contains(t, m.ok(append(create, "--yes")...), "loc_")
		assert.Equal(t, len(strings.Fields(m.ok("dealership", "list-locations", "--jq", `.data[] | select(.name == "Harbor West") | .id`))), 2)
	})
}

// The proof of a two-factor method is in a variable: it is sent in the body or in a header.
func TestProof(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		create := []string{"access", "create-app", "--name", "Fleet Sync", "--redirect-uris", "https://app.example.com/callback", "--scopes", "admin", "-o", "id"}
		assert.Contains(t, m.fails(cli.ExitFailed, create...), "mfa_token")
		assert.Contains(t, m.fails(cli.ExitUsage, append(create, "--mfa-token", "x")...), "unknown flag --mfa-token")
		m.env["SLIPWAY_MFA_TOKEN"] = s.Test.Proof()
		app := m.ok(create...)
		m.env["SLIPWAY_MFA_TOKEN"] = s.Test.Proof()
		m.ok("access", "delete-app", app)
	})
}

// Api sends any request.
func TestAPI(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		m.session.In = strings.NewReader(`{"name": "Harbor West"}`)
		assert.Equal(t, m.ok("api", "post", "/v1/locations", "-d", "-", "--jq", ".name"), "Harbor West")
		assert.Contains(t, m.ok("api", "GET", "/v1/locations?limit=1"), `"name": "Harbor West"`)
		assert.Contains(t, m.fails(cli.ExitFailed, "api", "GET", "/v1/nothing"), "404")
		m.env["SLIPWAY_BASE_URL"] = "http://127.0.0.1:1"
		assert.Contains(t, m.fails(cli.ExitUnavailable, "api", "GET", "/v1/hulls"), "can't reach the server")
	})
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Reports are the CSV of the server, for -o csv, for a table and for a file.
func TestReportAsCSV(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, s.Test.Key)
		const months, deals = "month,deals,price_usd,", "deal_id,hull_id,stock_number,"
		assert.Contains(t, m.ok("reports", "get-gross", "-o", "csv"), deals)
		assert.Contains(t, m.ok("reports", "get-gross", "--table", "months"), months)
		assert.Contains(t, m.ok("reports", "get-gross", "-o", "json", "--limit", "5"), `"next_cursor": null`)
		assert.Contains(t, m.fails(cli.ExitFailed, "reports", "get-gross", "--table", "months", "-o", "json"), "requires the header Accept: text/csv")

		file := filepath.Join(t.TempDir(), "months.csv")
		m.ok("reports", "get-gross", "--table", "months", "--save", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		assert.Contains(t, string(text), months)
	})
}
