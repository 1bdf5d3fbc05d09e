package db

import "testing"

func TestTimelineGuard(t *testing.T) {
	g := timelines{primary: -1}
	for i, step := range []struct {
		server state
		ok     bool
	}{
		{state{cluster: 7, timeline: 1}, true},
		{state{cluster: 7, timeline: 1}, true},
		{state{cluster: 7, timeline: 3}, true},
		{state{cluster: 7, timeline: 2}, false},
		{state{cluster: 7, timeline: 3}, true},
		{state{cluster: 8, timeline: 9}, false}, // another cluster
		{state{cluster: 7, timeline: 3}, true},
		{state{cluster: 7, standby: true, stored: 4}, true}, // the standby of a new primary
		{state{cluster: 7, timeline: 3}, false},
		{state{cluster: 7, timeline: 4}, true},
		{state{cluster: 7, timeline: 4, stored: 5}, false},
		{state{cluster: 7, timeline: 1}, false},
	} {
		if err := g.admit(step.server); (err == nil) != step.ok {
			t.Errorf("step %d, %+v: got %v, want it admitted: %t", i, step.server, err, step.ok)
		}
	}
}
