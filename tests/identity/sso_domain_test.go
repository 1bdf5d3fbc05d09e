package identity

import (
	"context"
	"net"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

func runRefresh(t *testing.T, api *sso.API, s *testkit.Server, id string) error {
	t.Helper()
	return jobs.Run(t.Context(), api.RefreshOne, sso.RefreshConnection{Env: s.TestEnv(), ConnectionID: id})
}

// nameServer is a DNS server with TXT records.
type nameServer struct {
	mu      sync.Mutex
	records map[string][]string // by name, with a dot at the end
}

// start runs the server until the test ends and returns a resolver that asks it.
func (n *nameServer) start(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0") //nolint:noctx // ends with the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, err := n.reply(buffer[:size]); err == nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// set replaces the records of a name.
func (n *nameServer) set(name string, records ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records[name] = records
}

func (n *nameServer) reply(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, q := range m.Questions {
		for _, text := range n.records[q.Name.String()] {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeTXT, Class: dnsmessage.ClassINET, TTL: 1},
				Body:   &dnsmessage.TXTResource{TXT: []string{text}},
			})
		}
	}
	return m.Pack()
}

// A domain is verified by its TXT record. The record of another environment, of
// another domain or of the parent doesn't count.
func TestVerifyDomain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := s.Test.SSOConnection(map[string]any{"domains": []string{"a.example.com", "b.example.com"}})
		live := s.Live.SSOConnection(map[string]any{"issuer": "https://id.example.com", "domains": []string{"a.example.com"}})
		other := s.Other.SSOConnection(map[string]any{"domains": []string{"a.example.com"}})
		names := &nameServer{records: map[string][]string{}}
		api := &sso.API{DB: s.DB, Resolver: names.start(t)}
		verified := func(records ...string) (done []string) {
			t.Helper()
			names.set("_slipway.a.example.com.", records...)
			if err := jobs.Run(t.Context(), api.VerifyNow, sso.VerifyDomains{Env: s.TestEnv(), ConnectionID: c.ID}); err != nil {
				t.Fatal(err)
			}
			s.Test.Get("/v1/sso_connections/"+c.ID, 200, &c)
			for _, v := range c.Verifications {
				if v.VerifiedAt != nil {
					done = append(done, v.Domain+" "+string(*v.VerifiedBy))
				}
			}
			return done
		}

		assert.Len(t, verified(), 0)
		wrong := []string{"v=spf1 -all", live.Verifications[0].RecordValue, other.Verifications[0].RecordValue, c.Verifications[1].RecordValue}
		assert.Len(t, verified(wrong...), 0)
		names.set("a.example.com.", c.Verifications[0].RecordValue)
		assert.Len(t, verified(c.Verifications[0].RecordValue+"x"), 0)
		done := verified("v=spf1 -all", c.Verifications[0].RecordValue)
		assert.Len(t, done, 1)
		assert.Equal(t, done[0], "a.example.com dns")
		assert.Len(t, verified(), 1) // it stays verified
	})
}
