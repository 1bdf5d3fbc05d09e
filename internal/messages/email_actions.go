package messages

import (
	"context"
	"fmt"
	"strings"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/phone"
)

// email is an email to a lead that is not rendered yet.
type email struct {
	mail.Message
	letter mail.Letter
	photo  string // blob key of the boat's photo, or ""
}

// prepareEmail reads what an email shows: the logo, the boat that the lead asked about,
// and who works the lead. A marketing email has a footer with the sender, the postal
// address and an unsubscribe link.
func (a *API) prepareEmail(ctx context.Context, tx *db.Tx, m LeadMessage, t attempt, d dealership.Dealership) (*email, error) {
	logo, err := dealership.FindLogo(ctx, tx)
	if err != nil {
		return nil, err
	}
	e := &email{
		Message: mail.Message{From: withName(d.Name, addressOf(t.sender)), To: t.recipient, Subject: *m.Subject, Token: m.ID},
		letter:  mail.Letter{Brand: d.Name, Logo: logo, Body: *m.Body},
	}
	if *m.Purpose == consent.Marketing {
		e.letter.Unsubscribe, e.letter.Footer = linkTo(tx, unsubscribePath, m), []string{d.Name, t.postal}
	}
	if m.LinkExpiresAt != nil { // it is not in the body, where users of the dealership could open it
		e.letter.Button = mail.Button{Label: "Receive email again", URL: linkTo(tx, restorePath, m)}
	}
	if m.Automatic || m.Notice {
		return e, nil
	}

	l, err := leads.Find(ctx, tx, m.LeadID)
	if err != nil {
		return nil, err
	}
	if l.OwnerID != nil {
		if err := e.sign(ctx, tx, l, d, t.sender); err != nil {
			return nil, err
		}
	}
	if l.HullID != nil {
		return e, e.show(ctx, tx, *l.HullID)
	}
	return e, nil
}

// sign adds the name of the user who works the lead. Answers go to the user, unless the
// dealership receives email in Slipway, where an answer belongs to the lead and an
// opt-out takes effect.
func (e *email) sign(ctx context.Context, tx *db.Tx, l leads.Lead, d dealership.Dealership, sender string) error {
	u, err := people.FindUser(ctx, tx, *l.OwnerID)
	if err != nil || u.Status != people.Active {
		return err
	}
	e.letter.Signature = []string{u.Name, d.Name}
	if l.LocationID != nil {
		at, err := dealership.FindLocation(ctx, tx, *l.LocationID)
		if err != nil && fault.KindOf(err) != fault.KindNotFound { // it might be deleted
			return err
		}
		if at.Phone != nil {
			e.letter.Signature = append(e.letter.Signature, phone.Format(*at.Phone))
		}
	}

	e.ReplyTo = withName(u.Name, u.Email)
	if d.Settings.Inbound.EmailSecretSetAt != nil {
		e.ReplyTo = withName(u.Name, addressOf(sender))
	}
	return nil
}

// show adds the boat, unless it is no longer for sale.
func (e *email) show(ctx context.Context, tx *db.Tx, hullID string) error {
	h, err := hulls.Find(ctx, tx, hullID)
	if err != nil {
		return err
	}
	switch h.Status {
	case hulls.Sold, hulls.Delivered, hulls.Archived, hulls.NotForSale:
		return nil
	}
	price := "Call for the price"
	if !h.PriceHidden && h.PriceType != "call" {
		price = strings.TrimSuffix(money.Format(h.PriceUSD*100), ".00")
	}
	e.letter.Boat = &mail.Boat{Title: fmt.Sprintf("%d %s %s", h.Year, h.Make, h.Model), Details: []string{price}}
	if h.StockNumber != nil {
		e.letter.Boat.Details = append(e.letter.Boat.Details, "Stock number "+*h.StockNumber)
	}
	e.photo = null.Text(h.PrimaryPhoto)
	e.letter.Boat.URL, err = db.Attached[Hooks](tx).BoatPage(ctx, tx, h)
	return err
}
