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
		s := Fold(c.records, Email, c.purpose, now)
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
			if s := Fold(shuffled, Email, purpose, now); (s.Code == CodeRevoked) != (last.Direction == Revoked) ||
				(s.Code == "") != (last.Direction == Granted) {
				t.Fatalf("got %+v, want the state after the last of %+v", s, shuffled)
			}
		}
	})
}

func TestImpliedConsentExpires(t *testing.T) {
	captured := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for basis, want := range map[Basis]*time.Time{
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

// A caller tries to extend a relationship past what the law allows.
func TestExpiryPastTheLimitOfARelationship(t *testing.T) {
	captured := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		basis        Basis
		relationship Relationship
		limit        time.Time // zero if there is none
	}{
		"inquiry":          {"ebr", "inquiry", time.Date(2026, 4, 30, 9, 0, 0, 0, time.UTC)},
		"not stated":       {"ebr", "", time.Date(2026, 4, 30, 9, 0, 0, 0, time.UTC)},
		"purchase":         {"ebr", "purchase", time.Date(2027, 7, 31, 9, 0, 0, 0, time.UTC)},
		"implied inquiry":  {"implied_inquiry", "", time.Date(2026, 7, 31, 9, 0, 0, 0, time.UTC)},
		"implied purchase": {"implied_purchase", "", time.Date(2028, 1, 31, 9, 0, 0, 0, time.UTC)},
		"express":          {"express_written", "", time.Time{}},
	} {
		create := func(expires *time.Time) (Consent, error) {
			n := ConsentCreate{Channels: []Channel{Email}, Scope: Marketing, Basis: &c.basis, CapturedAt: &captured, ExpiresAt: expires}
			if c.relationship != "" {
				n.Relationship = &c.relationship
			}
			return n.Record(now)
		}
		if c.limit.IsZero() {
			if r, err := create(new(captured.AddDate(50, 0, 0))); err != nil || r.ExpiresAt == nil {
				t.Errorf("%s: got %v, %v; want no limit", name, r.ExpiresAt, err)
			}
			continue
		}

		for at, ok := range map[time.Time]bool{
			c.limit: true, c.limit.Add(-time.Hour): true, c.limit.Add(time.Second): false, captured.AddDate(50, 0, 0): false,
		} {
			_, err := create(&at)
			f, failed := errors.AsType[*fault.Error](err)
			if failed == ok || failed && (f.Details[0].Field != "expires_at" || f.Details[0].Code != "maximum") {
				t.Errorf("%s: got %v for %s, want an error: %v", name, err, at, !ok)
			}
		}
		if r, err := create(nil); err != nil || !r.ExpiresAt.Equal(c.limit) {
			t.Errorf("%s: got %v, %v by default; want %s", name, r.ExpiresAt, err, c.limit)
		}
	}
}

// written returns a consent with a basis and a text.
func written(c Consent, basis Basis, text string) Consent {
	if basis != "" {
		c.Basis = &basis
	}
	if text != "" {
		c.ConsentText = &text
	}
	return c
}

func TestMarketingTextWithoutWrittenConsent(t *testing.T) {
	full := written(record("a", Granted, All, 5), "express_written", "I agree.")
	for name, c := range map[string]struct {
		records []Consent
		code    string
	}{
		"basis and text":     {[]Consent{full}, ""},
		"no basis":           {[]Consent{written(record("a", Granted, All, 5), "", "I agree.")}, CodeInsufficient},
		"no text":            {[]Consent{written(record("a", Granted, All, 5), "express_written", "")}, CodeInsufficient},
		"blank text":         {[]Consent{written(record("a", Granted, All, 5), "express_written", " \n")}, CodeInsufficient},
		"oral":               {[]Consent{written(record("a", Granted, All, 5), "express_oral", "I agree.")}, CodeInsufficient},
		"implied":            {[]Consent{written(record("a", Granted, All, 5), "implied_purchase", "I agree.")}, CodeInsufficient},
		"relationship":       {[]Consent{written(record("a", Granted, All, 5), "ebr", "I agree.")}, CodeInsufficient},
		"relationship ended": {[]Consent{until(written(record("a", Granted, All, 5), "ebr", ""), -1)}, CodeExpired},
		"a weaker one after": {[]Consent{full, record("b", Granted, All, 4)}, ""},
		"a weaker one after an opt-out": {[]Consent{full, record("b", Revoked, All, 4),
			written(record("c", Granted, All, 3), "ebr", "I agree.")}, CodeRevoked},
		"a written one after an opt-out": {[]Consent{record("b", Revoked, All, 8), full}, ""},
	} {
		if s := Fold(c.records, SMS, Marketing, now); s.Code != c.code {
			t.Errorf("%s: got %q, want %q", name, s.Code, c.code)
		}
		if s := Fold(c.records[:1], Email, Marketing, now); s.Code == CodeInsufficient {
			t.Errorf("%s: got %q for email, want no such rule", name, s.Code)
		}
	}
}

func TestRestore(t *testing.T) {
	full := func(id string, s Scope, ago int) Consent {
		return written(record(id, Granted, s, ago), "express_written", "I agree.")
	}
	mine := func(id string, s Scope, ago int) Consent {
		r := record(id, Revoked, s, ago)
		r.ByPerson = true
		return r
	}
	for name, c := range map[string]struct {
		records []Consent
		want    string // scope and earlier record of each consent
	}{
		"never consented":          {nil, ""},
		"STOP without a consent":   {[]Consent{mine("r", All, 1)}, ""},
		"not revoked":              {[]Consent{full("a", All, 5)}, ""},
		"everything":               {[]Consent{full("a", All, 5), mine("r", All, 1)}, "all a "},
		"only transactional":       {[]Consent{full("a", Transactional, 5), mine("r", All, 1)}, "transactional a "},
		"not enough for marketing": {[]Consent{record("a", Granted, All, 5), mine("r", All, 1)}, "transactional a "},
		"two consents": {[]Consent{full("a", Marketing, 5), full("b", Transactional, 4), mine("r", All, 1)},
			"marketing a transactional b "},
		"expired since then": {[]Consent{until(full("a", All, 5), -1), mine("r", All, 3)}, ""},
		"expired before":     {[]Consent{until(full("a", All, 5), -4), mine("r", All, 3)}, ""},
		"unsubscribed before the STOP": {[]Consent{full("a", All, 5), mine("q", Marketing, 3), mine("r", All, 1)},
			"transactional a "},
		"withdrawn before the STOP": {[]Consent{full("a", All, 5), mine("q", All, 3), mine("r", All, 1)}, ""},
		"restored and then STOP again": {[]Consent{full("a", All, 9), mine("q", All, 7), full("b", All, 5), mine("r", All, 1)},
			"all b "},
		"only marketing was revoked":        {[]Consent{full("a", All, 5), mine("r", Marketing, 1)}, "marketing a "},
		"a user recorded it":                {[]Consent{full("a", All, 5), record("r", Revoked, All, 1)}, ""},
		"a user recorded it after the STOP": {[]Consent{full("a", All, 5), mine("q", All, 3), record("r", Revoked, All, 1)}, ""},
		"a user recorded a part":            {[]Consent{full("a", All, 5), mine("q", All, 3), record("r", Revoked, Marketing, 1)}, "transactional a "},
		"consented again after the STOP":    {[]Consent{full("a", All, 5), mine("r", All, 3), full("b", All, 1)}, ""},
	} {
		got := ""
		for _, r := range Restore(c.records, SMS, now) {
			got += string(r.Scope) + " " + r.Evidence["restores_id"].(string) + " "
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
