package slipway

import (
	"context"
	"iter"
)

// ListParams are the parameters of lists without filters.
type ListParams struct {
	// Number of objects per page, from 1 to 100. Defaults to 100, or to 25 with OnePage.
	Limit int64 `url:"limit"`
	// Continue after this object.
	StartingAfter string `url:"starting_after"`
	// Get the page of newer objects before this one. The list ends after this page.
	EndingBefore string `url:"ending_before"`
}

// Page describes the page that OnePage requested.
type Page struct {
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"` // send it as StartingAfter to get older objects
	PrevCursor *string `json:"prev_cursor"` // send it as EndingBefore to get newer objects
}

// OnePage ends a list after one page, and stores where it ended.
func OnePage(to *Page) RequestOption { return func(o *requestOptions) { o.page = to } }

// pageSize is how many objects a list requests at a time, unless the caller chooses.
const pageSize = "100"

type pageOf[T any] struct {
	Data []T `json:"data"`
	Page
}

// list requests the pages of a list while its reader continues. An error is the last
// item.
func list[T any](ctx context.Context, c *Client, r request, opts []RequestOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		o := newRequestOptions(opts)
		query := encodeQuery(r.query)
		if o.page == nil && !query.Has("limit") {
			query.Set("limit", pageSize)
		}
		for {
			r := r
			r.query, r.list = query, true
			page, err := call[pageOf[T]](ctx, c, r, opts)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if o.page != nil {
				*o.page = page.Page
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if o.page != nil || page.NextCursor == nil || query.Has("ending_before") {
				return
			}
			query.Set("starting_after", *page.NextCursor)
		}
	}
}
