package admission

import (
	"context"
	"slices"
	"sync"
	"time"
)

// gate limits how many requests of a class are inside the server. It decides
// immediately, before any work is done for a request.
type gate struct {
	mu       sync.Mutex
	places   int
	taken    int
	by       map[uint64]int // places by caller
	rejected int64
}

func newGate(places int) *gate { return &gate{places: places, by: map[uint64]int{}} }

// enter takes a place, unless the caller has as many places as are free. One caller
// therefore gets at most half of the places, two get a third each, and so on. There is
// always a place for a caller that has none.
func (g *gate) enter(caller uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by[caller] >= g.places-g.taken {
		g.rejected++
		return false
	}
	g.taken++
	g.by[caller]++
	return true
}

func (g *gate) leave(caller uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taken--
	if g.by[caller]--; g.by[caller] == 0 {
		delete(g.by, caller)
	}
}

// turns limits how many requests work at the same time. The others wait in a queue for
// each caller, and the callers take turns.
type turns struct {
	mu         sync.Mutex
	now        func() time.Time
	limit      int
	maxWaiting int
	maxWait    time.Duration // that a request can expect, or 0 for no limit
	working    int
	waiting    int
	queues     map[uint64][]*waiter // by caller
	order      []uint64             // callers with a queue, the next one first
	rejected   int64

	lastTurn time.Time     // when the last waiting request got its turn, if others have waited since then
	between  time.Duration // average time between two turns
}

// waiter is a request that waits for its turn.
type waiter struct {
	caller uint64
	turn   chan struct{} // closed when it can work
}

func newTurns(limit, maxWaiting int, maxWait time.Duration) *turns {
	return &turns{limit: limit, maxWaiting: maxWaiting, maxWait: maxWait, queues: map[uint64][]*waiter{},
		now: time.Now} //nolint:forbidigo // how long requests wait is real time
}

// tooLong reports whether another request of a caller would wait too long: for the
// requests of the caller before it, and for as many of each other caller. It is then
// rejected immediately and not after the wait.
func (t *turns) tooLong(caller uint64) bool {
	ahead, callers := len(t.queues[caller]), len(t.order)
	if ahead == 0 {
		callers++
	}
	return t.maxWait > 0 && t.waiting > 0 && time.Duration((ahead+1)*callers)*t.between > t.maxWait
}

// rejects is tooLong before a request has a place.
func (t *turns) rejects(caller uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.tooLong(caller) {
		return false
	}
	t.rejected++
	return true
}

// enter starts the work of a request. It returns a waiter if the request has to wait for
// its turn, and false if too many are waiting.
func (t *turns) enter(caller uint64) (w *waiter, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.working < t.limit { // then no request waits
		t.working++
		return nil, true
	}
	if t.waiting >= t.maxWaiting || t.tooLong(caller) {
		t.rejected++
		return nil, false
	}

	w = &waiter{caller, make(chan struct{})}
	if len(t.queues[caller]) == 0 {
		t.order = append(t.order, caller)
	}
	t.queues[caller] = append(t.queues[caller], w)
	t.waiting++
	return w, true
}

// leave ends the work of a request and starts that of the next caller.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == 0 {
		t.working--
		t.lastTurn = time.Time{}
		return
	}

	now := t.now()
	if !t.lastTurn.IsZero() {
		t.between += (now.Sub(t.lastTurn) - t.between) / 16
	}
	t.lastTurn = now
	caller := t.order[0]
	t.order = t.order[1:]
	w := t.queues[caller][0]
	t.queues[caller] = t.queues[caller][1:]
	if len(t.queues[caller]) > 0 {
		t.order = append(t.order, caller)
	} else {
		delete(t.queues, caller)
	}
	t.waiting--
	close(w.turn)
}

// giveUp removes a waiter. It returns false if the waiter's turn has come.
func (t *turns) giveUp(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.queues[w.caller], w)
	if i < 0 {
		return false
	}

	t.queues[w.caller] = slices.Delete(t.queues[w.caller], i, i+1)
	if len(t.queues[w.caller]) == 0 {
		delete(t.queues, w.caller)
		t.order = slices.DeleteFunc(t.order, func(caller uint64) bool { return caller == w.caller })
	}
	t.waiting--
	t.rejected++
	return true
}

// wait starts the work of a request when its turn comes. It returns false if that takes
// too long.
func (t *turns) wait(ctx context.Context, caller uint64, atMost time.Duration) bool {
	w, ok := t.enter(caller)
	if w == nil {
		return ok
	}
	timeout := time.NewTimer(atMost)
	defer timeout.Stop()
	select {
	case <-w.turn:
		return true
	case <-timeout.C:
	case <-ctx.Done():
	}
	return !t.giveUp(w)
}

// lines lets requests that change the same object work one after the other.
type lines struct {
	mu         sync.Mutex
	maxWaiting int // for each object
	objects    map[string]*line
	rejected   int64
}

type line struct {
	*turns
	users int // requests that work or wait
}

func newLines(maxWaiting int) *lines {
	return &lines{maxWaiting: maxWaiting, objects: map[string]*line{}}
}

// wait starts the work on an object when its turn comes. It returns false if that takes
// too long, or if too many requests are waiting for the object.
func (l *lines) wait(ctx context.Context, object string, atMost time.Duration) bool {
	ok := l.join(object).wait(ctx, 0, atMost)
	if !ok {
		l.part(object, true)
	}
	return ok
}

func (l *lines) join(object string) *turns {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.objects[object]
	if o == nil {
		o = &line{turns: newTurns(1, l.maxWaiting, 0)}
		l.objects[object] = o
	}
	o.users++
	return o.turns
}

// leave ends the work on an object.
func (l *lines) leave(object string) {
	l.mu.Lock()
	o := l.objects[object]
	l.mu.Unlock()
	o.turns.leave()
	l.part(object, false)
}

func (l *lines) part(object string, rejected bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rejected {
		l.rejected++
	}
	o := l.objects[object]
	if o.users--; o.users == 0 {
		delete(l.objects, object)
	}
}

// waiting returns how many requests wait for an object.
func (l *lines) waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.objects {
		n += o.users - 1
	}
	return n
}
