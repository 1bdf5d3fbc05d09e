package summaries

import (
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		parsed, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, c := range map[string]struct {
		row       row
		now       string
		day, next string
	}{
		"on time":               {row{SendAt: "07:00", NextAt: at("2026-11-19 07:00")}, "2026-11-19 07:00", "2026-11-19", "2026-11-20 07:00"},
		"a little late":         {row{SendAt: "07:00", NextAt: at("2026-11-19 07:00")}, "2026-11-19 12:00", "2026-11-19", "2026-11-20 07:00"},
		"much too late":         {row{SendAt: "07:00", NextAt: at("2026-11-19 07:00")}, "2026-11-19 15:00", "", "2026-11-20 07:00"},
		"down over night":       {row{SendAt: "07:00", NextAt: at("2026-11-18 07:00")}, "2026-11-19 06:00", "", "2026-11-19 07:00"},
		"a second time":         {row{SendAt: "09:00", NextAt: at("2026-11-19 09:00"), Day: "2026-11-19"}, "2026-11-19 09:00", "", "2026-11-20 09:00"},
		"clocks go forward":     {row{SendAt: "02:30", NextAt: at("2026-03-07 02:30")}, "2026-03-07 02:30", "2026-03-07", "2026-03-08 01:30"},
		"clocks go back":        {row{SendAt: "07:00", NextAt: at("2026-10-31 07:00")}, "2026-10-31 07:00", "2026-10-31", "2026-11-01 07:00"},
		"just before midnight":  {row{SendAt: "23:59", NextAt: at("2026-11-19 23:59")}, "2026-11-20 00:01", "2026-11-20", "2026-11-20 23:59"},
		"the zone has moved on": {row{SendAt: "07:00", NextAt: at("2026-11-19 07:00"), Day: "2026-11-20"}, "2026-11-19 07:00", "", "2026-11-20 07:00"},
	} {
		r := c.row
		if got := r.take(at(c.now), zone); got != c.day {
			t.Errorf("%s: got the day %q, want %q", name, got, c.day)
		}
		if got := r.NextAt.In(zone).Format("2006-01-02 15:04"); got != c.next {
			t.Errorf("%s: the next one is at %s, want %s", name, got, c.next)
		}
	}
}

func TestWaited(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 min", 42 * time.Minute: "42 min", 6 * time.Hour: "6 h", 47 * time.Hour: "47 h", 3 * 24 * time.Hour: "3 days",
	} {
		if got := waited(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
