package storefront

import (
	"context"
	_ "embed"
	"net/http"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

//go:embed pages/alert.html
var alertBody string

var alertPage = front.NewPage(alertBody, parts)

// requestAlert stores an alert. Its answer is the same whether the address has one already.
func (a *API) requestAlert(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, err := v.asked(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if !h.ShowsPrice() {
		return reply{}, errPage
	}
	by, sent, place := auth.RequestFrom(ctx), r.PostForm, alertPlace(h.ID)
	verdict := a.bots().Check(front.Sent{Place: place, Stamp: sent.Get("stamp"), Work: sent.Get("work"), Trap: sent.Get(front.Trap), Address: by.IP})
	form := &alertForm{Action: v.page(*h) + "/alert", Stamp: a.bots().Stamp(place), Email: text(sent.Get("alert_email"))}
	email, ok := contacts.Email(form.Email)
	switch {
	case verdict == front.Flood:
		return reply{}, errFlood
	case verdict == front.Bot:
		form.Done = front.Say("alert.sent")
	case verdict == front.Stale:
		form.Error = front.Say("stale")
	case !ok:
		form.Error = front.Say("wrong.email")
	default:
		p, sends, err := v.request(ctx, *h, email, visitor{by.IP, by.UserAgent})
		if err != nil {
			return reply{}, err
		}
		if sends {
			if err := a.Jobs.Enqueue(ctx, v.tx, ConfirmAlert{v.Env, p.ID}, v.tx.Now); err != nil {
				return reply{}, err
			}
		}
		form.Done = front.Say("alert.sent")
	}
	ask, err := a.newAsk(ctx, v, h)
	if err != nil {
		return reply{}, err
	}
	out, err := a.boat(ctx, v, *h, boatParts{form: ask, alert: form})
	out.shell.CacheControl, out.shell.NoIndex = "", true
	if form.Error != "" {
		out.status = http.StatusUnprocessableEntity
	}
	return out, err
}

// alertBoat returns the alert of a link and its boat.
func (v visit) alertBoat(ctx context.Context, r *http.Request) (p priceAlert, h hulls.Hull, err error) {
	if p, err = v.findAlert(ctx, r.PathValue("token")); err != nil {
		return p, h, err
	}
	h, err = hulls.Find(ctx, v.tx, p.HullID)
	if err == nil && !v.lists(h) {
		err = errPage
	}
	return p, h, err
}

// showAlert changes nothing, because virus scanners also follow the links in an email.
func (a *API) showAlert(ctx context.Context, v visit, r *http.Request) (reply, error) {
	p, h, err := v.alertBoat(ctx, r)
	if fault.KindOf(err) == fault.KindNotFound {
		return v.alertReply("alert.gone", hulls.Hull{}, ""), nil
	}
	if err != nil {
		return reply{}, err
	}
	switch p.State {
	case alertConfirmed:
		return v.alertReply("alert.on", h, "end"), nil
	case alertEnded:
		return v.alertReply("alert.ended", h, ""), nil
	case alertRequested:
	}
	return v.alertReply("alert.confirm", h, "confirm"), nil
}

// changeAlert confirms or ends an alert.
func (a *API) changeAlert(ctx context.Context, v visit, r *http.Request) (reply, error) {
	p, h, err := v.alertBoat(ctx, r)
	if fault.KindOf(err) == fault.KindNotFound {
		return v.alertReply("alert.gone", hulls.Hull{}, ""), nil
	}
	if err != nil {
		return reply{}, err
	}
	by := auth.RequestFrom(ctx)
	switch {
	case r.PostForm.Get("do") == "end" && p.State != alertEnded:
		p.end(v.tx.Now)
		return v.alertReply("alert.ended", h, ""), alerts.Save(ctx, v.tx, &p)
	case r.PostForm.Get("do") == "confirm" && p.State == alertRequested:
		return v.alertReply("alert.on", h, "end"), v.confirm(ctx, h, p, visitor{by.IP, by.UserAgent})
	}
	return a.showAlert(ctx, v, r)
}

// alertReply is a page about an alert. It is private: the link is only for the person who got it.
func (v visit) alertReply(words string, h hulls.Hull, do string) reply {
	view := struct{ Title, Text, Button, Action, Do, Back, Home string }{Title: front.Say(words), Home: v.home(), Do: do}
	status := http.StatusOK
	switch words {
	case "alert.gone":
		view.Text, status = front.Say(words+".text"), http.StatusNotFound
	case "alert.ended":
		view.Text = front.Say(words + ".text")
	default:
		view.Text = front.Say(words+".text", h.Name())
	}
	switch do {
	case "confirm":
		view.Button = front.Say("alert.confirm.button")
	case "end":
		view.Button = front.Say("alert.end.button")
	}
	if h.ID != "" {
		view.Back = v.page(h)
	}
	s := v.shell(front.Say("alert.title"), "ask")
	s.Private, s.Body = true, view
	return reply{page: alertPage, shell: s, status: status}
}
