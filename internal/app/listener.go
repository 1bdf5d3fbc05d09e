package app

import (
	"bytes"
	"net"
)

// listener replaces the page that Go writes itself if the headers of a request are larger
// than it reads. With TLS, where Go needs its own connections, only the router rejects them.
type listener struct {
	net.Listener
	reject func(remote string) []byte
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{tcp, l.reject}, err
	}
	return c, err
}

// conn is a connection, with everything that Go uses of TCP.
type conn struct {
	*net.TCPConn
	reject func(remote string) []byte
}

var tooLarge = []byte("HTTP/1.1 431 ")

func (c *conn) Write(b []byte) (int, error) {
	if !bytes.HasPrefix(b, tooLarge) { // no handler returns this status
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(c.reject(c.RemoteAddr().String())); err != nil {
		return 0, err
	}
	return len(b), nil
}
