package storefront

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// The parts of a website that other websites show with embed.js. They are as public as the pages, so
// every website can read them, without cookies.

type (
	embedBrand struct {
		Hue    float64 `json:"hue"`
		Chroma float64 `json:"chroma"`
	}
	embedPhoto struct {
		Src    string `json:"src"`
		SrcSet string `json:"srcset"`
	}
	embedTile struct {
		URL       string      `json:"url"`
		Title     string      `json:"title"`
		Line      string      `json:"line"`
		Price     string      `json:"price"`
		Was       string      `json:"was,omitempty"`
		WasLabel  string      `json:"was_label,omitempty"`
		Flag      string      `json:"flag,omitempty"`
		FlagClass string      `json:"flag_class"`
		Photo     *embedPhoto `json:"photo"`
	}
	embedBoats struct {
		Brand embedBrand  `json:"brand"`
		Name  string      `json:"name"`
		Label string      `json:"label"`
		Logo  string      `json:"logo,omitempty"`
		Home  string      `json:"home"`
		All   string      `json:"all"`
		None  string      `json:"none"`
		Boats []embedTile `json:"boats"`
	}
	embedForm struct {
		Brand        embedBrand        `json:"brand"`
		Heading      string            `json:"heading"`
		TextConsent  string            `json:"text_consent"`
		EmailConsent string            `json:"email_consent"`
		Basis        string            `json:"basis"`
		Stamp        string            `json:"stamp"`
		Words        map[string]string `json:"words"`
	}
	embedAnswer struct {
		Title   string            `json:"title,omitempty"`
		Lines   []string          `json:"lines,omitempty"`
		Problem string            `json:"problem,omitempty"`
		Errors  map[string]string `json:"errors,omitempty"`
		Stamp   string            `json:"stamp,omitempty"`
	}
)

// share lets every website read what is embedded, also its errors.
func share(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, Path+"/"+r.PathValue("slug")+"/embed") {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// embedScript serves embed.js with its styles.
func (a *API) embedScript(_ context.Context, _ visit, _ *http.Request) (reply, error) {
	css := strings.Join(strings.Fields(string(front.Asset("embed.css"))), " ")
	script := strings.Replace(string(front.Asset("embed.js")), `"{{css}}"`, strconv.Quote(css), 1)
	return reply{kind: "text/javascript; charset=utf-8", content: []byte(script)}, nil
}

// answerJSON is an answer that every website can read.
func answerJSON(status int, out any) (reply, error) {
	text, err := wire.Marshal(out)
	return reply{kind: "application/json", content: text, status: status}, err
}

func (v visit) embedBrand() embedBrand {
	b := v.brand()
	return embedBrand{b.Hue, b.Chroma}
}

// absolute returns the address of a path.
func (v visit) absolute(path string) string { return v.origin + path }

// embedBoats returns boats for a list.
func (v visit) embedBoats(ctx context.Context, all []hulls.Hull) (embedBoats, error) {
	out := embedBoats{
		Brand: v.embedBrand(), Name: v.name(), Label: front.Say("embed.label", v.name()), Home: v.URL, None: front.Say("list.empty"), Boats: []embedTile{},
	}
	if v.dealer.LogoSHA256 != nil {
		out.Logo = v.absolute(v.home() + "logo/" + *v.dealer.LogoSHA256 + ".png")
	}
	tiles, err := v.tiles(ctx, all)
	for _, t := range tiles {
		e := embedTile{URL: v.absolute(t.URL), Title: t.Title, Line: t.Line, Price: t.Price, Was: t.Was, WasLabel: front.Say("was"), Flag: t.Flag, FlagClass: t.FlagClass}
		if t.Photo != nil {
			e.Photo = &embedPhoto{v.absolute(t.Photo.Src), v.origin + strings.ReplaceAll(t.Photo.SrcSet, ", ", ", "+v.origin)}
		}
		out.Boats = append(out.Boats, e)
	}
	return out, err
}

// embedList returns the boats that match a filter, as in the address of the list.
func (a *API) embedList(ctx context.Context, v visit, r *http.Request) (reply, error) {
	q := parseList(r.URL.RawQuery)
	q.after = ""
	f := q.filter(v.ChannelID)
	f.Limit = 6
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
		f.Limit = min(max(n, 1), perPage)
	}
	groups, err := a.groups(ctx, v)
	if err != nil {
		return reply{}, err
	}
	f.HidesPrices = hidesPrices(groups)
	found, err := hulls.ListPublic(ctx, v.tx, f)
	if err != nil {
		return reply{}, err
	}
	total := int64(0)
	for _, g := range groups {
		total += g.Count
	}
	out, err := v.embedBoats(ctx, found.Data)
	if err != nil {
		return reply{}, err
	}
	out.All = front.Count("embed.all", total)
	return answerJSON(http.StatusOK, out)
}

// embedBoat returns one boat.
func (a *API) embedBoat(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, gone, err := v.boat(ctx, r.PathValue("boat"))
	if err == nil && gone {
		err = errPage
	}
	if err != nil {
		return reply{}, err
	}
	out, err := v.embedBoats(ctx, []hulls.Hull{h})
	if err != nil {
		return reply{}, err
	}
	return answerJSON(http.StatusOK, out)
}

// embedForm returns the words of the form and its stamp.
func (a *API) embedForm(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, err := v.asked(ctx, r)
	if err != nil {
		return reply{}, err
	}
	f, err := a.newAsk(ctx, v, h)
	if err != nil {
		return reply{}, err
	}
	out := embedForm{Brand: v.embedBrand(), Heading: f.Heading, TextConsent: f.TextConsent, EmailConsent: f.EmailConsent, Basis: f.Basis, Stamp: f.Stamp, Words: map[string]string{}}
	for name, key := range map[string]string{
		"optional": "optional", "name": "name", "email": "email", "phone": "phone", "message": "message", "send": "send.ask", "trap": "trap",
		"consent_note": "legal.consent.note", "failed": "embed.failed",
	} {
		out.Words[name] = front.Say(key)
	}
	if h != nil {
		out.Heading = front.Say("embed.ask", h.Name())
	}
	p, err := answerJSON(http.StatusOK, out)
	p.fresh = true
	return p, err
}

// embedAsk receives the form from another website.
func (a *API) embedAsk(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, err := v.asked(ctx, r)
	if err != nil {
		return reply{}, err
	}
	f, err := a.newAsk(ctx, v, h)
	if err != nil {
		return reply{}, err
	}
	f.host = hostPage(r.PostForm.Get("host"), r.Header.Get("Origin"))
	r.PostForm.Del("host")
	done, err := a.receive(ctx, v, f, r.PostForm)
	if fault.KindOf(err) == fault.KindRateLimited {
		return answerJSON(http.StatusTooManyRequests, embedAnswer{Problem: front.Say("flood.text")})
	}
	if err != nil {
		return reply{}, err
	}
	if !done {
		return answerJSON(http.StatusUnprocessableEntity, embedAnswer{Problem: f.Problem, Errors: f.Errors, Stamp: a.bots().Stamp(v.askPlace(h))})
	}
	title, lines := f.thanks(v.name())
	return answerJSON(http.StatusOK, embedAnswer{Title: title, Lines: lines})
}

// hostPage returns the address of the page that has the form, or "" if it isn't one of the origin
// that the browser names.
func hostPage(page, origin string) string {
	u, err := url.Parse(page)
	if err != nil || len(page) > 2000 || u.Scheme != "https" && u.Scheme != "http" || fmt.Sprintf("%s://%s", u.Scheme, u.Host) != origin {
		return ""
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil // they can have what is nobody's business
	return u.String()
}
