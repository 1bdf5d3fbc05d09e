package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Released versions stay exactly as they were: each GET, each list, each event, what webhooks
// receive and the export have the fields and types of the version's file. The client of the
// tests compares responses with the description of their version, and TestVersions compares
// that description with the file.
func TestReleasedVersionsInTheStory(t *testing.T) {
	pins := releasedPins(t)
	inbox := newInbox(t)
	st := &story{t: t, s: testkit.OnSQLite(t), pins: pins}
	st.begin = func(desk *teller) {
		for _, pin := range pins {
			desk.With("Service-Version", pin).Post("/v1/webhooks", object{"url": inbox.URL + "/" + pin, "events": []string{"*"}}, 201, nil)
		}
	}
	st.tell()

	seen := map[string]int{}
	for _, r := range st.read {
		seen[r.operation]++
		if r.operation == "exportContact" {
			checkExport(t, r.version, r.body)
		}
	}
	for _, o := range operationsOf(app.Described().Stable()) {
		if o.Method == http.MethodGet && seen[o.OperationID] < len(pins) {
			t.Errorf("%s was not called with each released version", o.OperationID)
		}
	}

	// The story erases a contact. Of its events, only the ID remains, in each version.
	st.s.Exec(`DELETE FROM events WHERE LENGTH(data) < 100`)
	stop := st.s.RunRelay()
	defer stop()
	for _, pin := range pins {
		checkEvents(t, st.s, pin)
		var kinds []string
		assert.Eventually(t, "the events of the story, in version "+pin, func() bool {
			kinds = kinds[:0]
			for kind := range inbox.take(pin) {
				kinds = append(kinds, kind)
			}
			return len(kinds) >= 50
		})
		for _, body := range inbox.take(pin) {
			testkit.CheckSchema(t, pin, "Event", body)
		}
	}
}

// releasedPins returns the versions that have a checksum.
func releasedPins(t *testing.T) (pins []string) {
	t.Helper()
	for name := range checksums(t) {
		pins = append(pins, name[:len("2026-11-15")])
	}
	return pins
}

// checkEvents reads all pages of events in a version.
func checkEvents(t *testing.T, s *testkit.Server, pin string) {
	t.Helper()
	client, n := s.Test.With("Service-Version", pin), 0
	for next := ""; ; {
		var page struct {
			Data []struct {
				ID         string
				APIVersion string `json:"api_version"`
			}
			HasMore bool `json:"has_more"`
		}
		client.Get("/v1/events?limit=100"+next, 200, &page)
		for _, e := range page.Data {
			assert.Equal(t, e.APIVersion, pin)
		}
		n += len(page.Data)
		if !page.HasMore {
			break
		}
		next = "&starting_after=" + page.Data[len(page.Data)-1].ID
	}
	if n < 80 {
		t.Errorf("got %d events in version %s, want those of the story", n, pin)
	}
}

// exported are the schemas of the records in an export.
var exported = map[string]string{
	"leads": "Lead", "assignments": "LeadAssignment", "signals": "LeadSignal", "messages": "LeadMessage", "deals": "Deal",
	"offers": "Offer", "trade_ins": "TradeIn", "payments": "Payment", "documents": "Document", "fundings": "Funding", "consents": "Consent",
}

// checkExport compares the records with their schemas. The description only says that they
// are objects.
func checkExport(t *testing.T, pin string, body []byte) {
	t.Helper()
	var sections map[string]json.RawMessage
	assert.NoError(t, json.Unmarshal(body, &sections))
	delete(sections, "exported_at")
	testkit.CheckSchema(t, pin, "Contact", sections["contact"])
	delete(sections, "contact")
	for name, section := range sections {
		var records []json.RawMessage
		assert.NoError(t, json.Unmarshal(section, &records))
		if exported[name] == "" {
			t.Errorf("version %s has no %s in an export", pin, name)
			continue
		}
		for _, r := range records {
			testkit.CheckSchema(t, pin, exported[name], r)
		}
	}
}

// inbox keeps what webhooks receive, by their path and the type of the event.
type inbox struct {
	*httptest.Server

	mu       sync.Mutex
	received map[string]map[string][]byte
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{received: map[string]map[string][]byte{}}
	in.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var e struct {
			Type string
			Data struct{ Object map[string]json.RawMessage }
		}
		if err != nil || json.Unmarshal(body, &e) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if len(e.Data.Object) == 1 {
			return // the story has erased the contact, and only the ID remains
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		path := req.URL.Path[1:]
		if in.received[path] == nil {
			in.received[path] = map[string][]byte{}
		}
		in.received[path][e.Type] = body
	}))
	t.Cleanup(in.Close)
	return in
}

// take returns the last event of each type that a path received.
func (in *inbox) take(path string) map[string][]byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	all := map[string][]byte{}
	for kind, body := range in.received[path] {
		all[kind] = body
	}
	return all
}

// A deal with several taxes has the sum of their rates in the version that knew only one, and
// line items are taxable or not.
func TestOneTaxRateInFirstVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := s.Test.With("Service-Version", releasedPins(t)[0])
		id := s.Test.Deal(object{"taxes": []object{
			{"name": "Florida", "rate_percent": "6"}, {"name": "County", "rate_percent": "1.25", "base_cap_cents": 500000},
			{"name": "Boating", "rate_percent": "2", "exempt_reason": "Out of state"},
		}, "line_items": []object{{"kind": "fee", "amount_cents": 100}}})
		var deal struct {
			Rate *string `json:"tax_rate_percent"`
		}
		s.Test.Get("/v1/deals/"+id, 200, &deal)
		assert.Equal(t, deal.Rate, nil)
		first.Get("/v1/deals/"+id, 200, &deal)
		assert.Equal(t, *deal.Rate, "7.25")

		var page struct {
			Data []struct{ Data json.RawMessage }
		}
		s.RunRelay()
		s.WaitForRelay()
		first.Get("/v1/events?type=deal.opened", 200, &page)
		assert.Contains(t, page.Data[0].Data, `"tax_rate_percent":"7.25"`)

		body := object{"line_items": []object{{"kind": "fee", "amount_cents": 100, "taxable": nil}}}
		f := failed(t, send(t, first, "PATCH", "/v1/deals/"+id, body), 422)
		assert.Equal(t, f.HasDetail("line_items[0].taxable", "version"), true)
		s.Test.Patch("/v1/deals/"+id, body, 200, nil)
	})
}
