package app

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

// story is a day at a dealership that calls every operation at least once. The
// examples of the API reference are recorded from it, and `make test-contract`
// sends it through a proxy that validates each message.
type story struct {
	t      *testing.T
	s      *testkit.Server
	routes map[string]route // by operation ID
	calls  []call
	read   []pinned
	server string             // its URL
	begin  func(desk *teller) // what happens first, or nil
	proxy  *proxy             // nil: the requests go to the server

	pins     []string         // versions that each GET is called with too
	receiver *httptest.Server // of webhooks
	fails    atomic.Bool      // whether the receiver rejects what it gets

	location, ben, hull, contact, lead, deal string // IDs
}

type route struct{ method, path, status string }

// call is one request of the story with its response.
type call struct {
	operation string
	request   any
	response  *testkit.Response
}

// pinned is the response to a GET in a version.
type pinned struct {
	operation, version string
	body               []byte
}

// proxy is where the requests of the story go instead of the server.
type proxy struct {
	start  func(server string) (url string)
	except []string // operations that still go to the server
}

// teller is a client who takes part in the story.
type teller struct {
	*testkit.Client
	story *story
}

// storyStart is the time at which the story starts.
var storyStart = time.Date(2026, 12, 1, 15, 0, 0, 0, time.UTC)

// tellStory tells the story to a server, directly or through a proxy.
func tellStory(t *testing.T, s *testkit.Server, p *proxy) []call {
	t.Helper()
	st := &story{t: t, s: s, proxy: p}
	st.tell()
	return st.calls
}

func (st *story) tell() {
	t, s, p := st.t, st.s, st.proxy
	t.Helper()
	st.server, st.routes = s.URL, map[string]route{}
	for _, o := range allOperations() {
		st.routes[o.OperationID] = route{o.Method, o.Path, successOf(o)}
	}
	st.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if st.fails.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte("received"))
	}))
	t.Cleanup(st.receiver.Close)

	startStory(s)
	s.Fleet()
	s.Exec(`UPDATE users SET name = 'Olivia Chen'`)
	var scopes []auth.Scope
	for _, x := range auth.Scopes {
		scopes = append(scopes, x.Scope)
	}
	desk := st.teller(s.As(s.KeyWith(access.KeyRequest{Name: "Back office", Scopes: scopes})))
	if st.begin != nil {
		st.begin(desk)
	}
	if p != nil {
		s.URL = p.start(s.URL)
	}

	st.setUp(desk)
	st.stockBoats(desk)
	st.showBoats(desk)
	st.meetCustomers(desk)
	st.sell(desk)
	st.finance(desk)
	st.deliver(desk)
	st.connect(desk)
	st.secure(desk)
	st.notify(desk)
}

// startStory stops the clock. What the server created before is a month old.
func startStory(s *testkit.Server) {
	s.StopClock(storyStart)
	for _, table := range []string{"dealerships", "users", "roles"} {
		s.Exec(`UPDATE `+table+` SET created_at = ?, updated_at = ?`, storyStart.AddDate(0, -1, 0), storyStart.AddDate(0, -1, 0))
	}
}

func (st *story) teller(c *testkit.Client) *teller { return &teller{c, st} }

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// does calls an operation. The details are the values of the parameters in its
// path, and can end with a query.
func (w *teller) does(operation string, body, out any, details ...string) {
	st := w.story
	st.t.Helper()
	r, ok := st.routes[operation]
	if !ok {
		st.t.Fatalf("operation %s does not exist", operation)
	}
	path := pathParameter.ReplaceAllStringFunc(r.path, func(string) string {
		if len(details) == 0 {
			st.t.Fatalf("%s needs more values for %s", operation, r.path)
		}
		value := details[0]
		details = details[1:]
		return value
	})
	if through := st.s.URL; st.proxy != nil && slices.Contains(st.proxy.except, operation) {
		st.s.URL = st.server
		defer func() { st.s.URL = through }()
	}
	status := map[string]int{"200": 200, "201": 201, "202": 202, "204": 204}[r.status]
	res := w.Do(r.method, path+strings.Join(details, ""), body, status, out)
	st.calls = append(st.calls, call{operation, body, res})
	for _, pin := range st.pins {
		if r.method == http.MethodGet {
			older := w.With("Service-Version", pin).Do(r.method, path+strings.Join(details, ""), body, status, nil)
			st.read = append(st.read, pinned{operation, pin, older.Bytes})
		}
	}
	st.s.Advance(time.Minute)
}

// ref is a resource of which the story only needs the ID.
type ref struct{ ID string }

// object is a JSON object.
type object = map[string]any

// drawing returns a small photo of a boat. Different colors are different photos.
func drawing(sky color.RGBA) testkit.File {
	img := image.NewRGBA(image.Rect(0, 0, 1200, 800))
	for y := range 800 {
		for x := range 1200 {
			c := sky
			switch {
			case y > 560:
				c = color.RGBA{20, 70, uint8(120 + x%16), 255}
			case y > 460 && x > 250+(y-460) && x < 950-(y-460):
				c = color.RGBA{240, 240, 235, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return testkit.File{Type: "image/png", Bytes: b.Bytes()}
}
