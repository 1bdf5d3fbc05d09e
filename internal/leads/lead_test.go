package leads

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/contacts"
	"slipway/internal/identity/people"
	"slipway/internal/testkit/faulttest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// Tests each action in each status. Transitions that are not listed are rejected.
func TestEveryMove(t *testing.T) {
	all := []Status{StatusNew, Contacted, Qualified, Working, Converted, Lost}
	for _, from := range all {
		for _, to := range all {
			l := Lead{Status: from, LostReason: new("price")}
			event, err := LeadPatch{Status: patch.Value[Status]{Set: true, V: to}}.apply(&l, now)
			allowed := from == to || from.isOpen() && to.isOpen() || from == Lost && to == Working
			if allowed != (err == nil) {
				t.Errorf("%s to %s: got %v, want it allowed: %t", from, to, err, allowed)
			}
			switch {
			case err != nil:
				faulttest.WantDetail(t, string(from+" to "+to), err, fault.KindConflict, "status")
			case l.Status != to || (event == "lead.qualified") != (to == Qualified && from != Qualified):
				t.Errorf("%s to %s: %s, %s", from, to, l.Status, event)
			case from == Lost && to == Working && l.LostReason != nil:
				t.Error("a reopened lead keeps the reason it was lost for")
			}
		}

		l := Lead{Status: from}
		if err := l.lose(LeadClose{Reason: "price"}, now); (err == nil) != from.isOpen() || err == nil && (l.Status != Lost || *l.LostReason != "price") {
			t.Errorf("%s closed: got %v, %+v; want it allowed: %t, then lost", from, err, l, from.isOpen())
		}

		l = Lead{Status: from}
		if err := l.convert("deal_1", now); (err == nil) != from.isOpen() || err == nil && (l.Status != Converted || *l.DealID != "deal_1") {
			t.Errorf("%s converted: got %v, %+v; want it allowed: %t, then converted", from, err, l, from.isOpen())
		}

		l = Lead{Status: from, Score: 60}
		if qualified := l.qualifyByScore(60); qualified != (from == StatusNew || from == Contacted) || qualified && l.Status != Qualified {
			t.Errorf("%s after a signal: got %t, %s; want only a new or contacted lead to become qualified", from, qualified, l.Status)
		}
	}
}

func TestLeadRules(t *testing.T) {
	bell := patch.Null[contacts.ContactCreate]{Set: true, V: &contacts.ContactCreate{LastName: new("Bell")}}
	for name, c := range map[string]struct {
		create LeadCreate
		kind   fault.Kind // zero: accepted
		field  string
	}{
		"a contact":     {LeadCreate{ContactID: new("con_1")}, fault.Kind{}, ""},
		"a new contact": {LeadCreate{Contact: bell}, fault.Kind{}, ""},
		"no contact":    {LeadCreate{}, fault.KindBadRequest, "contact_id"},
		"both":          {LeadCreate{ContactID: new("con_1"), Contact: bell}, fault.KindUnprocessable, "contact"},
		"a contact without a name or address": {LeadCreate{Contact: patch.Null[contacts.ContactCreate]{Set: true,
			V: &contacts.ContactCreate{Phone: new("x")}}}, fault.KindUnprocessable, "contact.phone"},
		"a budget": {LeadCreate{ContactID: new("con_1"), BudgetMinUSD: new(int64(5)), BudgetMaxUSD: new(int64(5))},
			fault.Kind{}, ""},
		"a minimum budget above the maximum": {LeadCreate{ContactID: new("con_1"), BudgetMinUSD: new(int64(6)), BudgetMaxUSD: new(int64(5))},
			fault.KindUnprocessable, "budget_min_usd"},
	} {
		_, err := c.create.lead(now)
		if c.field != "" {
			faulttest.WantDetail(t, name, err, c.kind, c.field)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTurns(t *testing.T) {
	users := func(ids ...string) (all []people.User) {
		for _, id := range ids {
			all = append(all, people.User{ID: id})
		}
		return all
	}

	for _, c := range []struct {
		candidates []people.User
		last, want string
	}{
		{users("b", "a", "c"), "", "a"},
		{users("b", "a", "c"), "a", "b"},
		{users("b", "a", "c"), "c", "a"},
		{users("a", "c"), "b", "c"}, // after b left, c is next
		{users("a"), "a", "a"},
	} {
		if u, ok := nextInTurn(c.candidates, c.last); !ok || u.ID != c.want {
			t.Errorf("after %q: %s, want %s", c.last, u.ID, c.want)
		}
	}

	if _, ok := nextInTurn(nil, "a"); ok {
		t.Error("got a user from an empty list")
	}
}

func TestScoreDecay(t *testing.T) {
	signal := func(kind SignalKind, ago time.Duration) LeadSignal {
		return LeadSignal{Kind: kind, OccurredAt: now.Add(-ago)}
	}
	for _, c := range []struct {
		signals []LeadSignal
		after   time.Duration
		want    int64
	}{
		{nil, 0, 0},
		{[]LeadSignal{signal("sea_trial_request", 0)}, 0, 35},
		{[]LeadSignal{signal("sea_trial_request", 0)}, halfLife, 18},
		{[]LeadSignal{signal("sea_trial_request", halfLife)}, 0, 18},
		{[]LeadSignal{signal("credit_start", 0), signal("credit_start", halfLife)}, 0, 45},
		{[]LeadSignal{signal("credit_start", 0), signal("sea_trial_request", 0), signal("credit_start", 0), signal("call", 0)}, 0, 100},
	} {
		var l Lead
		l.rate(c.signals, now)
		if l.derive(now.Add(c.after)); l.Score != c.want {
			t.Errorf("%v after %s: %d, want %d", c.signals, c.after, l.Score, c.want)
		}
	}
}

// The stored score after decay equals the score calculated from all signals.
func TestScoreIsRecomputable(t *testing.T) {
	kinds := []SignalKind{}
	for kind := range weights {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	rapid.Check(t, func(t *rapid.T) {
		var signals []LeadSignal
		for range rapid.IntRange(0, 20).Draw(t, "signals") {
			signals = append(signals, LeadSignal{
				Kind:       rapid.SampledFrom(kinds).Draw(t, "kind"),
				OccurredAt: now.Add(-time.Duration(rapid.Int64Range(0, int64(maxAge)).Draw(t, "ago"))),
			})
		}

		later := now.Add(time.Duration(rapid.Int64Range(0, int64(maxAge)).Draw(t, "later")))
		var stored, fresh Lead
		stored.rate(signals, now)
		fresh.rate(signals, later)
		if math.Abs(decay(stored.ScoreSum, stored.ScoreAt, later)-fresh.ScoreSum) > 1e-9*(1+fresh.ScoreSum) {
			t.Fatalf("got a stored score of %f, want %f as computed from all signals", decay(stored.ScoreSum, stored.ScoreAt, later), fresh.ScoreSum)
		}
		if fresh.Score < 0 || fresh.Score > 100 {
			t.Fatalf("got %v; want fresh.Score >= 0, fresh.Score <= 100", fresh.Score)
		}
	})
}
