package backups

import (
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

func TestParseSchedule(t *testing.T) {
	from := time.Date(2026, 11, 16, 2, 59, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"03:00": "2026-11-16T03:00:00Z", "02:59": "2026-11-17T02:59:00Z", "6h": "2026-11-16T08:59:00Z",
		"": "", "5m": "", "25:00": "", "nightly": "", "-6h": "", "1000h": "",
	} {
		s, err := ParseSchedule(text)
		assert.Equal(t, err == nil, want != "", text)
		if err == nil {
			assert.Equal(t, s.next(from).Format(time.RFC3339), want, text)
		}
	}
}

// A backup at 3:00 has its time on the clock, also on the days that are longer or shorter.
func TestScheduleAcrossDaylightSaving(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	assert.NoError(t, err)
	s, err := ParseSchedule("03:00")
	assert.NoError(t, err)
	for _, day := range []int{7, 8, 9} { // March 8, 2026 has 23 hours
		next := s.next(time.Date(2026, 3, day, 3, 0, 0, 0, zone))
		assert.Equal(t, next.Format("15:04 02"), time.Date(2026, 3, day+1, 3, 0, 0, 0, zone).Format("15:04 02"))
	}
}

func TestDue(t *testing.T) {
	daily, err := ParseSchedule("03:00")
	assert.NoError(t, err)
	p := Plan{Schedule: daily, Keep: 30 * 24 * time.Hour, CheckEvery: 7 * 24 * time.Hour}
	now := time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC)
	run := func(state BackupState, ago time.Duration) *BackupRun {
		return &BackupRun{State: state, StartedAt: now.Add(-ago)}
	}
	yesterday := run(Complete, 24*time.Hour)
	for name, c := range map[string]struct {
		kind   BackupKind
		runs   history
		backup *BackupRun
		want   bool
	}{
		"the first one":                 {kind: Backup, want: true},
		"made today":                    {kind: Backup, runs: history{run(Complete, time.Hour), run(Complete, time.Hour)}},
		"made yesterday":                {kind: Backup, runs: history{yesterday, yesterday}, want: true},
		"running":                       {kind: Backup, runs: history{run(Running, 5*time.Hour), yesterday}},
		"running for too long":          {kind: Backup, runs: history{run(Running, 7*time.Hour), yesterday}, want: true},
		"failed just now":               {kind: Backup, runs: history{run(Failed, time.Minute), yesterday}},
		"failed some time ago":          {kind: Backup, runs: history{run(Failed, 15*time.Minute), yesterday}, want: true},
		"incomplete today":              {kind: Backup, runs: history{run(Incomplete, time.Hour), yesterday}},
		"incomplete yesterday":          {kind: Backup, runs: history{run(Incomplete, 24*time.Hour), nil}, want: true},
		"nothing to check":              {kind: Check},
		"the first check":               {kind: Check, backup: yesterday, want: true},
		"checked this week":             {kind: Check, runs: history{yesterday, yesterday}, backup: yesterday},
		"checked last week":             {kind: Check, runs: history{run(Complete, 168*time.Hour), run(Complete, 168*time.Hour)}, backup: yesterday, want: true},
		"check that failed is repeated": {kind: Check, runs: history{run(Failed, time.Hour), yesterday}, backup: yesterday},
	} {
		assert.Equal(t, p.due(c.kind, c.runs, c.backup, now), c.want, name)
	}
	assert.Equal(t, p.late(history{complete: yesterday}, now, now), false, "an hour after its time")
	assert.Equal(t, p.late(history{complete: yesterday}, now, now.Add(time.Minute)), true, "more than an hour after its time")
	assert.Equal(t, p.late(history{}, now, now.Add(24*time.Hour+time.Minute)), true, "never complete")
	p.CheckEvery = 0
	assert.Equal(t, p.due(Check, history{}, yesterday, now), false, "checks are off")
}

// What is older than the plan keeps it expires, but never the newest archive, and never a
// file that is not an archive.
func TestExpired(t *testing.T) {
	now := time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC)
	p := Plan{Keep: 48 * time.Hour}
	name := func(hours int) string { return nameAt(now.Add(-time.Duration(hours) * time.Hour)) }
	other := []string{archives + "/notes.txt", archives + "/slipway-yesterday.tar.zst", "slipway.tar.zst"}
	assert.Equal(t, p.expired(append(other, name(1), name(48), name(49), name(300)), now), []string{name(49), name(300)})
	assert.Equal(t, p.expired([]string{name(300), name(400)}, now), []string{name(400)}, "without a newer one")
	assert.Equal(t, newest([]string{name(1), name(10), name(20)}, now.Add(-5*time.Hour)), name(10))
	assert.Equal(t, newest(other, now), "")
}
