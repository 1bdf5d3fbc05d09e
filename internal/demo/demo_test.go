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
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

var noon = time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)

// lives are all boats with what happens to them.
func lives() map[*boat][]act {
	all := map[*boat][]act{}
	for _, b := range fleet() {
		b.desk = &desk{lots: map[string]string{"ANN": "loc_a", "BAL": "loc_b"}}
		all[b] = b.life(noon)
	}
	return all
}

// The README's examples rely on it.
func TestEveryStartIsTheSame(t *testing.T) {
	plan := func() map[string][]string {
		lines := map[string][]string{}
		for b, acts := range lives() {
			for _, a := range acts {
				text, err := wire.Marshal(a.body)
				if err != nil {
					t.Fatal(err)
				}
				lines[b.stockNumber()] = append(lines[b.stockNumber()], fmt.Sprintf("%s %s %s %s", a.at, a.method, a.path, text))
			}
		}
		return lines
	}
	if diff := cmp.Diff(plan(), plan()); diff != "" {
		t.Error(diff)
	}
}

func TestFleetIsVaried(t *testing.T) {
	seen, numbers := map[string]int{}, map[string]bool{}
	for b, acts := range lives() {
		created := acts[0].body.(hulls.HullCreate)
		status := created.Status
		for _, a := range acts {
			if !a.at.Before(noon) || a.at.Before(noon.AddDate(0, 0, -days)) {
				t.Errorf("%s: %s %s at %s, want it within the %d days before %s", b.title(), a.method, a.path, a.at, days, noon)
			}
			switch body := a.body.(type) {
			case hulls.HullTransition:
				status = body.To
			case hulls.HullArchive:
				status = hulls.Archived
			}
		}
		category, _, _ := strings.Cut(b.model["class"], "-")
		for _, what := range []string{string(status), category, b.condition, created.Ownership, b.model["class"]} {
			seen[what]++
		}
		if n := b.hin(); n != nil {
			if d := hin.Decode(*n, noon); !d.Valid || len(d.Warnings) > 0 || (d.ModelYear != nil && *d.ModelYear != b.year) {
				t.Errorf("%s has the HIN %s: got %v %v, want a valid one of %d without warnings", b.title(), *n, d.Errors, d.Warnings, b.year)
			}
			if numbers[*n] {
				t.Errorf("%s has the HIN of another boat", b.title())
			}
			numbers[*n] = true
		}
	}
	for _, want := range []string{
		"on_order", "in_transit", "available", "on_hold", "not_for_sale", "archived", "power", "sail", "unpowered", "power-pwc",
		"order", "new", "demo", "used", "owned", "floorplan", "consignment", "brokerage",
	} {
		if seen[want] < 5 {
			t.Errorf("%d boats are %s, want a few more", seen[want], want)
		}
	}
}

// The whole table against the schemas, without a database.
func TestBodiesFitTheDescription(t *testing.T) {
	schemas := app.OpenAPI().Components.Schemas
	for b, acts := range lives() {
		for _, a := range acts {
			name := strings.TrimPrefix(fmt.Sprintf("%T", a.body), "hulls.")
			if a.method == http.MethodPatch {
				name = "HullPatch"
			}
			text, err := wire.Marshal(a.body)
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

// some is a part of the fleet, with all boats of the README. The whole would
// keep the race detector busy for half a minute.
func some() []*boat {
	return slices.DeleteFunc(fleet(), func(b *boat) bool {
		return b.number%10 != 0 && b.model["make"] != "Grady-White" && b.model["make"] != "Boston Whaler"
	})
}

func TestSeed(t *testing.T) {
	set := app.Settings{Data: t.TempDir(), Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 100, TestRate: 100, AddressRate: 100}
	w, err := furnish(t.Context(), set, time.Now(), some)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	o := &office{App: a}
	for _, tt := range []struct {
		key, query string
		least      int
	}{{w.TestKey, "", 30}, {w.TestKey, "status=on_order", 2}, {w.TestKey, "status=on_hold", 1}, {w.LiveKey, "", 3}} {
		var p page.Page[hulls.Hull]
		if err := o.send(t.Context(), tt.key, http.MethodGet, "/v1/hulls?limit=100&"+tt.query, nil, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Data) < tt.least {
			t.Errorf("%q lists %d boats, want at least %d", tt.query, len(p.Data), tt.least)
		}
	}
	var list page.Page[hulls.Hull]
	if err := o.send(t.Context(), w.TestKey, http.MethodGet, "/v1/hulls?limit=100&status=available", nil, &list); err != nil {
		t.Fatal(err)
	}
	photos := int64(0)
	for _, h := range list.Data {
		if photos += h.PhotoCount; len(h.PublishedChannels) == 0 {
			t.Errorf("got %s is on no channel, want len(h.PublishedChannels) != 0", h.ID)
		}
	}
	if photos == 0 {
		t.Error("no boat has a photo")
	}
	var p page.Page[leads.Lead]
	if err := o.send(t.Context(), w.TestKey, http.MethodGet, "/v1/leads?limit=100", nil, &p); err != nil {
		t.Fatal(err)
	}
	statuses := map[leads.Status]int{}
	for _, l := range p.Data {
		statuses[l.Status]++
	}
	for _, want := range []leads.Status{leads.New, leads.Contacted, leads.Qualified, leads.Working, leads.Lost} {
		if statuses[want] == 0 {
			t.Errorf("no lead is %s: got %v, want statuses[want] != 0", want, statuses)
		}
	}
	var sold page.Page[deals.Deal]
	if err := o.send(t.Context(), w.TestKey, http.MethodGet, "/v1/deals?limit=100", nil, &sold); err != nil {
		t.Fatal(err)
	}
	var reached []string
	for _, d := range sold.Data {
		reached = append(reached, string(d.Status))
	}
	slices.Sort(reached)
	if got, want := strings.Join(reached, " "), "accepted cancelled closed contracted delivered open open"; got != want {
		t.Errorf("deals are %s, want %s", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	relayed := make(chan struct{})
	go func() {
		defer close(relayed)
		a.Relay.Run(ctx)
	}()
	for _, file := range []string{"README.md", "docs/tour.md"} {
		t.Run(file, func(t *testing.T) { testTour(t, "../../"+file, a.Handler, w) })
	}
	stop()
	<-relayed
}
