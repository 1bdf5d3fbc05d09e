package platform

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// follower reads a stream in the background.
type follower struct {
	t      *testing.T
	events chan string // "id data", "event data", or a comment
	cancel func()
}

func follow(t *testing.T, s *testkit.Server, key, lastEventID string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v2-preview/events/stream", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Accept-Encoding", "gzip")
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, res.StatusCode, 200)
	assert.Equal(t, res.Header.Get("Content-Type"), "text/event-stream")
	assert.Equal(t, res.Header.Get("Content-Encoding"), "", "encoding")
	f := &follower{t, make(chan string, 2000), cancel}
	ready := make(chan struct{})
	go func() {
		defer close(f.events)
		defer res.Body.Close()
		id, event := "", ""
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "retry":
				close(ready)
			case "id":
				id = value
			case "event":
				event = value
			case "data":
				f.events <- strings.TrimSpace(event + " " + id + " " + value)
				event = ""
			case "":
				if value != "" {
					f.events <- value
				}
			}
		}
	}()
	<-ready
	t.Cleanup(cancel)
	return f
}

// next returns the next event, or "" if the stream has ended.
func (f *follower) next() string {
	f.t.Helper()
	select {
	case e := <-f.events:
		return e
	case <-time.After(90 * time.Second):
		f.t.Fatal("no event after 90 seconds")
		return ""
	}
}

// published waits until the event of a new location is in the feed.
func published(t *testing.T, c *testkit.Client, location string) {
	t.Helper()
	assert.Eventually(t, "the event of location "+location, func() bool {
		var list struct{ Data []struct{ ID string } }
		c.Get("/v1/events?object_id="+location, 200, &list)
		return len(list.Data) > 0
	})
}

// A client receives the events that its scopes can read, and what it missed after a
// disconnect.
func TestStream(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		at, theirs := s.Test.Location(), s.Other.Location()
		published(t, s.Test, at)
		published(t, s.Other, theirs)
		go s.Streams.Run(t.Context())
		all := follow(t, s, s.Test.Key, "")
		hulls := follow(t, s, s.Key(auth.Webhooks, auth.HullsRead), "")
		sales := follow(t, s, s.Token(s.Person("sales").Email), "")
		other := follow(t, s, s.Other.Key, "")

		contact := s.Test.Contact(nil)
		hull := s.Test.Hull(at, nil)
		assert.Contains(t, hulls.next(), `{"type":"hull.created","object_id":"`+hull+`"}`)
		var last string
		for last == "" {
			e := all.next()
			if strings.Contains(e, contact) {
				assert.Contains(t, e, `"type":"contact.created"`)
				last, _, _ = strings.Cut(e, " ")
			}
		}
		assert.Contains(t, sales.next(), contact)
		assert.Contains(t, sales.next(), hull)

		all.cancel()
		second := s.Test.Hull(at, nil)
		again := follow(t, s, s.Test.Key, last)
		assert.Contains(t, again.next(), hull)
		assert.Contains(t, again.next(), second)
		hull = s.Other.Hull(theirs, nil)
		assert.Contains(t, other.next(), hull, "the events of another dealership")
	})
}

// A client that missed too much has to read everything again. Then it gets new events.
func TestStreamReset(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Streams.MaxMissed = 3
		s.RunRelay()
		go s.Streams.Run(t.Context())
		first := follow(t, s, s.Test.Key, "")
		s.Test.Location()
		seen, _, _ := strings.Cut(first.next(), " ")
		first.cancel()
		var last string
		for range 4 {
			last = s.Test.Location()
		}
		published(t, s.Test, last)

		again := follow(t, s, s.Test.Key, seen)
		assert.Contains(t, again.next(), "reset evt_")
		next := s.Test.Location()
		assert.Contains(t, again.next(), next, "the first event after the reset")
	})
}

// A client of one server gets the events of the others, whichever publishes them.
func TestStreamOfTwoServers(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.Node()
	other.RunRelay()
	for _, node := range []*testkit.Server{s, other} {
		go node.Streams.Run(t.Context())
	}
	here, there := follow(t, s, s.Test.Key, ""), follow(t, other, s.Test.Key, "")
	for _, node := range []*testkit.Server{s, other} {
		location := node.Test.Location()
		assert.Contains(t, here.next(), location)
		assert.Contains(t, there.next(), location)
	}

	// The client goes on at the other server.
	here.cancel()
	s.Test.Location()
	seen, _, _ := strings.Cut(there.next(), " ")
	location := s.Test.Location()
	again := follow(t, s, s.Test.Key, seen)
	assert.Contains(t, again.next(), location)
}

// A stream whose credential was revoked gets no further event, and one credential can't open
// any number of streams.
func TestStreamsOfACredential(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Streams.TrustFor = 0
		s.RunRelay()
		go s.Streams.Run(t.Context())
		p := s.Person("manager")
		f := follow(t, s, p.Key, "")
		at := s.Test.Location()
		assert.Contains(t, f.next(), at)
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
		s.Test.Location()
		assert.Equal(t, f.next(), "")

		var open []*follower
		for range 50 {
			open = append(open, follow(t, s, s.Test.Key, ""))
		}
		s.Test.Location()
		for _, f := range open {
			assert.Contains(t, f.next(), "location.created") // it counts now
		}
		s.Test.Get("/v2-preview/events/stream", 429, nil)
		follow(t, s, s.Other.Key, "").cancel()
	})
}

// A stream ends soon after its credential, even if the credential was checked just before and
// the last event is one that its user can't read.
func TestStreamOfDeactivated(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Streams.TrustFor, s.Streams.Heartbeat = 50*time.Millisecond, time.Hour
		s.RunRelay()
		go s.Streams.Run(t.Context())
		p := s.Person("viewer")
		f := follow(t, s, p.Key, "")
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
		assert.Equal(t, f.next(), "")
	})
}

// A stream ends when its credential ends.
func TestStreamEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Streams.Heartbeat = 20 * time.Millisecond
		p := s.Person("sales")
		f := follow(t, s, p.Key, "")
		assert.Equal(t, f.next(), "still connected")
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
		assert.Eventually(t, "the stream to end", func() bool { return f.next() == "" })
	})
}
