package admission

import (
	"context"
	"slices"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// One caller gets at most half of the places, and a caller without a place gets one.
func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		places int
		arrive []uint64
		want   map[uint64]int
	}{
		"one caller":             {8, repeat(20, 1), map[uint64]int{1: 4}},
		"two callers":            {9, repeat(20, 1, 2), map[uint64]int{1: 3, 2: 3}},
		"a second one, later":    {8, append(repeat(20, 1), repeat(20, 2)...), map[uint64]int{1: 4, 2: 2}},
		"many small ones":        {8, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}, map[uint64]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1}},
		"a flood and a newcomer": {8, append(repeat(20, 1, 2, 3), 4), map[uint64]int{1: 2, 2: 2, 3: 2, 4: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			g, got := newGate(c.places), map[uint64]int{}
			for _, caller := range c.arrive {
				if g.enter(caller) {
					got[caller]++
				}
			}
			if !equalCounts(got, c.want) {
				t.Errorf("got places %v, want %v", got, c.want)
			}
			for caller, n := range got {
				for range n {
					g.leave(caller)
				}
			}
			if g.taken != 0 || len(g.by) != 0 {
				t.Errorf("got %d places taken by %v after all left, want none", g.taken, g.by)
			}
		})
	}
}

func equalCounts(a, b map[uint64]int) bool {
	for k := range b {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func repeat(n int, callers ...uint64) (all []uint64) {
	for range n {
		all = append(all, callers...)
	}
	return all
}

// Waiting callers take turns, however many requests each has.
func TestTurns(t *testing.T) {
	turns := newTurns(1, 6, 0)
	if w, ok := turns.enter(1); w != nil || !ok {
		t.Fatalf("got %v and %t, want the first one to work", w, ok)
	}
	var waiting []*waiter
	for _, caller := range []uint64{1, 1, 1, 2, 3, 2} {
		w, ok := turns.enter(caller)
		if w == nil || !ok {
			t.Fatalf("caller %d: got %v and %t, want it to wait", caller, w, ok)
		}
		waiting = append(waiting, w)
	}
	if w, ok := turns.enter(4); w != nil || ok {
		t.Errorf("got %v and %t, want the seventh one to be rejected", w, ok)
	}
	if !turns.giveUp(waiting[1]) {
		t.Error("got false, want a waiter to give up")
	}

	var order []uint64
	for range 5 {
		turns.leave()
		for i, w := range waiting {
			select {
			case <-w.turn:
				order = append(order, w.caller)
				waiting = slices.Delete(waiting, i, i+1)
			default:
				continue
			}
			break
		}
	}
	if want := []uint64{1, 2, 3, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("got the order %v, want %v", order, want)
	}
	if w, ok := turns.enter(1); w == nil || !ok {
		t.Fatal("got a turn, want it to wait for the last one")
	}
	turns.leave()
	turns.leave()
	if turns.working != 0 || turns.waiting != 0 || len(turns.order) != 0 || len(turns.queues) != 0 {
		t.Errorf("got %+v after all left, want nothing", turns)
	}
}

// A request that would wait too long is rejected when it arrives. The wait depends on the
// requests of its own caller, so a flood doesn't reject others.
func TestExpectedWait(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	turns := newTurns(1, 1000, 200*time.Millisecond)
	turns.now = func() time.Time { return now }
	turns.enter(1)
	for range 100 {
		if _, ok := turns.enter(1); !ok {
			t.Fatal("got a rejection before the time between turns is known")
		}
	}
	for range 80 { // a turn every 20 ms
		now = now.Add(20 * time.Millisecond)
		turns.leave()
	}
	if turns.between < 19*time.Millisecond || turns.between > 20*time.Millisecond {
		t.Fatalf("got %s between turns, want almost 20 ms", turns.between)
	}
	if len(turns.queues[1]) != 20 || !turns.rejects(1) {
		t.Errorf("got %d requests in the queue, want the next one to be rejected", len(turns.queues[1]))
	}
	accepted := 0
	for range 20 {
		if _, ok := turns.enter(2); ok {
			accepted++
		}
	}
	if accepted != 5 { // 5 * 2 callers * 20 ms
		t.Errorf("got %d requests of another caller, want 5", accepted)
	}

	for turns.working > 0 {
		turns.leave()
	}
	for range 100 {
		turns.enter(1)
		turns.enter(1)
		now = now.Add(time.Hour) // the first one of a queue says nothing about the time between turns
		turns.leave()
		turns.leave()
	}
	if turns.between > 20*time.Millisecond {
		t.Errorf("got %s between turns, want at most 20 ms", turns.between)
	}
}

// A waiter whose turn comes when it gives up has the turn.
func TestGiveUpTooLate(t *testing.T) {
	turns := newTurns(1, 1, 0)
	turns.enter(1)
	w, _ := turns.enter(2)
	turns.leave()
	if turns.giveUp(w) {
		t.Error("got true, want the turn to be taken")
	}
	turns.leave()
	if turns.working != 0 {
		t.Errorf("got %d working, want none", turns.working)
	}
}

// Requests for one object wait for each other, and other objects don't wait.
func TestLines(t *testing.T) {
	l := newLines(1)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if !l.wait(canceled, "a", time.Hour) || !l.wait(canceled, "b", time.Hour) {
		t.Fatal("got false, want both objects to be free")
	}
	if l.wait(canceled, "a", time.Hour) {
		t.Error("got true, want a canceled request to give up")
	}
	turn := make(chan bool)
	go func() { turn <- l.wait(t.Context(), "a", time.Hour) }()
	assert.Eventually(t, "one request to wait", func() bool { return l.waiting() == 1 })
	if l.wait(t.Context(), "a", time.Hour) {
		t.Error("got true, want the third request to be rejected")
	}

	l.leave("a")
	if !<-turn {
		t.Error("got false, want the turn of the second request")
	}
	l.leave("a")
	l.leave("b")
	if len(l.objects) != 0 || l.rejected != 2 {
		t.Errorf("got %d objects and %d rejections, want none and 2", len(l.objects), l.rejected)
	}
}
