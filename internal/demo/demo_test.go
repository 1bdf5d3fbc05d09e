package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"slipway/internal/app"
	"slipway/internal/appointments"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

var noon = time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)

// fleetRequests returns the requests of all boats.
func fleetRequests() map[*boat][]request {
	all := map[*boat][]request{}
	for _, b := range fleet() {
		b.env = &environment{locations: map[string]string{"ANN": "loc_a", "BAL": "loc_b"}}
		all[b] = b.requests(noon)
	}
	return all
}

// The examples in the README depend on this.
func TestSameOnEachStart(t *testing.T) {
	plan := func() map[string][]string {
		lines := map[string][]string{}
		for b, requests := range fleetRequests() {
			for _, r := range requests {
				text, err := wire.Marshal(r.body)
				if err != nil {
					t.Fatal(err)
				}
				lines[b.stockNumber()] = append(lines[b.stockNumber()], fmt.Sprintf("%s %s %s %s", r.at, r.method, r.path, text))
			}
		}
		return lines
	}
	if diff := cmp.Diff(plan(), plan()); diff != "" {
		t.Error(diff)
	}
}

func TestFleetIsVaried(t *testing.T) {
	counts, hins := map[string]int{}, map[string]bool{}
	for b, requests := range fleetRequests() {
		created := requests[0].body.(hulls.HullCreate)
		status := created.Status
		for _, r := range requests {
			if !r.at.Before(noon) || r.at.Before(noon.AddDate(0, 0, -days)) {
				t.Errorf("%s: got %s %s at %s, want it within the %d days before %s", b.title(), r.method, r.path, r.at, days, noon)
			}
			switch body := r.body.(type) {
			case hulls.HullTransition:
				status = body.To
			case hulls.HullArchive:
				status = hulls.Archived
			}
		}
		category, _, _ := strings.Cut(b.model["class"], "-")
		for _, what := range []string{string(status), category, b.condition, string(created.Ownership), b.model["class"]} {
			counts[what]++
		}
		if n := b.hin(); n != nil {
			if d := hin.Decode(*n, noon); !d.Valid || len(d.Warnings) > 0 || (d.ModelYear != nil && *d.ModelYear != b.year) {
				t.Errorf("%s, HIN %s: got errors %v and warnings %v, want a valid HIN of %d", b.title(), *n, d.Errors, d.Warnings, b.year)
			}
			if hins[*n] {
				t.Errorf("%s: HIN %s is already used by another boat", b.title(), *n)
			}
			hins[*n] = true
		}
	}
	for _, want := range []string{
		"on_order", "in_transit", "available", "on_hold", "not_for_sale", "archived", "power", "sail", "unpowered", "power-pwc",
		"order", "new", "demo", "used", "owned", "floorplan", "consignment", "brokerage",
	} {
		if counts[want] < 5 {
			t.Errorf("got %d boats that are %s, want at least 5", counts[want], want)
		}
	}
}

// All request bodies match the schemas.
func TestBodiesMatchSchemas(t *testing.T) {
	schemas := app.Described().Stable().Components.Schemas
	for b, requests := range fleetRequests() {
		for _, r := range requests {
			name := strings.TrimPrefix(fmt.Sprintf("%T", r.body), "hulls.")
			switch {
			case r.method == http.MethodPatch:
				name = "HullPatch"
			case r.path == "/pricing":
				name = "HullPricingReplace"
			}
			text, err := wire.Marshal(r.body)
			if err != nil {
				t.Fatal(err)
			}
			var body any
			if err := json.Unmarshal(text, &body); err != nil {
				t.Fatal(err)
			}
			var found huma.ValidateResult
			huma.Validate(schemas, schemas.Map()[name], huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, body, &found)
			for _, err := range found.Errors {
				t.Errorf("%s: %s: %v", b.title(), name, err)
			}
		}
	}
}

// partOfFleet returns some of the boats, including those in the README and those
// of the deals. The whole fleet takes half a minute with the race detector.
func partOfFleet() []*boat {
	_, deals, err := story()
	if err != nil {
		panic(err)
	}
	sold := map[string]bool{}
	for _, s := range deals {
		sold[s.Boat] = true
	}
	return slices.DeleteFunc(fleet(), func(b *boat) bool {
		return b.number%10 != 0 && b.model["make"] != "Grady-White" && b.model["make"] != "Boston Whaler" && !sold[b.stockNumber()]
	})
}

func TestSeed(t *testing.T) {
	set := app.Settings{Data: t.TempDir(), Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 100, TestRate: 100, AddressRate: 100}
	// At noon, so that the day doesn't change during the test.
	year, month, day := time.Now().In(maryland).Date()
	toNoon := time.Until(time.Date(year, month, day, 12, 0, 0, 0, maryland))
	clock := func() time.Time { return time.Now().Add(toNoon) }
	w, err := seed(t.Context(), set, clock(), partOfFleet)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.DB.Now = clock
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &seeder{App: a}
	for _, tt := range []struct {
		key, query string
		least      int
	}{{w.TestKey, "", 30}, {w.TestKey, "status=on_order", 2}, {w.TestKey, "status=on_hold", 1}, {w.LiveKey, "", 3}} {
		var p page.Page[hulls.Hull]
		if err := s.as(tt.key).send(t.Context(), http.MethodGet, "/v1/hulls?limit=100&"+tt.query, nil, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Data) < tt.least {
			t.Errorf("%q: got %d boats, want at least %d", tt.query, len(p.Data), tt.least)
		}
	}

	var list page.Page[hulls.Hull]
	if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v1/hulls?limit=100&status=available", nil, &list); err != nil {
		t.Fatal(err)
	}
	photos := int64(0)
	for _, h := range list.Data {
		if photos += h.PhotoCount; len(h.PublishedChannels) == 0 {
			t.Errorf("hull %s is not published on a channel", h.ID)
		}
	}
	if photos == 0 {
		t.Error("got no photos, want some")
	}

	var p page.Page[leads.Lead]
	if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v1/leads?limit=100", nil, &p); err != nil {
		t.Fatal(err)
	}
	statuses := map[leads.Status]int{}
	for _, l := range p.Data {
		statuses[l.Status]++
	}
	for _, want := range []leads.Status{leads.StatusNew, leads.Contacted, leads.Qualified, leads.Working, leads.Converted, leads.Lost} {
		if statuses[want] < 5 {
			t.Errorf("got leads %v, want at least 5 that are %s", statuses, want)
		}
	}
	if n := len(p.Data); n < 55 || n > 70 {
		t.Errorf("got %d leads, want about 60", n)
	}

	var sold page.Page[deals.Deal]
	if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v1/deals?limit=100", nil, &sold); err != nil {
		t.Fatal(err)
	}
	dealStatuses, unwound, brokerage, ordered := map[string]int{}, 0, 0, 0
	for _, d := range sold.Data {
		dealStatuses[string(d.Status)]++
		if d.UnwoundAt != nil {
			unwound++
		}
		if d.SaleType == deals.Brokerage && d.Status == deals.Funded {
			brokerage++
		}
		var h hulls.Hull
		if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v1/hulls/"+d.HullID, nil, &h); err != nil {
			t.Fatal(err)
		}
		if h.StockState == hulls.StockOnOrder && h.Status == hulls.Sold {
			ordered++
		}
		if d.Status == deals.Closed && d.Totals.BalanceDueCents > 0 || d.OwnerID == nil {
			t.Errorf("deal of %s: got balance %d and owner %v, want a closed deal to be paid, and an owner",
				d.CreatedAt, d.Totals.BalanceDueCents, d.OwnerID)
		}
	}
	want := map[string]int{
		"open": 5, "accepted": 2, "in_finance": 3, "contracted": 4, "funded": 2, "delivered": 3, "closed": 3, "cancelled": 3,
	}
	if diff := cmp.Diff(want, dealStatuses); diff != "" {
		t.Error(diff)
	}
	if unwound != 1 || brokerage != 1 || ordered != 1 {
		t.Errorf("got %d sales that were undone, %d for an owner and %d of a boat on order, want 1 of each", unwound, brokerage, ordered)
	}

	var booked page.Page[appointments.Appointment]
	if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v2-preview/appointments?limit=100", nil, &booked); err != nil {
		t.Fatal(err)
	}
	visits := map[appointments.Status]int{}
	for _, a := range booked.Data {
		visits[a.Status]++
	}
	wantVisits := map[appointments.Status]int{"scheduled": 6, "completed": 4, "no_show": 1, "canceled": 1}
	if diff := cmp.Diff(wantVisits, visits); diff != "" {
		t.Error(diff)
	}

	var users page.Page[people.User]
	if err := s.as(w.TestKey).send(t.Context(), http.MethodGet, "/v1/users?limit=100", nil, &users); err != nil {
		t.Fatal(err)
	}
	takers := 0
	for _, u := range users.Data {
		if u.Status != people.Active {
			t.Errorf("%s is %s, want active", u.Name, u.Status)
		}
		if u.TakesLeads {
			takers++
		}
	}
	if len(users.Data) != 6 || takers != 3 {
		t.Errorf("got %d users of whom %d take leads, want 6 and 3", len(users.Data), takers)
	}

	ctx, stop := context.WithCancel(t.Context())
	relayed := make(chan struct{})
	go func() {
		defer close(relayed)
		a.Relay.Run(ctx)
	}()
	program := buildProgram(t)
	for _, file := range []string{"README.md", "docs/tour.md", "docs/command-line.md", "docs/mcp.md"} {
		t.Run(file, func(t *testing.T) { testTour(t, "../../"+file, a.Handler, w, program) })
	}
	t.Run("mcp", func(t *testing.T) { testAssistant(t, "../../docs/mcp.md", a.Handler, w, program) })
	stop()
	<-relayed
}
