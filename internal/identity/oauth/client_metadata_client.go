package oauth

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// maxMetadata limits the size of a document, and maxClients how many are kept.
const (
	maxMetadata = 64 << 10
	maxClients  = 1000
)

// Clients reads and keeps client ID metadata documents.
type Clients struct {
	HTTP      *http.Client // only connects to public addresses
	Now       func() time.Time
	AllowHTTP bool // on loopback, for development
	Reads     *ratelimit.Limiter

	mu   sync.Mutex
	kept map[string]keptClient
}

// failureAge is how long a document that can't be used is not read again.
const failureAge = time.Minute

type keptClient struct {
	app   PublishedApp
	err   error // why the document can't be used, or nil
	until time.Time
}

// find returns the app that the document at a URL describes.
func (c *Clients) find(ctx context.Context, id string) (PublishedApp, error) {
	if problem := checkMetadataURL(id, c.AllowHTTP); problem != "" {
		return PublishedApp{}, &errRedirect{problem}
	}
	c.mu.Lock()
	kept, ok := c.kept[id]
	c.mu.Unlock()
	if ok && c.Now().Before(kept.until) {
		return kept.app, kept.err
	}

	if taken := c.Reads.TakeAddress("client document", auth.RequestFrom(ctx).IP, 10, 10*time.Second); taken.Wait > 0 {
		return PublishedApp{}, fault.New(fault.KindRateLimited, "Too many apps.").RetryIn(taken.Wait)
	}
	m, age, err := c.read(ctx, id)
	if ctx.Err() != nil {
		return PublishedApp{}, ctx.Err()
	}
	app, problem := m.app(id)
	if err != nil {
		problem = "The document at the client_id of the link can't be read."
	}
	if problem != "" {
		app, err, age = PublishedApp{}, &errRedirect{problem}, failureAge
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxClients {
		c.kept = map[string]keptClient{}
	}
	c.kept[id] = keptClient{app, err, c.Now().Add(age)}
	return app, err
}

func (c *Clients) read(ctx context.Context, id string) (m clientMetadata, age time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return m, 0, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.HTTP.Do(req)
	if err != nil {
		return m, 0, err
	}
	defer res.Body.Close()
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return m, 0, errProtocol("invalid_client", "got status %d and content type %q", res.StatusCode, kind)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata+1))
	if err != nil || len(text) > maxMetadata {
		return m, 0, errProtocol("invalid_client", "the document is larger than %d bytes", maxMetadata)
	}
	return m, metadataAge(res.Header.Get("Cache-Control")), json.Unmarshal(text, &m)
}
