package storefront

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/front"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

var alerts = db.Table[priceAlert]{Name: "price_alerts", Prefix: "pal", Noun: "price alert"}

const alertMAC = 24

// alertToken returns the signed part of the link of an alert.
func alertToken(tx *db.Tx, p priceAlert) string {
	head := binary.AppendUvarint(nil, uint64(p.Env))
	head = append(head, strings.TrimPrefix(p.ID, "pal_")...)
	return base64.RawURLEncoding.EncodeToString(append(head, site.Of(tx).MAC(append([]byte("price-alert/"), head...))[:alertMAC]...))
}

// findAlert returns the alert of a link. A wrong link, one of another website and one whose alert was
// deleted have the same error.
func (v visit) findAlert(ctx context.Context, token string) (priceAlert, error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= alertMAC {
		return priceAlert{}, errPage
	}
	head, given := raw[:len(raw)-alertMAC], raw[len(raw)-alertMAC:]
	env, n := binary.Uvarint(head)
	if n <= 0 || !hmac.Equal(given, site.Of(v.tx).MAC(append([]byte("price-alert/"), head...))[:alertMAC]) || auth.Env(env) != v.Env {
		return priceAlert{}, errPage
	}
	p, err := alerts.Find(ctx, v.tx, "pal_"+string(head[n:]))
	if err == nil && (p.ChannelID != v.ChannelID || p.State == alertRequested && p.UpdatedAt.Add(confirmWithin).Before(v.tx.Now)) {
		err = errPage
	}
	return p, err
}

// request stores an alert, and reports whether to send the email with the link. It says nothing
// about an alert that exists.
func (v visit) request(ctx context.Context, h hulls.Hull, email string, by visitor) (p priceAlert, sends bool, err error) {
	if _, err := db.Exec(ctx, v.tx, `DELETE FROM price_alerts WHERE env = ? AND state = ? AND created_at < ?`, v.tx.Env, alertRequested, v.tx.Now.Add(-confirmWithin)); err != nil {
		return p, false, err
	}
	hash := consent.Hash(v.tx, v.tx.Env, email)
	if err := consent.Lock(ctx, v.tx, hash); err != nil { // of two forms at once, the second sees the first
		return p, false, err
	}
	if revoked, err := consent.IsRevoked(ctx, v.tx, hash, consent.Email); err != nil || revoked {
		return p, false, err
	}
	recent, err := db.One[int64](ctx, v.tx, `SELECT COUNT(*) FROM price_alerts WHERE env = ? AND address_hash = ? AND updated_at > ? AND state <> ?`,
		v.tx.Env, hash, v.tx.Now.AddDate(0, 0, -1), alertConfirmed)
	if err != nil || recent >= mostRequests {
		return p, false, err
	}
	found, err := db.All[priceAlert](ctx, v.tx, `SELECT {cols} FROM price_alerts WHERE env = ? AND hull_id = ? AND address_hash = ?`, v.tx.Env, h.ID, hash)
	if err != nil {
		return p, false, err
	}
	if len(found) > 0 {
		p = found[0]
	}
	if p.State == alertRequested || p.State == alertConfirmed {
		return p, false, nil
	}
	p.ChannelID, p.HullID, p.Email, p.AddressHash, p.State, p.PriceUSD = v.ChannelID, h.ID, &email, hash, alertRequested, h.PriceUSD
	p.Page, p.IP, p.UserAgent, p.ConfirmedAt, p.EndedAt = v.origin+v.page(h), null.From(by.ip), null.From(by.browser), nil, nil
	if len(found) > 0 {
		err = alerts.Save(ctx, v.tx, &p)
	} else {
		err = alerts.Insert(ctx, v.tx, &p)
	}
	return p, true, err
}

// confirm turns an alert on. The person becomes a lead with the consent that both steps gave.
func (v visit) confirm(ctx context.Context, h hulls.Hull, p priceAlert, by visitor) error {
	if p.State != alertRequested || p.Email == nil {
		return nil
	}
	contact := contacts.ContactCreate{Email: p.Email}
	words := front.Say("legal.consent.alert", h.Name())
	l, err := leads.Create(ctx, v.tx, leads.LeadCreate{
		Contact: patch.Null[contacts.ContactCreate]{Set: true, V: &contact}, Source: "web", SourceDetail: new(front.Say("alert.lead")), HullID: &h.ID,
		Interest: new(front.Say("alert.lead")), Metadata: map[string]string{"page": p.Page},
		Consents: []consent.ConsentCreate{{
			Channels: []consent.Channel{consent.Email}, Scope: consent.Transactional, Direction: consent.Granted, Basis: new(consent.ExpressWritten),
			ConsentText: &words, ConsentTextVersion: new(consentVersion), Source: new("web_form"), SourceURL: &p.Page, Method: new("double_opt_in"),
			IP: null.From(by.ip), UserAgent: null.From(by.browser),
			Evidence: map[string]any{"form": "website_price_alert", "page": p.Page, "requested_at": p.UpdatedAt, "requested_ip": null.Text(p.IP),
				"requested_user_agent": null.Text(p.UserAgent), "confirmed_with": "link in an email to the address"},
		}},
	})
	if err != nil {
		return err
	}
	p.State, p.LeadID, p.ConfirmedAt = alertConfirmed, &l.ID, &v.tx.Now
	if h.ShowsPrice() {
		p.PriceUSD = h.PriceUSD
	}
	p.forget()
	return alerts.Save(ctx, v.tx, &p)
}

// waiting returns the alerts of a boat that know a higher price.
func waiting(ctx context.Context, tx *db.Tx, hullID string, price int64, limit int) ([]priceAlert, error) {
	return db.All[priceAlert](ctx, tx, `SELECT {cols} FROM price_alerts WHERE env = ? AND hull_id = ? AND state = ? AND price_usd > ? ORDER BY id LIMIT ?`,
		tx.Env, hullID, alertConfirmed, price, limit)
}
