package storefront

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// soldFor is how long a sold boat has a page.
const soldFor = 30 * 24 * time.Hour

// reducedFor is how long a boat is shown as reduced.
const reducedFor = 60 * 24 * time.Hour

func isSold(h hulls.Hull) bool {
	return h.SoldAt != nil && (h.Status == hulls.Sold || h.Status == hulls.Delivered || h.Status == hulls.Archived)
}

// lists reports whether the website lists a boat.
func (w ChannelWebsite) lists(h hulls.Hull) bool {
	return (h.Status.IsForSale() || h.Status.IsComing()) && slices.Contains(h.PublishedChannels, w.ChannelID)
}

// name is what the pages call the dealership.
func (v visit) name() string {
	if v.Title != nil {
		return *v.Title
	}
	return v.dealer.Name
}

// shell returns what is around a page.
func (v visit) shell(title, class string) front.Shell {
	s := front.Shell{
		Title: title, Name: v.name(), Home: v.home(), Class: class, NoIndex: v.dealer.Mode == auth.Test,
		Brand: v.home() + "brand/" + front.Hash([]byte(v.brand().CSS())) + ".css",
		Nav:   []front.Link{{URL: template.URL(v.home()), Text: front.Say("nav.boats"), Here: class == "list"}, {URL: "#visit", Text: front.Say("nav.visit")}}, //nolint:gosec // a path
		Fine:  null.Text(v.FinePrint),
	}
	if v.dealer.LogoSHA256 != nil {
		s.Logo = v.home() + "logo/" + *v.dealer.LogoSHA256 + ".png"
	}
	for _, p := range v.places() {
		s.Places = append(s.Places, p)
		if s.Phone == nil {
			s.Phone = p.Phone
		}
	}
	if v.PrivacyURL != nil {
		s.Links = append(s.Links, front.Link{URL: template.URL(*v.PrivacyURL), Text: front.Say("privacy")}) //nolint:gosec // it was validated
	}
	return s
}

// places are the locations in the footer.
func (v visit) places() (all []front.Place) {
	add := func(l dealership.Location, hours string) {
		p := front.Place{Name: l.Name, Lines: lines(l.Address)}
		if hours != "" {
			p.Lines = append(p.Lines, hours)
		}
		if l.Phone != nil {
			p.Phone = front.Tel(*l.Phone)
		}
		all = append(all, p)
	}
	for _, chosen := range v.Locations {
		if i := slices.IndexFunc(v.lots, func(l dealership.Location) bool { return l.ID == chosen.LocationID }); i >= 0 {
			add(v.lots[i], null.Text(chosen.Hours))
		}
	}
	if len(v.Locations) == 0 {
		for _, l := range v.lots {
			add(l, "")
		}
	}
	return all
}

// hours returns the hours of a location, or "".
func (w ChannelWebsite) hours(locationID string) string {
	for _, l := range w.Locations {
		if l.LocationID == locationID {
			return null.Text(l.Hours)
		}
	}
	return ""
}

// lines are an address.
func lines(a *dealership.Address) (all []string) {
	if a == nil {
		return nil
	}
	street := a.Line1
	if a.Line2 != nil && *a.Line2 != "" {
		street += ", " + *a.Line2
	}
	return append(all, street, strings.TrimSpace(city(a)+" "+null.Text(a.PostalCode)))
}

// city is the city with its region: Annapolis, MD.
func city(a *dealership.Address) string {
	if a.Region == nil || *a.Region == "" {
		return a.City
	}
	return a.City + ", " + *a.Region
}

// headline is the title of a boat.
func headline(h hulls.Hull) string {
	if h.Title != nil && strings.TrimSpace(*h.Title) != "" {
		return *h.Title
	}
	return h.Name()
}

// page is the path of the page of a boat.
func (w ChannelWebsite) page(h hulls.Hull) string { return w.home() + "boats/" + ref(h) }

// ref names a boat in a path. The stock number of a sold boat can be given to another one.
func ref(h hulls.Hull) string {
	if h.StockNumber == nil || isSold(h) || strings.HasPrefix(*h.StockNumber, "hull_") || strings.ContainsAny(*h.StockNumber, "/%?#.\\") {
		return h.ID
	}
	return url.PathEscape(*h.StockNumber)
}

// picture is a photo in three sizes.
type picture struct {
	Src, SrcSet, Alt string
	Number           int
	Caption          string
}

func pictureOf(u photos.PhotoURLs, alt string) *picture {
	thumb, card, full := path(u.Thumb), path(u.Card), path(u.Full)
	return &picture{Src: card, SrcSet: thumb + " 320w, " + card + " 800w, " + full + " 2048w", Alt: alt}
}

// path returns the path of a link of this server, so that it works on each host.
func path(link string) string {
	if i := strings.Index(link, "/media/"); i > 0 {
		return link[i:]
	}
	return link
}

// tile is a boat in a list.
type tile struct {
	URL, Title, Line, Price, Was, About string
	Flag, FlagClass                     string
	Photo                               *picture
	First                               bool // its photo is loaded first
}

// tileOf returns the tile of a boat.
func (v visit) tileOf(h hulls.Hull, cut *hulls.PriceChange, photo *picture) tile {
	t := tile{URL: v.page(h), Title: headline(h), Line: v.line(h), Price: priceOf(h), Photo: photo}
	if e := v.estimateFor(h, v.program(), v.tx.Now); e != nil {
		t.About = front.Say("about", e.About)
	}
	switch {
	case isSold(h):
		t.Flag, t.FlagClass = front.Say("sold"), "halt"
	case h.Status == hulls.SalePending:
		t.Flag, t.FlagClass = front.Say("pending"), "wait"
	case h.Status.IsComing():
		t.Flag = front.Say("coming")
	case cut != nil && h.ShowsPrice() && cut.NewPriceUSD == h.PriceUSD:
		t.Flag, t.FlagClass, t.Was = front.Say("reduced"), "go", front.Dollars(*cut.OldPriceUSD)
	case photo == nil:
		t.Flag = front.Say("photos.soon")
	}
	return t
}

// program is the choice of the estimate that lists show.
func (w ChannelWebsite) program() choice {
	if w.Estimate == nil {
		return choice{}
	}
	return choice{w.Estimate.DownPercent, w.Estimate.Months}
}

// line is what a list says about a boat: Used · 23 ft 7 in · Annapolis.
func (v visit) line(h hulls.Hull) string {
	parts := []string{front.Say("condition." + string(h.Condition)), front.Feet(h.LengthFt)}
	if l := v.location(h); l.Name != "" {
		parts = append(parts, l.Name)
	}
	return strings.Join(parts, " · ")
}

// priceOf is the price that the public sees.
func priceOf(h hulls.Hull) string {
	if !h.ShowsPrice() || h.PriceUSD == 0 {
		return front.Say("price.call")
	}
	return front.Dollars(h.PriceUSD)
}

// className is the type of a boat in words, or "".
func className(c *hulls.BoatClass) string {
	if c == nil || !front.Has("class."+string(*c)) {
		return ""
	}
	return front.Say("class." + string(*c))
}

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
