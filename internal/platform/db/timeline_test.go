package db

import "testing"

func TestTimelineGuard(t *testing.T) {
	var g timeline
	for _, step := range []struct {
		id int64
		ok bool
	}{{1, true}, {1, true}, {3, true}, {2, false}, {3, true}, {4, true}, {1, false}} {
		if err := g.admit(step.id); (err == nil) != step.ok {
			t.Errorf("timeline %d: got %v, want it admitted: %t", step.id, err, step.ok)
		}
	}
}
