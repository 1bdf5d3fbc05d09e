package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/testkit/assert"
)

// visit sends a request of a browser with its own cookies.
type browser struct {
	t *testing.T
	*http.Client
}

// newBrowser returns a browser for which all hosts lead to a server.
func newBrowser(t *testing.T, server *httptest.Server) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	assert.NoError(t, err)
	to := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}}
	t.Cleanup(to.CloseIdleConnections)
	return browser{t, &http.Client{Transport: to, Jar: jar}}
}

func (b browser) send(method, address, key string, body url.Values) (status int, at *url.URL, text string) {
	b.t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body.Encode()))
	assert.NoError(b.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := b.Do(req)
	assert.NoError(b.t, err)
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	assert.NoError(b.t, err)
	return res.StatusCode, res.Request.URL, string(content)
}

// Each visitor has a dealership that no other one sees, until it ends.
func TestPublic(t *testing.T) {
	set := app.Settings{BaseURL: "http://demo.localhost", Listen: "127.0.0.1:0", LiveRate: 100, TestRate: 100, AddressRate: 100}
	folder := t.TempDir()
	p, err := openPublic(t.Context(), set, folder, Limits{Visitors: 2, For: time.Hour, Bytes: 50 << 20, Starts: 4},
		func(ctx context.Context, set app.Settings, now time.Time) (Summary, error) {
			return seed(ctx, set, now, partOfFleet)
		})
	assert.NoError(t, err)
	var later atomic.Int64
	p.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	server := httptest.NewServer(p)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		server.Close()
	})

	begin := func() (b browser, address, key string) {
		t.Helper()
		b = newBrowser(t, server)
		status, _, text := b.send("GET", "http://demo.localhost/", "", nil)
		assert.Equal(t, status, 200)
		assert.Contains(t, text, "Start a demo")
		status, at, text := b.send("POST", "http://demo.localhost/", "", url.Values{})
		assert.Equal(t, status, 200, text)
		assert.Equal(t, at.Path, visitPath)
		key = regexp.MustCompile(`sk_test_\w+`).FindString(text)
		return b, "http://" + at.Host, key
	}
	one, first, firstKey := begin()
	two, second, secondKey := begin()
	if first == second || firstKey == secondKey {
		t.Fatal("two visitors got the same demo")
	}

	status, at, text := one.send("POST", first+visitPath, "", url.Values{"role": {"Sales"}})
	assert.Equal(t, status, 200, text)
	assert.Equal(t, at.Path, "/console/test/today")

	// A key works on its own host, and what it changes is on no other one.
	hull := func(b browser, address, key string) string {
		_, _, text := b.send("GET", address+"/v1/hulls?limit=1", key, nil)
		return text
	}
	assert.Contains(t, hull(one, first, firstKey), `"photo_count":1`)
	status, _, _ = two.send("GET", second+"/v1/hulls", firstKey, nil)
	assert.Equal(t, status, 401, "the key of another demo")
	id := regexp.MustCompile(`hull_\w+`).FindString(hull(one, first, firstKey))
	req, err := http.NewRequest("PATCH", first+"/v1/hulls/"+id, strings.NewReader(`{"title": "Changed by a visitor"}`))
	assert.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+firstKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := one.Do(req)
	assert.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, res.StatusCode, 200)
	assert.Contains(t, hull(one, first, firstKey), "Changed by a visitor")
	assert.Excludes(t, hull(two, second, secondKey), "Changed by a visitor")

	// A form of another site starts nothing, a third visitor finds no demo, and unknown hosts show none.
	req, err = http.NewRequest("POST", "http://demo.localhost/", nil)
	assert.NoError(t, err)
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err = newBrowser(t, server).Do(req)
	assert.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, res.StatusCode, 403)
	third := newBrowser(t, server)
	status, _, text = third.send("POST", "http://demo.localhost/", "", url.Values{})
	assert.Equal(t, status, 503)
	assert.Contains(t, text, "All demos are in use")
	for _, host := range []string{"other.demo.localhost", "original.demo.localhost", "example.com", ".demo.localhost"} {
		status, _, text := third.send("GET", "http://"+host+"/v1/hulls", firstKey, nil)
		assert.Equal(t, status, 404, host)
		assert.Contains(t, text, "This demo has ended")
	}

	// One stores too much, and the other one's time is over.
	files, err := os.ReadDir(folder)
	assert.NoError(t, err)
	assert.Len(t, files, 3)
	name := strings.TrimSuffix(strings.TrimPrefix(first, "http://"), ".demo.localhost")
	assert.NoError(t, os.WriteFile(filepath.Join(folder, name, "large"), make([]byte, 60<<20), 0o600))
	p.Sweep()
	status, _, _ = one.send("GET", first+"/v1/hulls", firstKey, nil)
	assert.Equal(t, status, 404, "it stored too much")
	status, _, _ = two.send("GET", second+"/v1/hulls", secondKey, nil)
	assert.Equal(t, status, 200)
	later.Store(int64(61 * time.Minute))
	p.Sweep()
	status, _, _ = two.send("GET", second+"/v1/hulls", secondKey, nil)
	assert.Equal(t, status, 404, "its time is over")
	files, err = os.ReadDir(folder)
	assert.NoError(t, err)
	assert.Len(t, files, 1)

	// There is room again, until a network has started too many.
	_, _, _ = begin()
	later.Store(int64(61 * time.Minute))
	for status = 0; status != 429; {
		if status, _, text = newBrowser(t, server).send("POST", "http://demo.localhost/", "", url.Values{}); status == 500 {
			t.Fatal(text)
		}
	}
	assert.Contains(t, text, "You started several demos")
}
