package platform

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/testkit"
	"slipway/internal/webhooks"
)

// received is a request to a receiver.
type received struct {
	header http.Header
	body   []byte
}

func (r received) eventID() string { return r.header.Get("Webhook-Id") }

// receiver is a webhook endpoint. It collects the requests and returns a
// response that the test sets.
type receiver struct {
	*httptest.Server
	got chan received

	mu      sync.Mutex
	respond http.HandlerFunc
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan received, 100_000)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.got <- received{req.Header, body}
		r.mu.Lock()
		respond := r.respond
		r.mu.Unlock()
		if respond != nil {
			respond(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// respondWith sets the response to the next requests. Nil is an empty 200.
func (r *receiver) respondWith(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.respond = h
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// next waits for the next request.
func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case got := <-r.got:
		return got
	case <-time.After(30 * time.Second):
		t.Fatal("got no request within 30 seconds")
		return received{}
	}
}

// wantNone fails if there was another request.
func (r *receiver) wantNone(t *testing.T) {
	t.Helper()
	select {
	case got := <-r.got:
		t.Errorf("got an unexpected request: %s", got.body)
	default:
	}
}

// verify checks the signature of a request with the reference library.
func (r received) verify(secret string) error {
	wh, err := standard.NewWebhook(secret)
	if err != nil {
		return err
	}
	return wh.VerifyIgnoringTimestamp(r.body, r.header)
}

// subscribe creates a webhook for the receiver.
func subscribe(c *testkit.Client, r *receiver, types ...string) (w webhooks.WebhookWithSecret) {
	c.Post("/v1/webhooks", map[string]any{"url": r.URL + "/hook", "events": types}, 201, &w)
	return w
}

// deliveries lists the deliveries of a webhook, newest first.
func deliveries(c *testkit.Client, w webhooks.WebhookWithSecret, query string) []webhooks.Delivery {
	var list struct{ Data []webhooks.Delivery }
	c.Get("/v1/webhooks/"+w.ID+"/deliveries"+query, 200, &list)
	return list.Data
}
