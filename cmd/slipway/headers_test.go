package main_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// Each response has the envelope, a request ID and the rate-limit headers: also if the headers
// of the request are larger than the server reads, and during maintenance.
func TestRejectedRequestsHaveTheEnvelope(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		p.bootstrap()
		s := p.serve()
		send := func(request string) *http.Response {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			assert.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			assert.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
			_, _ = conn.Write([]byte(request)) // the server might close the connection before it has all
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			assert.NoError(t, err)
			return res
		}
		check := func(name string, res *http.Response, status int) {
			var body struct {
				Error struct {
					Status    int
					Message   string
					RequestID string `json:"request_id"`
				}
			}
			assert.NoError(t, json.NewDecoder(res.Body).Decode(&body), name)
			assert.Equal(t, body.Error.Status, status, name)
			assert.Equal(t, res.StatusCode, status, name)
			assert.Equal(t, res.Header.Get("Request-Id"), body.Error.RequestID, name)
			for _, h := range []string{"Request-Id", "Service-Version", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"} {
				if res.Header.Get(h) == "" {
					t.Errorf("%s: got no header %s", name, h)
				}
			}
		}
		for name, size := range map[string]int{"a little too large": 40 << 10, "much too large": 100 << 10} {
			check(name, send("GET /v1/hulls HTTP/1.1\r\nHost: x\r\nX-A: "+strings.Repeat("a", size)+"\r\n\r\n"), 400)
		}
		check("too many", send("GET /v1/hulls HTTP/1.1\r\nHost: x\r\n"+strings.Repeat("X-A: a\r\n", 200)+"\r\n"), 400)

		p.text("maintenance", "on")
		write := "POST /v1/hulls HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
		assert.Eventually(t, "maintenance", func() bool { return send(write).StatusCode == 503 })
		res := send(write)
		check("maintenance", res, 503)
		assert.Equal(t, res.Header.Get("Retry-After"), "60")
	})
}
