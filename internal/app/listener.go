package app

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"

	"slipway/internal/platform/admission"
)

// DefaultConnections is how many connections a server keeps open, unless the settings change it.
const DefaultConnections = 2048

// listener limits how many connections are open. The others wait in the queue of the kernel,
// where they need no memory of the server. If one waits, the connection is closed that has
// been idle for the longest time.
type listener struct {
	net.Listener
	reject func(remote string) []byte // nil with TLS
	most   int

	mu     sync.Mutex
	free   *sync.Cond // a connection was closed or is idle, or the listener was closed
	open   int
	idle   list.List // of *conn, the longest first
	closed bool
}

func newListener(l net.Listener, most int, reject func(remote string) []byte) *listener {
	limited := &listener{Listener: l, reject: reject, most: cmp.Or(most, DefaultConnections)}
	limited.free = sync.NewCond(&limited.mu)
	return limited
}

// Accept waits for a connection, and then for a place for it. One connection more than the
// limit is open while it waits.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.enter() {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		l.leave()
		return c, nil
	}
	return &conn{TCPConn: tcp, listener: l}, nil
}

// enter waits for a place. It reports false if the listener was closed.
func (l *listener) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= l.most && !l.closed {
		if oldest := l.idle.Front(); oldest != nil {
			c, _ := l.idle.Remove(oldest).(*conn)
			c.waiting = nil
			l.mu.Unlock()
			_ = c.Close() // leaves its place
			l.mu.Lock()
			continue
		}
		l.free.Wait()
	}
	l.open++
	return !l.closed
}

func (l *listener) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	l.free.Signal()
}

// Close stops accepting connections.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.free.Broadcast()
	return l.Listener.Close()
}

// limit makes a server tell the listener which connections are idle.
func (l *listener) limit(s *http.Server) {
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if own := ownConn(c); own != nil {
			l.note(own, state == http.StateIdle)
		}
	}
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if own := ownConn(c); own != nil {
			return admission.WithConnection(ctx, own.leave)
		}
		return ctx
	}
}

// ownConn returns the connection of the listener below TLS.
func ownConn(c net.Conn) *conn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

// note records whether a connection is idle.
func (l *listener) note(c *conn, idle bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.waiting != nil {
		l.idle.Remove(c.waiting)
		c.waiting = nil
	}
	if idle {
		c.waiting = l.idle.PushBack(c)
		l.free.Signal()
	}
}

// conn is a connection, with everything that Go uses of TCP.
type conn struct {
	*net.TCPConn
	listener *listener
	left     sync.Once
	waiting  *list.Element // in the list of idle connections
}

// leave ends the place of a connection. A stream does this while it is open: streams have
// their own limit.
func (c *conn) leave() { c.left.Do(c.listener.leave) }

// Close closes the connection.
func (c *conn) Close() error {
	c.leave()
	return c.TCPConn.Close()
}

var tooLarge = []byte("HTTP/1.1 431 ")

// Write replaces the page that Go writes itself if the headers of a request are larger than it
// reads. With TLS, where it is encrypted here, only the router rejects them.
func (c *conn) Write(b []byte) (int, error) {
	if c.listener.reject == nil || !bytes.HasPrefix(b, tooLarge) { // no handler returns this status
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(c.listener.reject(c.RemoteAddr().String())); err != nil {
		return 0, err
	}
	return len(b), nil
}
