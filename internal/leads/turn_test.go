package leads

import (
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

func TestWhoseTurn(t *testing.T) {
	hour := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	fresh := func() Lead {
		l := Lead{Status: StatusNew, CreatedAt: now}
		l.begin(Us, now)
		return l
	}
	for name, c := range map[string]struct {
		steps func(l *Lead)
		want  Turn
		since int // hours after the creation
	}{
		"new":                          {func(*Lead) {}, Us, 0},
		"answered":                     {func(l *Lead) { l.answered(hour(1)) }, Them, 1},
		"asked again":                  {func(l *Lead) { l.answered(hour(1)); l.asked(hour(2), false) }, Us, 2},
		"asked twice":                  {func(l *Lead) { l.answered(hour(1)); l.asked(hour(2), false); l.asked(hour(3), false) }, Us, 2},
		"answered twice":               {func(l *Lead) { l.answered(hour(1)); l.answered(hour(2)) }, Them, 2},
		"opted out":                    {func(l *Lead) { l.asked(hour(1), true) }, Nobody, 0},
		"asked after an opt-out":       {func(l *Lead) { l.asked(hour(1), true); l.asked(hour(2), false) }, Us, 2},
		"closed":                       {func(l *Lead) { assert.NoError(t, l.lose(LeadClose{Reason: "price"}, hour(1))) }, Nobody, 0},
		"asked after it was closed":    {func(l *Lead) { assert.NoError(t, l.lose(LeadClose{Reason: "price"}, hour(1))); l.asked(hour(2), false) }, Us, 2},
		"converted":                    {func(l *Lead) { assert.NoError(t, l.convert("deal_1", hour(1))) }, Nobody, 0},
		"snoozed":                      {func(l *Lead) { l.SnoozedUntil = new(hour(9)) }, Nobody, 0},
		"snoozed until before":         {func(l *Lead) { l.SnoozedUntil = new(hour(3)) }, Us, 0},
		"asked while it is snoozed":    {func(l *Lead) { l.SnoozedUntil = new(hour(9)); l.asked(hour(2), false) }, Us, 0},
		"answered while it is snoozed": {func(l *Lead) { l.SnoozedUntil = new(hour(9)); l.answered(hour(2)) }, Them, 2},
		"of the last release":          {func(l *Lead) { l.TurnSince = nil }, Us, 0},
	} {
		l := fresh()
		c.steps(&l)
		got, since := l.turnAt(hour(5))
		assert.Equal(t, got, c.want)
		if c.want != Nobody && (since == nil || !since.Equal(hour(c.since))) || c.want == Nobody && since != nil {
			t.Errorf("%s: got %v, want it since hour %d", name, since, c.since)
		}
	}
}

func TestFirstAnswer(t *testing.T) {
	for _, before := range []Status{StatusNew, Contacted, Qualified, Working} {
		l, want := Lead{Status: before}, before
		if before == StatusNew {
			want = Contacted
		}
		l.answered(now)
		assert.Equal(t, l.Status, want)
		assert.Equal(t, l.LastTouchedAt, now)
	}
}

func TestSnooze(t *testing.T) {
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	for name, c := range map[string]struct {
		turn  Turn
		until *time.Time
		ok    bool
	}{
		"tomorrow":          {Us, at(24 * time.Hour), true},
		"until they write":  {Us, nil, true},
		"in a year":         {Us, at(maxSnooze), true},
		"in more":           {Us, at(maxSnooze + time.Second), false},
		"now":               {Us, at(0), false},
		"in the past":       {Us, at(-time.Hour), false},
		"nothing to answer": {Them, at(time.Hour), false},
	} {
		l := Lead{Status: Working, Turn: c.turn, TurnSince: &now}
		err := LeadSnooze{Until: c.until}.apply(&l, now)
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v, want it allowed: %t", name, err, c.ok)
			continue
		}
		if !c.ok {
			continue
		}
		turn, _ := l.turnAt(now)
		assert.Equal(t, turn, Nobody)
		assert.NoError(t, l.wake(now))
		turn, _ = l.turnAt(now)
		assert.Equal(t, turn, Us)
	}

	lost := Lead{Status: Lost, Turn: Nobody}
	if lost.wake(now) == nil {
		t.Error("a lost lead can be put on the list again")
	}
}
