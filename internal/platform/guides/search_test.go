package guides

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The first result of a query is what a reader looks for.
func TestSearchRanking(t *testing.T) {
	for query, want := range map[string]string{
		"consent_missing":         "/docs/errors#consent_missing",
		"hull_unavailable":        "/docs/errors#hull_unavailable",
		"idempotent requests":     "/docs/guides/concepts#idempotent-requests",
		"IDEMPOTENT   requests!":  "/docs/guides/concepts#idempotent-requests",
		"createhull":              "/docs/reference/createHull",
		"add hull":                "/docs/reference/createHull",
		"rate limits":             "/docs/guides/concepts#rate-limits",
		"single sign-on":          "/docs/guides/sso",
		"disabled webhooks":       "/docs/guides/webhooks#disabled-webhooks",
		"consent consent_missing": "/docs/errors#consent_missing",
	} {
		got := Search(site.entries(), query)
		if len(got) == 0 || got[0].URL != want {
			t.Errorf("%q: got %+v, want %s first", query, got[:min(len(got), 2)], want)
		}
	}
	for _, query := range []string{"", "   ", "...", "nosuchword", "hull nosuchword"} {
		if got := Search(site.entries(), query); len(got) != 0 {
			t.Errorf("%q: got %+v, want nothing", query, got)
		}
	}
}

// The cost of a search is limited, and the query and the entries are shown as text.
func TestSearchLimits(t *testing.T) {
	if got := Search(site.entries(), "the"); len(got) > maxResults {
		t.Errorf("got %d results, want at most %d", len(got), maxResults)
	}
	long := get(t, "/docs/search?q="+strings.Repeat("é", 5000)).Body.String()
	if strings.Count(long, "é") > 2*maxQuery || !utf8.ValidString(long) {
		t.Error("a long query is shown completely")
	}
	if got := clip("a\xffb" + strings.Repeat("é", 200)); len(got) > maxQuery || !utf8.ValidString(got) {
		t.Errorf("got %q, want at most %d bytes of text", got, maxQuery)
	}

	page := get(t, "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22").Body.String()
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert") {
		t.Error("the query is not shown as text")
	}
	page = get(t, "/docs/search?q=listHulls").Body.String()
	if strings.Contains(page, "<b>bold") || !strings.Contains(page, "&lt;b&gt;bold") {
		t.Error("an entry is not shown as text")
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("hull")
	f.Add("\xff <script> é_1")
	entries := site.entries()
	f.Fuzz(func(t *testing.T, query string) {
		if got := Search(entries, query); len(got) > maxResults {
			t.Errorf("%q: got %d results", query, len(got))
		}
	})
}
