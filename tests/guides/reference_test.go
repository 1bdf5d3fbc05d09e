package guides

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Each operation has a page that says what it changes and when it is refused before it lists
// fields, with samples in four languages and a way to try it. The public endpoints have no SDK.
func TestReferencePages(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	const transferred = 150_000 - 48_256 - 20_000 // without the font, and the stylesheet and scripts, see TestReferenceBytes
	for document, page := range map[string]string{
		"/openapi.json": "/docs/reference", "/openapi-preview.json": "/docs/reference/preview", "/openapi-public.json": "/docs/reference/public",
	} {
		var doc struct {
			Paths map[string]map[string]struct{ OperationID, Summary string }
		}
		assert.NoError(t, json.Unmarshal(open(t, s, document).Bytes, &doc))
		first := string(open(t, s, page).Bytes)
		for path, item := range doc.Paths {
			for method, o := range item {
				if o.OperationID == "" {
					continue
				}
				url := page + "/" + o.OperationID
				res := open(t, s, url)
				text := string(res.Bytes)
				order := []int{strings.Index(text, `id="changes"`), strings.Index(text, `id="refusals"`), strings.Index(text, `class="params"`)}
				if res.StatusCode != 200 || order[0] < 0 || order[1] < order[0] || order[2] >= 0 && order[2] < order[1] {
					t.Errorf("%s: got %d with what changes, refusals and fields at %v, want 200 and this order", url, res.StatusCode, order)
				}
				assert.Contains(t, text, "<h1>"+html.EscapeString(o.Summary)+"</h1>", url)
				for _, lang := range []string{"curl", "go", "ts", "cli"} {
					if !strings.Contains(text, `class="p-`+lang+`"`) && (page != "/docs/reference/public" || lang == "curl") {
						t.Errorf("%s has no sample for %s", url, lang)
					}
				}
				if method != "get" && strings.Contains(text, "The operation only reads.") {
					t.Errorf("%s says that it only reads", url)
				}
				assert.Contains(t, first, `id="/operations/`+o.OperationID+`" href="`+url+`"`, path)
				if n := compressed(t, res.Bytes); n > transferred {
					t.Errorf("%s has %d bytes, want at most %d", url, n, transferred)
				}
			}
		}
	}
}

// What an operation changes and why it is refused comes from api/behavior.json, which tests recorded.
func TestReferenceOfAnOffer(t *testing.T) {
	t.Parallel()
	text := string(open(t, testkit.OnSQLite(t), "/docs/reference/acceptOffer").Bytes)
	for _, want := range []string{
		"deal.accepted</a>", "hull.status_changed</a>", ">sale_pending</span>", "<b>below_floor</b>", "<b>hull_on_hold</b>", "The offer has expired.",
		"deals:write", "Safe to retry for 24 h", "Can be proposed for approval", "client.Deals.AcceptOffer(", "slipway.deals.acceptOffer(", "slipway deals accept-offer",
		`id="body-override_hold"`, "since 2026-11-19",
	} {
		assert.Contains(t, strings.ReplaceAll(text, "&#34;", `"`), want)
	}
	for _, gone := range []string{"override_hold</b>", "since 2026-11-19"} {
		old := string(open(t, testkit.OnSQLite(t), "/docs/reference/acceptOffer?version=2026-11-15").Bytes)
		if strings.Contains(old, gone) {
			t.Errorf("version 2026-11-15 shows %q", gone)
		}
	}
}

// The first visit transfers less than 150 KB: the page, its stylesheet, scripts, icon and font.
// The index of the search, which is loaded when it is opened, has at most 50 KB.
func TestReferenceBytes(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for _, page := range []string{"/docs/reference", "/docs/reference/acceptOffer", "/docs/reference/getDeal", "/docs/reference/preview/listHullsV2", "/docs/reference/events"} {
		res := open(t, s, page)
		total, requests := compressed(t, res.Bytes), 1
		for _, url := range regexp.MustCompile(`(?:href|src)="(/(?:docs/assets|assets)/[^"]+)"`).FindAllStringSubmatch(string(res.Bytes), -1) {
			file := open(t, s, url[1])
			assert.Equal(t, file.StatusCode, 200, url[1])
			requests++
			if strings.HasSuffix(url[1], ".woff2") || strings.HasSuffix(url[1], ".svg") {
				total += len(file.Bytes)
				continue
			}
			total += compressed(t, file.Bytes)
		}
		t.Logf("%s: %d bytes in %d requests", page, total, requests)
		if total > 150_000 || requests > 6 {
			t.Errorf("%s transfers %d bytes in %d requests, want at most 150,000 in 6", page, total, requests)
		}
	}
	if n := compressed(t, open(t, s, "/docs/reference/search.json").Bytes); n > 50_000 {
		t.Errorf("the index of the search has %d bytes, want at most 50,000", n)
	}
}

// compressed returns the size of a response as browsers get it.
func compressed(t *testing.T, content []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(content)
	assert.NoError(t, err)
	assert.NoError(t, w.Close())
	return b.Len()
}

// The search of the reference finds operations, fields, errors and guides, and each result exists.
func TestReferenceSearch(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	var entries []struct{ K, L, T, W, X, U string }
	assert.NoError(t, json.Unmarshal(open(t, s, "/docs/reference/search.json").Bytes, &entries))
	pages, kinds := map[string]string{}, map[string]int{}
	for _, e := range entries {
		kinds[e.K]++
		url, anchor, _ := strings.Cut(e.U, "#")
		if pages[url] == "" {
			res := open(t, s, url)
			if res.StatusCode != 200 {
				t.Errorf("%s %s: %s answers %d", e.K, e.T, url, res.StatusCode)
			}
			pages[url] = string(res.Bytes)
		}
		if anchor != "" && !strings.Contains(pages[url], `id="`+anchor+`"`) {
			t.Errorf("%s %s: %s has no element with this ID", e.K, e.T, e.U)
		}
	}
	for kind, least := range map[string]int{"Operations": 250, "Fields": 300, "Errors": 80, "Guides": 20} {
		if kinds[kind] < least {
			t.Errorf("%s: got %d, want at least %d", kind, kinds[kind], least)
		}
	}
}
