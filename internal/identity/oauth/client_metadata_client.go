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

	mu   sync.Mutex
	kept map[string]keptClient
}

type keptClient struct {
	app   PublishedApp
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
		return kept.app, nil
	}

	m, age, err := c.read(ctx, id)
	if err != nil {
		return PublishedApp{}, &errRedirect{"The document at the client_id of the link can't be read."}
	}
	app, problem := m.app(id)
	if problem != "" {
		return app, &errRedirect{problem}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxClients {
		c.kept = map[string]keptClient{}
	}
	c.kept[id] = keptClient{app, c.Now().Add(age)}
	return app, nil
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
