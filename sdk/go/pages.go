package slipway

import (
	"slices"
	"sync"
)

// The limits of the pages that a client keeps.
const (
	maxPages    = 32
	maxPageSize = 256 << 10
)

// pages are the lists that a client got last. The server says if nothing has changed, and then
// sends no body.
type pages struct {
	mu     sync.Mutex
	byURL  map[string]keptPage
	recent []string // URLs, the latest last
}

type keptPage struct {
	tag  string
	text []byte
}

// get returns the page of a URL, or the zero page.
func (p *pages) get(url string) keptPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byURL[url]
}

// keep replaces the page of a URL, and forgets the oldest one if there are too many.
func (p *pages) keep(url string, page keptPage) {
	if page.tag == "" || len(page.text) > maxPageSize {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byURL == nil {
		p.byURL = map[string]keptPage{}
	}
	p.recent = append(slices.DeleteFunc(p.recent, func(u string) bool { return u == url }), url)
	p.byURL[url] = page
	if len(p.recent) > maxPages {
		delete(p.byURL, p.recent[0])
		p.recent = slices.Delete(p.recent, 0, 1)
	}
}
