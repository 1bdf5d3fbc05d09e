package storefront

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/hulls/photolink"
	"slipway/internal/photos"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/fault"
)

//go:embed pages/parts.html
var parts string

//go:embed pages/list.html
var listBody string

var listPage = front.NewPage(listBody, parts)

// listView is what the list of boats shows.
type listView struct {
	Home, Query, Count           string
	Chips                        []chip
	Tiles                        []tile
	Filters                      int
	Conditions, Types, MoreTypes []facet
	Locations                    []facet
	Makes                        []facet
	Sorts                        []facet
	PriceMin, PriceMax           string
	LengthMin, LengthMax         string
	Hidden                       []hidden // the filters, for the form with the search
	Terms                        *estimate
	Next, First, Ask             string
	Shown                        string
	Empty, NoStock               bool
}

// facet is a choice of a filter.
type facet struct {
	Value, Text, Count string
	Chosen             bool
	n                  int64
}

type hidden struct{ Name, Value string }

// showList shows the boats.
func (a *API) showList(ctx context.Context, v visit, r *http.Request) (reply, error) {
	q := parseList(r.URL.RawQuery)
	groups, err := a.groups(ctx, v)
	if err != nil {
		return reply{}, err
	}
	f := q.filter(v.ChannelID)
	f.HidesPrices = hidesPrices(groups)
	found, err := hulls.ListPublic(ctx, v.tx, f)
	if fault.KindOf(err) == fault.KindBadRequest { // a cursor that someone changed
		q.after = ""
		return reply{redirect: q.link(v.home())}, nil
	}
	if err != nil {
		return reply{}, err
	}

	total := int64(0)
	for _, g := range groups {
		total += g.Count
	}
	count := total
	if q.count() > 0 || q.words != "" {
		if count, err = hulls.CountPublic(ctx, v.tx, f); err != nil {
			return reply{}, err
		}
	}

	view := listView{Home: v.home(), Query: q.words, Count: front.Count("list.all", count), Ask: v.home() + "ask"}
	if q.count() > 0 || q.words != "" {
		view.Count = front.Count("list.match", count)
	}
	view.Empty, view.NoStock = len(found.Data) == 0, total == 0
	v.fillFilters(&view, q, groups)
	if view.Tiles, err = v.tiles(ctx, found.Data); err != nil {
		return reply{}, err
	}
	if len(view.Tiles) > 0 {
		view.Tiles[0].First = true
	}
	view.Terms = v.example(found.Data)
	if found.HasMore && found.NextCursor != nil {
		next := q.values()
		next.Set("after", *found.NextCursor)
		view.Next = v.home() + "?" + next.Encode()
	}
	if q.after != "" {
		q := q
		q.after = ""
		view.First = q.link(v.home())
	} else if view.Next != "" {
		view.Shown = front.Say("list.shown", front.Number(int64(len(view.Tiles))), front.Number(count))
	}

	s := v.shell(front.Say("list.title", v.towns()), "list")
	s.Description = front.Say("list.description", v.name(), v.towns())
	s.Canonical, s.ShareTitle = v.origin+v.home(), front.Say("list.heading")
	s.NoIndex = s.NoIndex || !q.isPlain()
	s.CacheControl, s.Scripts, s.Body = "public, max-age=60", []string{"form.js"}, view
	return reply{page: listPage, shell: s, status: http.StatusOK}, nil
}

// hidesPrices reports whether a boat has a hidden price.
func hidesPrices(groups []hulls.PublicGroup) bool {
	return slices.ContainsFunc(groups, func(g hulls.PublicGroup) bool { return g.Hidden > 0 })
}

// towns are the names of the locations: Annapolis and Baltimore.
func (v visit) towns() string {
	var names []string
	for _, p := range v.places() {
		names = append(names, p.Name)
	}
	switch len(names) {
	case 0:
		return v.name()
	case 1:
		return names[0]
	}
	return front.Say("and", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// example returns the estimate that explains those of a list, or nil if there is none.
func (v visit) example(all []hulls.Hull) *estimate {
	for _, h := range all {
		if e := v.estimateFor(h, v.program(), v.tx.Now); e != nil {
			return e
		}
	}
	return nil
}

// tiles returns the tiles of boats, in their order.
func (v visit) tiles(ctx context.Context, all []hulls.Hull) ([]tile, error) {
	var ids []string
	for _, h := range all {
		ids = append(ids, h.ID)
	}
	cuts, err := hulls.Reductions(ctx, v.tx, ids, v.tx.Now.Add(-reducedFor))
	if err != nil {
		return nil, err
	}
	var tiles []tile
	for _, h := range all {
		var cut *hulls.PriceChange
		if c, ok := cuts[h.ID]; ok {
			cut = &c
		}
		tiles = append(tiles, v.tileOf(h, cut, v.cover(h)))
	}
	return tiles, nil
}

// cover is the first photo of a boat, or nil.
func (v visit) cover(h hulls.Hull) *picture {
	if h.PrimaryPhoto == nil {
		return nil
	}
	link := func(size string) string { return v.media(h, *h.PrimaryPhoto, size) }
	return pictureOf(photos.PhotoURLs{Thumb: link("thumb"), Card: link("card"), Full: link("full")}, headline(h))
}

// media returns the link of a photo. Those of boats for sale stay the same.
func (v visit) media(h hulls.Hull, key, size string) string {
	if isSold(h) {
		return photolink.URL(v.tx, key, size)
	}
	return photolink.Public(v.tx, h.ID, key, size)
}

// fillFilters adds the choices of the filters.
func (v visit) fillFilters(view *listView, q listQuery, groups []hulls.PublicGroup) {
	names := map[string]string{}
	for _, l := range v.lots {
		names[l.ID] = l.Name
	}
	view.Chips, view.Filters = q.chips(v.home(), names), q.count()
	view.Conditions = facets(groups, q.conditions, func(g hulls.PublicGroup) (string, string) {
		return string(g.Condition), front.Say("condition." + string(g.Condition))
	})
	view.Types = facets(groups, q.types, func(g hulls.PublicGroup) (string, string) {
		if g.BoatClass == nil {
			return "", ""
		}
		return string(*g.BoatClass), className(g.BoatClass)
	})
	view.Types, view.MoreTypes = split(view.Types)
	view.Locations = facets(groups, q.locations, func(g hulls.PublicGroup) (string, string) { return g.LocationID, names[g.LocationID] })
	view.Makes = facets(groups, []string{q.maker}, func(g hulls.PublicGroup) (string, string) { return g.Make, g.Make })
	slices.SortFunc(view.Makes, func(a, b facet) int { return strings.Compare(a.Text, b.Text) })
	for _, s := range sorts {
		view.Sorts = append(view.Sorts, facet{Value: s, Text: front.Say("sort." + s), Chosen: s == q.sort})
	}
	if q.priceMin > 0 {
		view.PriceMin = front.Number(q.priceMin)
	}
	if q.priceMax > 0 {
		view.PriceMax = front.Number(q.priceMax)
	}
	if q.lengthMin > 0 {
		view.LengthMin = decimal(q.lengthMin)
	}
	if q.lengthMax > 0 {
		view.LengthMax = decimal(q.lengthMax)
	}
	for name, values := range q.values() {
		if name == "q" || name == "sort" {
			continue
		}
		for _, value := range values {
			view.Hidden = append(view.Hidden, hidden{name, value})
		}
	}
	slices.SortFunc(view.Hidden, func(a, b hidden) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
}

// split returns the most common values and those that are chosen, and the others.
func split(all []facet) (first, more []facet) {
	const common = 8
	for i, f := range all {
		if i < common || f.Chosen || len(all) <= common+2 {
			first = append(first, f)
		} else {
			more = append(more, f)
		}
	}
	return first, more
}

// mostFacets limits the choices of a filter.
const mostFacets = 60

// facets counts the boats by a value, the most common first. A chosen value is always there.
func facets(groups []hulls.PublicGroup, chosen []string, of func(hulls.PublicGroup) (value, text string)) (all []facet) {
	for _, g := range groups {
		value, text := of(g)
		if text == "" {
			continue
		}
		at := slices.IndexFunc(all, func(f facet) bool { return strings.EqualFold(f.Value, value) })
		if at < 0 {
			at = len(all)
			all = append(all, facet{Value: value, Text: text, Chosen: slices.ContainsFunc(chosen, func(c string) bool { return strings.EqualFold(c, value) })})
		}
		all[at].n += g.Count
	}
	slices.SortFunc(all, func(a, b facet) int {
		if a.n != b.n {
			return int(b.n - a.n)
		}
		return strings.Compare(a.Text, b.Text)
	})
	for i := range all {
		all[i].Count = front.Number(all[i].n)
	}
	return all[:min(len(all), mostFacets)]
}

// reply is what a request is answered with.
type reply struct {
	page     front.Page
	shell    front.Shell
	status   int
	redirect string

	kind    string // of a file
	content []byte
	forever bool
	fresh   bool // it must not be kept
}

func (p reply) write(w http.ResponseWriter, r *http.Request) {
	switch {
	case p.redirect != "":
		http.Redirect(w, r, p.redirect, http.StatusSeeOther)
	case p.forever:
		front.ServeForever(w, r, p.kind, p.content)
	case p.content != nil:
		w.Header().Set("Content-Type", p.kind)
		w.Header().Set("Cache-Control", "public, max-age=300")
		if p.fresh || p.status > http.StatusOK {
			w.Header().Set("Cache-Control", "no-store")
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if p.status > 0 {
			w.WriteHeader(p.status)
		}
		_, _ = w.Write(p.content) // the client might have disconnected
	default:
		p.page.Render(w, p.status, p.shell)
	}
}
