package slipway

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

var (
	firstPage = reply(200, `{"data": [{"id": "hull_3"}, {"id": "hull_2"}], "has_more": true, "next_cursor": "hull_2", "prev_cursor": "hull_3"}`)
	lastPage  = reply(200, `{"data": [{"id": "hull_1"}], "has_more": false, "next_cursor": null, "prev_cursor": "hull_1"}`)
)

const nextPage = "/v1/hulls?limit=100&starting_after=hull_2"

// ids reads a list, up to a number of hulls.
func ids(t *testing.T, s *scripted, most int, params HullListParams, opts ...RequestOption) (got []string, err error) {
	t.Helper()
	for h, err := range s.Hulls.List(t.Context(), params, opts...) {
		if err != nil {
			return got, err
		}
		if got = append(got, h.ID); len(got) == most {
			break
		}
	}
	return got, nil
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		what   string
		steps  []step
		most   int
		params HullListParams
		want   []string
		urls   []string
		fails  error
	}{
		{"all pages", []step{firstPage, lastPage}, 9, HullListParams{Make: "Grady-White"}, []string{"hull_3", "hull_2", "hull_1"},
			[]string{"/v1/hulls?limit=100&make=Grady-White", "/v1/hulls?limit=100&make=Grady-White&starting_after=hull_2"}, nil},
		{"pages of your size", []step{firstPage, lastPage}, 9, HullListParams{Limit: 2}, []string{"hull_3", "hull_2", "hull_1"},
			[]string{"/v1/hulls?limit=2", "/v1/hulls?limit=2&starting_after=hull_2"}, nil},
		{"ends early", []step{firstPage}, 2, HullListParams{}, []string{"hull_3", "hull_2"}, []string{"/v1/hulls?limit=100"}, nil},
		{"a page is retried", []step{firstPage, fails(503, "unavailable"), drops, lastPage}, 9, HullListParams{}, []string{"hull_3", "hull_2", "hull_1"},
			[]string{"/v1/hulls?limit=100", nextPage, nextPage, nextPage}, nil},
		{"a page fails", []step{firstPage, fails(403, "forbidden")}, 9, HullListParams{}, []string{"hull_3", "hull_2"},
			[]string{"/v1/hulls?limit=100", nextPage}, ErrForbidden},
		{"newer objects", []step{firstPage}, 9, HullListParams{EndingBefore: "hull_1"}, []string{"hull_3", "hull_2"},
			[]string{"/v1/hulls?ending_before=hull_1&limit=100"}, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := script(t, c.steps...)
			got, err := ids(t, s, c.most, c.params)
			if !errors.Is(err, c.fails) {
				t.Errorf("got error %v, want %v", err, c.fails)
			}
			equal(t, got, c.want, "hulls")
			var urls []string
			for _, r := range s.requests {
				urls = append(urls, r.url)
			}
			equal(t, urls, c.urls, "requests")
		})
	}
}

func TestOnePage(t *testing.T) {
	s := script(t, firstPage, firstPage)
	var page Page
	got, err := ids(t, s, 9, HullListParams{Limit: 2}, OnePage(&page))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{"hull_3", "hull_2"}, "hulls")
	equal(t, []any{page.HasMore, *page.NextCursor, *page.PrevCursor}, []any{true, "hull_2", "hull_3"}, "page")
	if _, err := ids(t, s, 9, HullListParams{}, OnePage(&page)); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests[1].url, "/v1/hulls", "URL of a page whose size the server chooses")
}

// A list can be read again, from its start.
func TestListTwice(t *testing.T) {
	s := script(t, firstPage, lastPage, firstPage, lastPage)
	list := s.Hulls.List(t.Context(), HullListParams{})
	for range 2 {
		n := 0
		for _, err := range list {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		equal(t, n, 3, "hulls")
	}
}

// A page that hasn't changed is not sent again.
func TestListKeepsPages(t *testing.T) {
	const page = `{"data": [{"id": "hull_%s"}], "has_more": false, "next_cursor": null, "prev_cursor": null}`
	s := script(t,
		reply(200, strings.ReplaceAll(page, "%s", "1"), "ETag", `"a"`), reply(304, ""),
		reply(200, strings.ReplaceAll(page, "%s", "2"), "ETag", `"b"`), fails(503, "unavailable"), reply(304, ""),
		reply(200, strings.ReplaceAll(page, "%s", "3"))) // of another URL, without an ETag
	for i, want := range []string{"hull_1", "hull_1", "hull_2", "hull_2"} {
		got, err := ids(t, s, 9, HullListParams{})
		if err != nil {
			t.Fatal(i, err)
		}
		equal(t, got, []string{want}, "hulls")
	}
	got, err := ids(t, s, 9, HullListParams{Make: "Pursuit"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{"hull_3"}, "hulls")

	var tags []string
	for _, r := range s.requests {
		tags = append(tags, r.header.Get("If-None-Match"))
	}
	equal(t, tags, []string{"", `"a"`, `"a"`, `"b"`, `"b"`, ""}, "If-None-Match")
}

// Only the pages that were used last are kept.
func TestPagesAreBounded(t *testing.T) {
	var p pages
	for i := range 100 {
		p.keep(strconv.Itoa(i), keptPage{"a", []byte("{}")})
		p.keep("large", keptPage{"a", make([]byte, maxPageSize+1)})
	}
	equal(t, []int{len(p.byURL), len(p.recent)}, []int{maxPages, maxPages}, "pages")
	equal(t, []string{p.get("99").tag, p.get("67").tag, p.get("large").tag}, []string{"a", "", ""}, "tags")
}
