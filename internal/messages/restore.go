package messages

import (
	"time"

	"slipway/internal/consent"
	"slipway/internal/dealership"
)

// linkLife is how long a link to restore consent works.
const linkLife = 24 * time.Hour

// canRestore reports whether the link of the email still works. After an erasure, the
// email has no recipient.
func (m LeadMessage) canRestore(now time.Time) bool {
	return m.LinkExpiresAt != nil && m.LinkExpiresAt.After(now) && m.LinkUsedAt == nil && m.To != nil
}

// linkText is the email with a link to restore consent.
func linkText(d dealership.Dealership) string {
	return "We got an email from this address that asks to receive email from " + d.Name + " again. If you sent it, open this link and confirm. " +
		"It works once, for 24 hours. If you didn't send it, ignore this email. Then you don't receive email from us again."
}

// describe says what a consent allows, for the person who gave it.
func describe(c consent.Consent) string {
	switch c.Scope {
	case consent.Marketing:
		return "Offers and news"
	case consent.Transactional:
		return "Replies, and information about your inquiries and purchases"
	}
	return "Offers and news, replies, and information about your inquiries and purchases"
}
