package inventory

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"time"

	"slipway/internal/channels"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// read gets a URL of the server without a credential.
func read(t *testing.T, s *testkit.Server, url string, want int) *testkit.Response {
	t.Helper()
	res, err := s.As("").Send("GET", strings.TrimPrefix(url, "http://localhost"), nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, res.StatusCode, want, url)
	return res
}

// shown returns what users and webhooks see of channels.
func shown(s *testkit.Server) []string {
	return append(testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE type LIKE 'channel.%'`),
		string(s.Test.Get("/v1/channels", 200, nil).Bytes), string(s.Test.Get("/v1/audit?limit=100", 200, nil).Bytes))
}

// A feed URL needs no header. It is shown once, and stops when it is replaced or revoked,
// or when the channel is deleted.
func TestFeedURL(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var c channels.Channel
		s.Test.Post("/v1/channels", `{"name": "Boat Trader", "kind": "boat_trader", "format": "xml", "auto_publish": true}`, 201, &c)
		if c.FeedURL == nil || !strings.HasPrefix(*c.FeedURL, "http://localhost/feeds/") || c.FeedURLCreatedAt == nil || c.SigningSecret != nil {
			t.Fatalf("got %s, want a feed URL and no signing secret", assert.Show(c))
		}
		first, token := *c.FeedURL, strings.TrimPrefix(*c.FeedURL, "http://localhost/feeds/")
		hull := s.Test.Hull(s.Test.Location(), nil)

		res := read(t, s, first, 200)
		assert.Equal(t, res.Header.Get("Content-Type"), "application/xml")
		assert.Equal(t, res.Header.Get("Referrer-Policy"), "no-referrer")
		assert.Equal(t, feedIDs(t, "boatstream", res.Bytes), []string{hull})
		own := s.Test.Get("/v1/channels/"+c.ID+"/feed", 200, nil)
		assert.Equal(t, string(res.Bytes), string(own.Bytes), "with an API key")
		same, err := s.As("").With("If-None-Match", res.Header.Get("ETag")).Send("GET", "/feeds/"+token, nil)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, same.StatusCode, 304)

		// It is not shown again, and only its hash is stored.
		for _, text := range shown(s) {
			assert.Excludes(t, text, token)
		}
		for _, hash := range testkit.Rows[[]byte](s, `SELECT feed_hash FROM channels`) {
			assert.Len(t, hash, 32)
		}

		path := "/v2-preview/channels/" + c.ID
		s.Test.With("If-Match", `"9"`).Post(path+"/rotate_feed_url", nil, 409, nil)
		s.Test.Post(path+"/rotate_feed_url", nil, 200, &c)
		second := *c.FeedURL
		assert.Equal(t, c.Version, 2)
		read(t, s, first, 404)
		read(t, s, second, 200)

		var revoked channels.Channel
		s.Test.Post(path+"/revoke_feed_url", nil, 200, &revoked)
		assert.Equal(t, revoked.FeedURLCreatedAt, nil)
		assert.Equal(t, revoked.FeedURL, nil)
		assert.Contains(t, read(t, s, second, 404).Bytes, `"code":"not_found"`)
		s.Test.Post(path+"/revoke_feed_url", nil, 409, nil).WantDetail(t, "feed_url", "state")
		s.Test.Get("/v1/channels/"+c.ID+"/feed", 200, nil)

		s.Test.Post(path+"/rotate_feed_url", nil, 200, &c)
		read(t, s, *c.FeedURL, 200)
		s.Test.Delete("/v1/channels/"+c.ID, 204)
		read(t, s, *c.FeedURL, 404)
		read(t, s, "/feeds/"+strings.Repeat("a", 52), 404)
		assert.Equal(t, s.EventTypes(c.ID), []string{
			"channel.created", "channel.feed_url_created", "channel.feed_url_revoked", "channel.feed_url_created", "channel.deleted",
		})

		// Channels from before there were feed URLs have none.
		old := s.Test.Channel(nil)
		s.Exec(`UPDATE channels SET feed_hash = NULL, feed_url_created_at = NULL, secrets = NULL WHERE id = ?`, old)
		s.Test.Post("/v2-preview/channels/"+old+"/rotate_feed_url", nil, 200, &c)
		read(t, s, *c.FeedURL, 200)
		s.Other.Post("/v2-preview/channels/"+old+"/rotate_feed_url", nil, 404, nil)
		s.As(s.Key("hulls:read")).Post("/v2-preview/channels/"+old+"/rotate_feed_url", nil, 403, nil)
	})
}

// A feed URL is read at most 30 times in a row. Other feeds are not affected.
func TestFeedURLIsLimited(t *testing.T) {
	s := testkit.OnSQLite(t)
	var a, b channels.Channel
	s.Test.Post("/v1/channels", `{"name": "A"}`, 201, &a)
	s.Test.Post("/v1/channels", `{"name": "B"}`, 201, &b)
	for range 30 {
		read(t, s, *a.FeedURL, 200)
	}
	res := read(t, s, *a.FeedURL, 429)
	assert.Contains(t, res.Bytes, `"code":"rate_limited"`)
	if res.Header.Get("Retry-After") == "" {
		t.Error("got no Retry-After")
	}
	read(t, s, *b.FeedURL, 200)
	s.Advance(11 * time.Second)
	read(t, s, *a.FeedURL, 200)
}

func TestFeedURLIsCompressed(t *testing.T) {
	s := testkit.OnSQLite(t)
	var c channels.Channel
	s.Test.Post("/v1/channels", `{"name": "A", "auto_publish": true}`, 201, &c)
	s.Test.Hull(s.Test.Location(), nil)
	plain := read(t, s, *c.FeedURL, 200).Bytes
	res, err := s.As("").With("Accept-Encoding", "gzip").Send("GET", strings.TrimPrefix(*c.FeedURL, "http://localhost"), nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, res.Header.Get("Content-Encoding"), "gzip")
	unzip, err := gzip.NewReader(strings.NewReader(string(res.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil || string(text) != string(plain) {
		t.Errorf("got %v and %s, want %s", err, text, plain)
	}
}

// Boats that have not arrived are pre-orders, if the channel wants them and its format
// supports them. Their photos are public too.
func TestPreOrders(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v2-preview/channels/"
		id := s.Test.Channel(map[string]any{"auto_publish": true, "filter": map[string]any{"pre_orders": true}})
		plain := s.Test.Channel(map[string]any{"auto_publish": true})
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"status": "on_order", "hin": nil})
		assert.Equal(t, publishedOn(s, boat), []string{id})
		s.Test.Photo(boat)

		feed := string(s.Test.Get("/v1/channels/"+id+"/feed", 200, nil).Bytes)
		assert.Contains(t, feed, "https://schema.org/PreOrder")
		assert.Excludes(t, s.Test.Get("/v1/channels/"+plain+"/feed", 200, nil).Bytes, boat)
		_, link, _ := strings.Cut(feed, `"image":["`)
		link, _, _ = strings.Cut(link, `"`)
		read(t, s, link, 200)

		s.RunJobs()
		s.Test.Put("/v1/hulls/"+boat+"/syndication/"+plain, nil, 409, nil).WantDetail(t, "status", "state")
		s.Test.Patch(path+id, `{"format": "openmarine"}`, 200, nil)
		assert.Excludes(t, s.Test.Get("/v1/channels/"+id+"/feed", 200, nil).Bytes, boat)
		assert.Eventually(t, "withdrawn", func() bool { return len(publishedOn(s, boat)) == 0 })
		read(t, s, link, 404)
		l := onChannel(s, boat, id)
		assert.Equal(t, *l.Message, "The hull's status is on_order, which the channel's format doesn't support.")
		s.Test.Patch(path+id, `{"format": "xml"}`, 200, nil)
		assert.Eventually(t, "listed again", func() bool { return len(publishedOn(s, boat)) == 1 })
		assert.Contains(t, s.Test.Get("/v1/channels/"+id+"/feed", 200, nil).Bytes, "<status>pre_order</status>")
	})
}

// Clients of the first version see what they know: another XML is xml, and no secrets.
func TestChannelsOfAnOlderVersion(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Channel(map[string]any{"format": "openmarine"})
	old := s.Test.With("Service-Version", "2026-11-15")
	text := old.Get("/v1/channels", 200, nil).Bytes
	assert.Contains(t, text, `"format":"xml"`)
	assert.Contains(t, text, `"price_min":null}`)
	for _, name := range []string{"feed_url", "signing_secret", "credential", "listing_url", "pre_orders"} {
		assert.Excludes(t, text, name)
	}
	old.Post("/v1/channels", `{"name": "x", "format": "openmarine"}`, 422, nil).WantDetail(t, "format", "version")
	assert.Excludes(t, old.Post("/v1/channels", `{"name": "x"}`, 201, nil).Bytes, "feed_url")
}
