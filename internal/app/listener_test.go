package app

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"slipway/internal/platform/admission"
	"slipway/internal/testkit/assert"
)

// limited is a server that keeps two connections open.
type limited struct {
	*listener
	t       *testing.T
	address string
	working chan struct{} // requests of /slow that have started
	finish  chan struct{}
	release chan struct{}
}

func newLimited(t *testing.T) limited {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NoError(t, err)
	l := newListener(tcp, 2, nil)
	s := limited{l, t, tcp.Addr().String(), make(chan struct{}, 10), make(chan struct{}), make(chan struct{})}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			admission.LeaveConnection(r.Context())
		}
		if r.URL.Path != "/" {
			s.working <- struct{}{}
			<-s.finish
		}
	})}
	l.limit(server)
	ended := make(chan error)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() {
		close(s.finish)
		assert.NoError(t, server.Close())
		assert.Equal(t, <-ended, http.ErrServerClosed)
	})
	return s
}

// send opens a connection and sends a request. The connection stays open.
func (s limited) send(path string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	assert.NoError(s.t, err)
	s.t.Cleanup(func() { _ = c.Close() })
	assert.NoError(s.t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: example.com\r\n\r\n")
	assert.NoError(s.t, err)
	return c
}

// answered waits for a response.
func (s limited) answered(c net.Conn) {
	s.t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	assert.NoError(s.t, err)
	assert.NoError(s.t, res.Body.Close())
	assert.Equal(s.t, res.StatusCode, http.StatusOK)
}

// idles waits until a number of connections are idle.
func (s limited) idles(n int) {
	s.t.Helper()
	assert.Eventually(s.t, "idle connections", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.idle.Len() == n
	})
}

// A connection that finds the server full takes the place of the one that has been idle for
// the longest time.
func TestIdleConnectionsAreClosedFirst(t *testing.T) {
	s := newLimited(t)
	first, second := s.send("/"), s.send("/")
	s.answered(first)
	s.answered(second)
	s.idles(2)

	_, err := io.WriteString(first, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n") // then the second is idle for longer
	assert.NoError(t, err)
	s.answered(first)
	s.idles(2)
	s.answered(s.send("/"))
	_, err = second.Read(make([]byte, 1))
	assert.Equal(t, err, io.EOF, "the second connection")
	_, err = io.WriteString(first, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	assert.NoError(t, err)
	s.answered(first)
}

// If each connection is in use, others wait until one is not. Streams don't count.
func TestConnectionsWait(t *testing.T) {
	s := newLimited(t)
	s.send("/stream")
	<-s.working
	s.send("/slow")
	s.send("/slow")
	<-s.working
	<-s.working
	waiting := s.send("/")
	assert.NoError(t, waiting.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := waiting.Read(make([]byte, 1))
	failed, ok := err.(net.Error) //nolint:errorlint // from the connection
	assert.Equal(t, ok && failed.Timeout(), true, "a response while the server is full")

	s.finish <- struct{}{} // one of the three, and the stream has no place to leave
	s.finish <- struct{}{}
	assert.NoError(t, waiting.SetReadDeadline(time.Now().Add(time.Minute)))
	s.answered(waiting)
}
