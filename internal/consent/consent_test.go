package consent

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/vocab/fault"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// record returns a consent record that was captured some hours ago.
func record(id string, d Direction, s Scope, hoursAgo int) Consent {
	return Consent{ID: id, Direction: d, Scope: s, CapturedAt: now.Add(-time.Duration(hoursAgo) * time.Hour)}
}

func until(c Consent, hours int) Consent {
	c.ExpiresAt = new(now.Add(time.Duration(hours) * time.Hour))
	return c
}

func TestFold(t *testing.T) {
	for name, c := range map[string]struct {
		records []Consent
		purpose Scope
		code    string
		id      string
	}{
		"nothing":                            {nil, Marketing, CodeMissing, ""},
		"granted":                            {[]Consent{record("a", Granted, Marketing, 1)}, Marketing, "", "a"},
		"granted for all":                    {[]Consent{record("a", Granted, All, 1)}, Transactional, "", "a"},
		"granted for transactional":          {[]Consent{record("a", Granted, Transactional, 1)}, Marketing, CodeScope, "a"},
		"granted for marketing":              {[]Consent{record("a", Granted, Marketing, 1)}, Transactional, CodeScope, "a"},
		"granted for transactional, expired": {[]Consent{until(record("a", Granted, Transactional, 2), -1)}, Marketing, CodeMissing, ""},
		"granted for transactional, revoked": {[]Consent{record("a", Granted, Transactional, 2), record("b", Revoked, Transactional, 1)},
			Marketing, CodeMissing, ""},
		"revoked": {[]Consent{record("a", Granted, All, 2), record("b", Revoked, All, 1)},
			Marketing, CodeRevoked, "b"},
		"revoked for the other purpose": {[]Consent{record("a", Granted, All, 2), record("b", Revoked, Marketing, 1)},
			Transactional, "", "a"},
		"revoked for this purpose": {[]Consent{record("a", Granted, All, 2), record("b", Revoked, Marketing, 1)},
			Marketing, CodeRevoked, "b"},
		"revoked, never granted": {[]Consent{record("b", Revoked, All, 1)}, Marketing, CodeRevoked, "b"},
		"granted again":          {[]Consent{record("b", Revoked, All, 2), record("c", Granted, All, 1)}, Marketing, "", "c"},
		"granted again for the other purpose": {[]Consent{record("b", Revoked, All, 2), record("c", Granted, Transactional, 1)},
			Marketing, CodeRevoked, "b"},
		"an old grant recorded late": {[]Consent{record("b", Revoked, All, 1), record("c", Granted, All, 9)},
			Marketing, CodeRevoked, "b"},
		"at the same time": {[]Consent{record("z", Granted, All, 1), record("b", Revoked, All, 1)},
			Marketing, CodeRevoked, "b"},
		"not expired yet": {[]Consent{until(record("a", Granted, All, 2), 1)}, Marketing, "", "a"},
		"expired":         {[]Consent{until(record("a", Granted, All, 2), 0)}, Marketing, CodeExpired, "a"},
		"expired, an older one applies": {[]Consent{record("a", Granted, All, 9), until(record("b", Granted, All, 2), -1)},
			Marketing, "", "a"},
		"expired after a revocation": {[]Consent{record("a", Revoked, All, 9), until(record("b", Granted, All, 2), -1)},
			Marketing, CodeExpired, "b"},
	} {
		s := Fold(c.records, c.purpose, now)
		id := ""
		if s.ConsentID != nil {
			id = *s.ConsentID
		}
		if s.Code != c.code || id != c.id {
			t.Errorf("%s: %q by %q, want %q by %q", name, s.Code, id, c.code, c.id)
		}
	}
}

// The latest record decides, in any order of the records: a revocation blocks
// messages, and a grant allows them.
func TestLatestRecordApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records []Consent
		for i := range rapid.IntRange(0, 12).Draw(t, "records") {
			records = append(records, record(string(rune('a'+i)), rapid.SampledFrom([]Direction{Granted, Revoked}).Draw(t, "direction"),
				rapid.SampledFrom([]Scope{Marketing, Transactional, All}).Draw(t, "scope"), rapid.IntRange(1, 50).Draw(t, "ago")))
		}
		purpose := rapid.SampledFrom([]Scope{Marketing, Transactional}).Draw(t, "purpose")
		for _, last := range []Consent{record("y", Revoked, All, 0), record("z", Granted, purpose, 0)} {
			all := append(slices.Clone(records), last)
			shuffled := rapid.Permutation(all).Draw(t, "order")
			if s := Fold(shuffled, purpose, now); (s.Code == CodeRevoked) != (last.Direction == Revoked) ||
				(s.Code == "") != (last.Direction == Granted) {
				t.Fatalf("got %+v, want the state after the last of %+v", s, shuffled)
			}
		}
	})
}

func TestImpliedConsentExpires(t *testing.T) {
	captured := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for basis, want := range map[string]*time.Time{
		"implied_purchase": new(captured.AddDate(2, 0, 0)),
		"implied_inquiry":  new(captured.AddDate(0, 6, 0)),
		"express_written":  nil,
		"ebr":              new(captured.AddDate(0, 3, 0)),
	} {
		c, err := ConsentCreate{Channels: []Channel{Email}, Scope: Marketing, Basis: &basis, CapturedAt: &captured}.Record(now)
		if err != nil || (want == nil) != (c.ExpiresAt == nil) || want != nil && !c.ExpiresAt.Equal(*want) || c.Direction != Granted {
			t.Errorf("%s: got %s until %v, %v; want a grant until %v", basis, c.Direction, c.ExpiresAt, err, want)
		}
	}
}

func TestConsentRules(t *testing.T) {
	for name, c := range map[string]struct {
		create ConsentCreate
		field  string
	}{
		"now":                    {ConsentCreate{}, ""},
		"slightly in the future": {ConsentCreate{CapturedAt: new(now.Add(time.Minute))}, ""},
		"in the future":          {ConsentCreate{CapturedAt: new(now.Add(time.Hour))}, "captured_at"},
		"expires before it was captured": {ConsentCreate{CapturedAt: new(now.Add(-time.Hour)),
			ExpiresAt: new(now.Add(-2 * time.Hour))}, "expires_at"},
		"a revocation that expires":                {ConsentCreate{Direction: Revoked, ExpiresAt: new(now.Add(time.Hour))}, "expires_at"},
		"a grant that revokes another record":      {ConsentCreate{RevokesID: new("cns_1")}, "revokes_id"},
		"a revocation that revokes another record": {ConsentCreate{Direction: Revoked, RevokesID: new("cns_1")}, ""},
	} {
		r, err := c.create.Record(now)
		f, ok := errors.AsType[*fault.Error](err)
		if ok != (c.field != "") || ok && f.Details[0].Field != c.field {
			t.Errorf("%s: got %v, want an error for the field %q", name, err, c.field)
		}
		if r.CapturedAt.After(now) {
			t.Errorf("%s: captured at %s, want %s or earlier", name, r.CapturedAt, now)
		}
	}
}
