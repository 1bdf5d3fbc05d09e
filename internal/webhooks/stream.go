package webhooks

import (
	"slices"
	"sync"

	"slipway/internal/vocab/auth"
)

// Change says that something happened to an object, but not what. Clients read the object
// again.
type Change struct {
	ID       string `json:"-" db:"id"`
	Type     string `json:"type" db:"type"`
	ObjectID string `json:"object_id" db:"object_id"`
}

const (
	// maxBatch is how many changes are read at once. All followers share them.
	maxBatch = 256

	// followerBuffer is how many batches can wait for a follower. One that is slower connects
	// again, and continues where it was.
	followerBuffer = 16

	// maxStreams is how many streams a credential can have on a server. A browser has one
	// for all of its tabs, or one for each.
	maxStreams = 50
)

// follower is an open stream.
type follower struct {
	credential string
	changes    chan []Change
	tooSlow    chan struct{} // closed if the buffer is full
}

// room has the followers of an environment.
type room struct {
	lastID    string // of the newest event that was sent to the followers
	followers []*follower
}

// hub passes new events on to the streams of this server.
type hub struct {
	mu    sync.Mutex
	rooms map[auth.Env]*room
}

// isFull reports whether a credential can't open another stream.
func (h *hub) isFull(env auth.Env, credential string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open(env, credential) >= maxStreams
}

func (h *hub) open(env auth.Env, credential string) (n int) {
	if h.rooms[env] == nil {
		return 0
	}
	for _, f := range h.rooms[env].followers {
		if f.credential == credential {
			n++
		}
	}
	return n
}

// join adds a follower that receives the events after lastID, unless others already follow
// the environment. It returns the ID after which it receives events. It returns nil if the
// credential has too many.
func (h *hub) join(env auth.Env, credential, lastID string) (f *follower, after string) {
	f = &follower{credential, make(chan []Change, followerBuffer), make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open(env, credential) >= maxStreams {
		return nil, ""
	}
	if h.rooms[env] == nil {
		h.rooms[env] = &room{lastID: lastID}
	}
	r := h.rooms[env]
	r.followers = append(r.followers, f)
	return f, r.lastID
}

func (h *hub) leave(env auth.Env, f *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[env]
	r.followers = slices.DeleteFunc(r.followers, func(other *follower) bool { return other == f })
	if len(r.followers) == 0 {
		delete(h.rooms, env)
	}
}

// followed returns the environments that have followers, with the newest events that were
// sent to them.
func (h *hub) followed() map[auth.Env]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[auth.Env]string{}
	for env, r := range h.rooms {
		all[env] = r.lastID
	}
	return all
}

// send passes the events of an environment on. Events that were sent are skipped.
func (h *hub) send(env auth.Env, added []Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[env]
	if r == nil {
		return
	}
	added = slices.DeleteFunc(added, func(c Change) bool { return c.ID <= r.lastID })
	if len(added) == 0 {
		return
	}
	r.lastID = added[len(added)-1].ID
	for _, f := range r.followers {
		f.offer(added)
	}
}

// offer puts changes into the buffer.
func (f *follower) offer(batch []Change) {
	select {
	case <-f.tooSlow:
		return
	default:
	}
	select {
	case f.changes <- batch:
	default:
		close(f.tooSlow)
	}
}
