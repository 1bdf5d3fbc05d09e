package storefront

import (
	"context"
	netmail "net/mail"
	"time"

	"slipway/internal/consent"
	"slipway/internal/hulls"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/front"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// ConfirmAlert is the job that sends the link to confirm an alert.
type ConfirmAlert struct {
	Env auth.Env `json:"env"`
	ID  string   `json:"id"`
}

// Kind is the job kind.
func (ConfirmAlert) Kind() string { return "confirm_price_alert" }

// Lane waits for the mail server.
func (ConfirmAlert) Lane() string { return jobs.Mail }

// SendAlerts is the job that tells people about the new price of a boat.
type SendAlerts struct {
	Env    auth.Env `json:"env"`
	HullID string   `json:"hull_id"`
}

// Kind is the job kind.
func (SendAlerts) Kind() string { return "send_price_alerts" }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.confirmAlert)
	jobs.On(q, a.SendAlerts)
}

// prepared is an email that asks to confirm.
type prepared struct {
	to, name, boat, link string
}

func (a *API) confirmAlert(ctx context.Context, job ConfirmAlert) error {
	p, err := db.Read(auth.InEnv(ctx, job.Env), a.DB, func(ctx context.Context, tx *db.Tx) (out prepared, err error) {
		p, err := alerts.Find(ctx, tx, job.ID)
		if err != nil || p.State != alertRequested || p.Email == nil {
			return out, err
		}
		w, err := websites.Find(ctx, tx, p.ChannelID)
		if err != nil {
			return out, err
		}
		v, err := open(ctx, tx, w.Slug)
		if err != nil {
			return out, err
		}
		h, err := hulls.Find(ctx, tx, p.HullID)
		return prepared{*p.Email, v.name(), h.Name(), v.URL + "alerts/" + alertToken(tx, p)}, err
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // the website was removed, or the alert
	}
	if err != nil || p.to == "" {
		return err
	}
	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: withName(p.name, a.MailFrom), To: p.to, Subject: front.Say("alert.mail.subject", p.boat), Token: "price-alert-" + job.ID,
	}, mail.Letter{
		Brand: p.name, Body: front.Say("alert.mail.body", p.boat), Button: mail.Button{Label: front.Say("alert.mail.button"), URL: p.link},
		After: front.Say("alert.mail.after"),
	})
}

// withName returns an address with the name of the dealership, because that is whom the person asked.
func withName(name, address string) string {
	a, err := netmail.ParseAddress(address)
	if err != nil {
		return address
	}
	return (&netmail.Address{Name: name, Address: a.Address}).String()
}

// alertBatch is how many alerts a transaction sends.
const alertBatch = 50

// SendAlerts queues an email for each alert of a boat, if its price is lower than the one that the
// person knows. The send check decides, as for each message.
func (a *API) SendAlerts(ctx context.Context, job SendAlerts) error {
	ctx = auth.InEnv(ctx, job.Env)
	for {
		n, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int, error) { return a.sendAlerts(ctx, tx, job.HullID) })
		if err != nil || n < alertBatch {
			return err
		}
	}
}

func (a *API) sendAlerts(ctx context.Context, tx *db.Tx, hullID string) (int, error) {
	h, err := hulls.Find(ctx, tx, hullID)
	if err != nil {
		return 0, err
	}
	if !h.ShowsPrice() || !h.Status.IsForSale() {
		return 0, nil
	}
	all, err := waiting(ctx, tx, hullID, h.PriceUSD, alertBatch)
	if err != nil {
		return 0, err
	}
	for _, p := range all {
		if err := a.sendAlert(ctx, tx, h, p); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

// alertFor is how long an email about a price is useful.
const alertFor = 3 * 24 * time.Hour

func (a *API) sendAlert(ctx context.Context, tx *db.Tx, h hulls.Hull, p priceAlert) error {
	was := p.PriceUSD
	p.PriceUSD = h.PriceUSD
	w, err := websites.Find(ctx, tx, p.ChannelID)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && (p.LeadID == nil || !w.lists(h)) {
		return alerts.Save(ctx, tx, &p)
	}
	if err != nil {
		return err
	}
	boat := w.URL + "boats/" + ref(h)
	if _, err := a.Messages.Notify(ctx, tx, messages.Notice{
		LeadID: *p.LeadID, Channel: consent.Email, Subject: front.Say("alert.drop.subject", h.Name()),
		Body:      front.Say("alert.drop.body", h.Name(), front.Dollars(h.PriceUSD), front.Dollars(was), boat, w.URL+"alerts/"+alertToken(tx, p)),
		ExpiresAt: tx.Now.Add(alertFor),
	}); err != nil {
		return err
	}
	return alerts.Save(ctx, tx, &p)
}
