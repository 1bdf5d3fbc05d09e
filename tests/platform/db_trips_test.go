package platform

import (
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// line is a connection to PostgreSQL that counts how often a client waits for an answer.
type line struct {
	url   string
	trips atomic.Int64
}

func newLine(t *testing.T, database string) *line {
	t.Helper()
	cfg, err := pgconn.ParseConfig(database)
	assert.NoError(t, err)
	server, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NoError(t, err)
	u, err := url.Parse(database)
	assert.NoError(t, err)
	u.Host = listener.Addr().String()
	query := u.Query()
	query.Del("host")
	u.RawQuery = query.Encode()

	l := &line{url: u.String()}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { l.carry(t, client, server, address) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		open.Wait()
	})
	return l
}

// carry connects a client with the server until one of them hangs up.
func (l *line) carry(t *testing.T, client net.Conn, network, address string) {
	defer client.Close()
	server, err := net.Dial(network, address)
	if err != nil {
		t.Error(err)
		return
	}
	var answered atomic.Bool
	var both sync.WaitGroup
	copyTo := func(to, from net.Conn, each func()) {
		defer to.Close()
		defer from.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := from.Read(buf)
			if n > 0 {
				each()
				if _, err := to.Write(buf[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	both.Go(func() {
		copyTo(server, client, func() {
			if answered.Swap(false) {
				l.trips.Add(1)
			}
		})
	})
	both.Go(func() { copyTo(client, server, func() { answered.Store(true) }) })
	both.Wait()
}

// The time of a write between two machines is mostly the time of its round trips.
func TestRoundTrips(t *testing.T) {
	s := testkit.OnPostgres(t)
	home, contact := s.Test.Location(), s.Test.Contact(nil)
	l := newLine(t, s.Settings().DatabaseURL)
	node := s.NodeWith(func(set *app.Settings) { set.DatabaseURL = l.url })

	for name, c := range map[string]struct {
		most int64
		send func(n int)
	}{
		"create a hull": {6, func(n int) {
			node.Test.Hull(home, map[string]any{"stock_number": fmt.Sprintf("T-%d", n)})
		}},
		"change a contact": {8, func(n int) {
			node.Test.Patch("/v1/contacts/"+contact, map[string]any{"last_name": fmt.Sprint(n)}, 200, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			least := int64(1000)
			for n := range 20 { // the first ones prepare statements
				before := l.trips.Load()
				c.send(n)
				least = min(least, l.trips.Load()-before)
			}
			t.Logf("%d round trips", least)
			if least > c.most {
				t.Errorf("got %d round trips, want at most %d", least, c.most)
			}
		})
	}
}
