package storefront

import (
	"time"

	"slipway/internal/vocab/auth"
)

// alertState is the progress of an alert.
type alertState string

const (
	alertRequested alertState = "requested"
	alertConfirmed alertState = "confirmed"
	alertEnded     alertState = "ended"
)

// priceAlert is someone who wants to know when the price of a boat drops.
type priceAlert struct {
	Env         auth.Env   `db:"env"`
	ID          string     `db:"id"`
	ChannelID   string     `db:"channel_id"`
	HullID      string     `db:"hull_id"`
	Email       *string    `db:"email"`
	AddressHash []byte     `db:"address_hash"`
	State       alertState `db:"state"`
	PriceUSD    int64      `db:"price_usd"`
	Page        string     `db:"page"`
	IP          *string    `db:"ip"`
	UserAgent   *string    `db:"user_agent"`
	LeadID      *string    `db:"lead_id"`
	ConfirmedAt *time.Time `db:"confirmed_at"`
	EndedAt     *time.Time `db:"ended_at"`
	Version     int64      `db:"version"`
	CreatedAt   time.Time  `db:"created_at"`
	UpdatedAt   time.Time  `db:"updated_at"`
}

// Revision is the version.
func (p priceAlert) Revision() int64 { return p.Version }

// alertForm is the form below the price.
type alertForm struct{ Action, Stamp, Email, Error, Done string }

// alertPlace is what the stamp of the form is bound to.
func alertPlace(hullID string) string { return "alert/" + hullID }

// An alert that is not confirmed is forgotten, and its link stops working.
const confirmWithin = 7 * 24 * time.Hour

// An address can be asked to confirm so many alerts a day, so that nobody can be flooded with email.
const mostRequests = 3

// end ends an alert. The row stays, so that the link says that it ended.
func (p *priceAlert) end(now time.Time) {
	p.State, p.EndedAt = alertEnded, &now
	p.forget()
}

// forget removes what belongs to the person. The contact of the lead has the address.
func (p *priceAlert) forget() { p.Email, p.IP, p.UserAgent = nil, nil, nil }
