package hulls

import (
	"slices"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	now      = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	statuses = []Status{OnOrder, InTransit, Available, OnHold, SalePending, Sold, Delivered, NotForSale, Archived}
)

// boat returns a hull in a status, with the fields that the status sets.
func boat(s Status) Hull {
	h := Hull{
		Make: "Grady-White", Model: "Freedom 235", Year: 2024, LengthFt: 23.58, Status: s,
		HIN: new("GRT40912B324"), Category: "power", Metadata: map[string]string{},
	}
	switch s {
	case OnHold:
		h.Hold = &Hold{ExpiresAt: now.Add(time.Hour)}
	case Sold:
		h.SoldAt = new(now.Add(-time.Hour))
	case Archived:
		h.ArchivedAt, h.StatusBefore = new(now.Add(-time.Hour)), new(NotForSale)
	}
	return h
}

// Tests each pair of statuses against the transitions of the contract.
func TestEveryTransition(t *testing.T) {
	allowed := map[Status][]Status{
		OnOrder:    {InTransit, Available},
		InTransit:  {Available},
		Available:  {OnHold, NotForSale},
		OnHold:     {Available},
		NotForSale: {Available},
		Sold:       {Available},
		Archived:   {NotForSale}, // its earlier status
	}

	for _, from := range statuses {
		for _, to := range statuses {
			h := boat(from)
			move := HullTransition{To: to, Reason: new("because")}
			if to == OnHold {
				move.ExpiresAt = new(now.Add(24 * time.Hour))
			}

			err := h.move(move, auth.Actor{Type: "user", ID: "usr_1"}, now)
			if want := slices.Contains(allowed[from], to); (err == nil) != want {
				t.Errorf("%s → %s: %v, want allowed = %v", from, to, err, want)
			}
			if err != nil {
				if fault.KindOf(err) != fault.KindConflict {
					t.Errorf("%s → %s: got %v, want the kind fault.KindConflict", from, to, err)
				}
				continue
			}
			if h.Status != to || (h.Hold != nil) != (to == OnHold) || h.ArchivedAt != nil || h.StatusBefore != nil || h.SoldAt != nil {
				t.Errorf("%s → %s: got %+v; want the new status, a hold only if on hold, and no archive or sale", from, to, h)
			}
			if (h.ReceivedOn != nil) != !to.IsComing() {
				t.Errorf("%s → %s: got received_on %v, want one: %t", from, to, h.ReceivedOn, !to.IsComing())
			}
		}
	}
}

func TestTransitionRules(t *testing.T) {
	for name, tt := range map[string]struct {
		from  Status
		move  HullTransition
		kind  fault.Kind
		field string
	}{
		"a hold without expires_at": {Available, HullTransition{To: OnHold}, fault.KindBadRequest, "expires_at"},
		"a hold in the past":        {Available, HullTransition{To: OnHold, ExpiresAt: &now}, fault.KindUnprocessable, "expires_at"},
		"a hold of more than a year": {Available, HullTransition{To: OnHold, ExpiresAt: new(now.AddDate(2, 0, 0))},
			fault.KindUnprocessable, "expires_at"},
		"expires_at without a hold": {Available, HullTransition{To: NotForSale, ExpiresAt: new(now.Add(1))},
			fault.KindUnprocessable, "expires_at"},
		"back on sale without a reason": {Sold, HullTransition{To: Available}, fault.KindBadRequest, "reason"},
		"arrival without hin":           {OnOrder, HullTransition{To: Available}, fault.KindBadRequest, "hin"},
		"a sold hull with a deal":       {Sold, HullTransition{To: Available, Reason: new("r")}, fault.KindConflict, "status"},
		"a status that only deals set":  {SalePending, HullTransition{To: Sold}, fault.KindConflict, "to"},
		"the same status":               {Available, HullTransition{To: Available}, fault.KindConflict, "to"},
	} {
		h := boat(tt.from)
		if tt.field == "hin" {
			h.HIN = nil
		}
		if tt.field == "status" {
			h.DealID = new("deal_1")
		}
		wantDetail(t, name, h.move(tt.move, auth.Actor{}, now), tt.kind, tt.field)
	}
}

func TestArchiveAndBack(t *testing.T) {
	for _, from := range statuses {
		h := boat(from)
		err := h.archive(now)
		if rejected := from == Archived || from == SalePending; (err != nil) != rejected {
			t.Errorf("archive from %s: got %v, want an error: %t", from, err, rejected)
			continue
		} else if rejected {
			continue
		}

		back := from
		if from == OnHold {
			back = Available
		}
		assert.Equal(t, h.Status, Archived, "archived from", from)
		assert.Equal(t, *h.StatusBefore, back, "archived from", from)
		assert.Equal(t, *h.ArchivedAt, now, "archived from", from)
		assert.Equal(t, h.Hold, nil, "archived from", from)
		assert.NoError(t, h.move(HullTransition{To: back}, auth.Actor{}, now), "back to", back)
		assert.Equal(t, h.Status, back, "back to", back)
	}

	h := boat(Sold)
	h.DealID = new("deal_1")
	wantDetail(t, "with a deal", h.archive(now), fault.KindConflict, "status")
}

// wantDetail fails the test unless err has the kind and a detail for the field.
func wantDetail(t *testing.T, name string, err error, kind fault.Kind, field string) {
	t.Helper()
	f, ok := err.(*fault.Error) //nolint:errorlint // rules return faults as they are
	if !ok || f.Kind != kind || !slices.ContainsFunc(f.Details, func(d fault.Detail) bool { return d.Field == field }) {
		t.Errorf("%s: %v, want %d on %s", name, err, kind.Status, field)
	}
}
