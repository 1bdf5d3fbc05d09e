package storefront

import (
	"context"
	_ "embed"
	"net/http"
	"net/url"

	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/null"
)

//go:embed pages/boat.html
var boatBody string

//go:embed pages/ask.html
var askParts string

//go:embed pages/photos.html
var photosBody string

//go:embed pages/problem.html
var problemBody string

var (
	boatPage    = front.NewPage(boatBody, parts, askParts)
	photosPage  = front.NewPage(photosBody, parts)
	problemPage = front.NewPage(problemBody, parts)
)

// boatView is what the page of a boat shows.
type boatView struct {
	Home, Title, Class, Town, Stock string
	Condition                       string
	Status, StatusClass, Note       string
	Price, Was, Cut                 string
	Call                            bool
	Phone                           *front.Link
	Estimate                        *estimate
	Downs, Terms                    []facet
	Photos                          []picture
	AllPhotos                       string
	Facts                           []fact
	Description                     []string
	Specs                           []specGroup
	Gear                            []string
	Place                           *placeView
	Similar                         []tile
	SimilarURL                      string
	Ask                             *askForm
	Alert                           *alertForm
	Self                            string
}

type placeView struct {
	Name, Hours, Map string
	Lines            []string
	Phone            *front.Link
}

// showBoat shows the page of a boat.
func (a *API) showBoat(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, gone, err := v.boat(ctx, r.PathValue("boat"))
	if err != nil {
		return reply{}, err
	}
	if gone {
		return a.problem(v, "gone", "").withStatus(http.StatusGone), nil
	}
	if r.URL.Path != v.page(h) && r.URL.EscapedPath() != v.page(h) { // one address for each boat
		return reply{redirect: v.page(h)}, nil
	}
	form, err := a.newAsk(ctx, v, &h)
	if err != nil {
		return reply{}, err
	}
	var alert *alertForm
	if h.ShowsPrice() && !isSold(h) {
		alert = &alertForm{Action: v.page(h) + "/alert", Stamp: a.bots().Stamp(alertPlace(h.ID))}
	}
	return a.boat(ctx, v, h, boatParts{form: form, alert: alert, query: r.URL.Query()})
}

// boatParts are the forms of the page of a boat, as they are shown.
type boatParts struct {
	form  *askForm
	alert *alertForm
	query url.Values
}

// boat renders the page of a boat.
func (a *API) boat(ctx context.Context, v visit, h hulls.Hull, p boatParts) (reply, error) {
	all, err := hulls.FindAllSpecs(ctx, v.tx, []string{h.ID})
	if err != nil {
		return reply{}, err
	}
	specs := all[h.ID]
	pictures, err := v.pictures(ctx, h)
	if err != nil {
		return reply{}, err
	}
	cuts, err := hulls.Reductions(ctx, v.tx, []string{h.ID}, v.tx.Now.Add(-reducedFor))
	if err != nil {
		return reply{}, err
	}
	similar, err := v.similar(ctx, h)
	if err != nil {
		return reply{}, err
	}

	at := v.location(h)
	view := boatView{
		Home: v.home(), Title: headline(h), Class: className(h.BoatClass), Stock: null.Text(h.StockNumber), Price: priceOf(h), Call: !h.ShowsPrice() || h.PriceUSD == 0,
		Photos: pictures, AllPhotos: v.page(h) + "/photos", Facts: factsOf(h, specs), Description: paragraphs(null.Text(h.Description)),
		Specs: specsOf(h, specs), Gear: gear(specs), Similar: similar, SimilarURL: v.home(), Ask: p.form, Alert: p.alert, Self: v.page(h),
		Town: at.Name, Condition: front.Say("condition." + string(h.Condition)),
	}
	if h.BoatClass != nil {
		view.SimilarURL = listQuery{types: []string{string(*h.BoatClass)}, sort: sorts[0]}.link(v.home())
	}
	if at.Address != nil {
		view.Town = city(at.Address)
	}
	view.Phone = v.phone(at)
	view.setStatus(h)
	if isSold(h) {
		view.Price, view.Call, view.Alert = "", false, nil
	} else {
		view.Place = v.place(at)
	}
	if c, ok := cuts[h.ID]; ok && h.ShowsPrice() && !isSold(h) && c.NewPriceUSD == h.PriceUSD {
		view.Was = front.Dollars(*c.OldPriceUSD)
		view.Cut = front.Say("cut", front.Dollars(*c.OldPriceUSD-c.NewPriceUSD), c.At.In(zoneNamed(v.zone(h))).Format("Jan 2"))
	}
	if v.Estimate != nil && !isSold(h) {
		view.estimate(v, h, v.Estimate.choose(p.query.Get("down"), p.query.Get("months")))
	}

	s := v.shell(front.Say("boat.title", view.Title, view.Town), "boat")
	s.Canonical, s.ShareTitle = v.origin+v.page(h), view.Title
	s.Description = v.describe(h, view)
	s.NoIndex = s.NoIndex || isSold(h)
	if len(pictures) > 0 {
		s.ShareImage = v.origin + path(pictures[0].Src)
	}
	if s.Phone = view.Phone; !isSold(h) {
		s.Data = v.data(h, view)
	}
	s.CacheControl, s.Scripts, s.Body = "private, no-cache", []string{"form.js"}, view
	return reply{page: boatPage, shell: s, status: http.StatusOK}, nil
}

// setStatus says whether the boat can be bought.
func (b *boatView) setStatus(h hulls.Hull) {
	switch {
	case isSold(h):
		b.Status, b.StatusClass, b.Note = front.Say("sold"), "halt", front.Say("sold.note")
	case h.Status == hulls.SalePending:
		b.Status, b.StatusClass, b.Note = front.Say("pending"), "wait", front.Say("pending.note")
	case h.Status == hulls.OnHold:
		b.Status, b.StatusClass = front.Say("hold"), "wait"
	case h.Status.IsComing():
		b.Status, b.StatusClass = front.Say("coming"), "mine"
	default:
		b.Status, b.StatusClass = front.Say("available"), "go"
	}
}

// estimate adds the monthly payment and its choices.
func (b *boatView) estimate(v visit, h hulls.Hull, c choice) {
	if b.Estimate = v.estimateFor(h, c, v.tx.Now); b.Estimate == nil {
		return
	}
	downs, months := v.ChannelWebsite.Estimate.choices()
	for _, n := range downs {
		b.Downs = append(b.Downs, facet{Value: whole(&n), Text: whole(&n) + "%", Chosen: n == c.Down})
	}
	for _, n := range months {
		b.Terms = append(b.Terms, facet{Value: whole(&n), Text: whole(&n), Chosen: n == c.Months})
	}
}

// pictures returns the photos of a boat.
func (v visit) pictures(ctx context.Context, h hulls.Hull) (all []picture, err error) {
	ready, err := photos.FindAllReady(ctx, v.tx, []string{h.ID})
	for i, p := range ready[h.ID] {
		link := func(size string) string { return v.media(h, p.Blob, size) }
		alt := front.Say("photo.alt", front.Number(int64(i+1)), headline(h))
		if p.Caption != nil {
			alt = *p.Caption
		}
		pic := pictureOf(photos.PhotoURLs{Thumb: link("thumb"), Card: link("card"), Full: link("full")}, alt)
		pic.Number, pic.Caption = i+1, null.Text(p.Caption)
		all = append(all, *pic)
	}
	return all, err
}

// mostSimilar is how many boats are shown below a boat.
const mostSimilar = 3

// similar returns boats of the same type, or else the newest ones.
func (v visit) similar(ctx context.Context, h hulls.Hull) ([]tile, error) {
	f := listQuery{sort: sorts[0]}.filter(v.ChannelID)
	f.Without, f.Limit = h.ID, mostSimilar
	if h.BoatClass != nil {
		f.Classes = []hulls.BoatClass{*h.BoatClass}
	}
	found, err := hulls.ListPublic(ctx, v.tx, f)
	if err == nil && len(found.Data) == 0 && len(f.Classes) > 0 {
		f.Classes = nil
		found, err = hulls.ListPublic(ctx, v.tx, f)
	}
	if err != nil {
		return nil, err
	}
	tiles, err := v.tiles(ctx, found.Data)
	for i := range tiles {
		tiles[i].About = "" // its terms are on the list
	}
	return tiles, err
}

// showPhotos shows all photos of a boat, one below the other.
func (a *API) showPhotos(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, gone, err := v.boat(ctx, r.PathValue("boat"))
	if err == nil && gone {
		err = errPage
	}
	if err != nil {
		return reply{}, err
	}
	pictures, err := v.pictures(ctx, h)
	if err != nil {
		return reply{}, err
	}
	s := v.shell(front.Say("photos.title", headline(h)), "photos")
	s.Canonical, s.NoIndex, s.CacheControl = v.origin+v.page(h), true, "public, max-age=60"
	s.Body = struct {
		Title, Back string
		Photos      []picture
	}{headline(h), v.page(h), pictures}
	return reply{page: photosPage, shell: s, status: http.StatusOK}, nil
}

// problem is a page that says what went wrong. Each keeps the header with a way to call.
func (a *API) problem(v visit, words, requestID string) reply {
	view := struct {
		Title, Text, Request, Home string
		Phone                      *front.Link
	}{Title: front.Say(words + ".title"), Text: front.Say(words + ".text")}
	if words == "failed" {
		view.Request = requestID
	}
	s := front.Shell{Title: view.Title, NoIndex: true, Class: "list", Home: "/", Name: front.Say("site"), Brand: front.AssetURL("buyers.css")}
	if v.Slug != "" {
		s = v.shell(view.Title, "list")
		view.Home, view.Phone = v.home(), s.Phone
	}
	s.NoIndex, s.Body = true, view
	return reply{page: problemPage, shell: s}
}

func (p reply) withStatus(status int) reply {
	p.status = status
	return p
}
