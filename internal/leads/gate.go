package leads

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/consent"
	"slipway/internal/vocab/fault"
)

// Why a message is not sent, beside what the ledger says (consent.CodeRevoked
// and its like).
const (
	recipientInvalid     = "recipient_invalid"
	needsReview          = "needs_review"
	quietHoursCode       = "quiet_hours"
	senderUnregistered   = "sender_unregistered"
	providerBlocked      = "provider_blocked"
	missingPostalAddress = "missing_postal_address"
)

// attempt is everything that decides whether a message may go out.
type attempt struct {
	channel   consent.Channel
	purpose   consent.Scope
	recipient string           // "" if there is no good address
	standing  consent.Standing // of the recipient's address
	doubtful  bool             // whether a message from there waits to be read
	answers   bool             // whether it is the one answer to what the recipient just wrote: STOP or HELP
	at        time.Time        // when it shall go out
	asked     bool             // whether the caller chose that time
	quiet     quietHours
	zones     []*time.Location // where the recipient may be
	sender    string
	postal    string // the dealership's address
}

// verdict is the gate's decision: refused by a code, held until a time, or
// neither.
type verdict struct {
	code   string
	field  string // to blame in the request
	reason string
	hold   time.Time
}

// judge is the gate that every message passes, when it is asked for and again
// when it is about to go out. The first thing wrong decides; the order is that
// of the law's weight. Quiet hours only put off what may be sent otherwise.
func judge(a attempt) verdict {
	v := a.refusal()
	if v.code != "" || !a.isQuiet() {
		return v
	}
	over, ends := a.quiet.over(a.at, a.zones)
	switch {
	case !ends:
		return verdict{code: quietHoursCode, field: "send_at", reason: "is never outside the quiet hours of every time zone that the recipient may be in; set the contact's timezone"}
	case a.asked:
		return verdict{code: quietHoursCode, field: "send_at", reason: "is in the recipient's quiet hours, which end at " + over.Format(time.RFC3339)}
	}
	return verdict{hold: over}
}

func (a attempt) refusal() verdict {
	switch {
	case a.recipient == "":
		return verdict{code: recipientInvalid, field: "channel", reason: fmt.Sprintf("needs an address: the contact has none for %s", a.channel)}
	case a.standing.Code != "" && !a.answers:
		return verdict{code: a.standing.Code, field: "channel", reason: map[string]string{
			consent.CodeRevoked: "is revoked: the recipient said no",
			consent.CodeMissing: "has no consent: log one first",
			consent.CodeScope:   fmt.Sprintf("has a consent, but not for %s messages", a.purpose),
			consent.CodeExpired: "had a consent, which has expired",
		}[a.standing.Code]}
	case a.doubtful && a.purpose == consent.Marketing:
		return verdict{code: needsReview, field: "channel", reason: "is paused: a message from the recipient may be an opt-out; read it and set needs_review to false"}
	case a.sender == "":
		return verdict{code: senderUnregistered, field: "channel", reason: "has no sender: set one in the dealership's settings"}
	case a.channel == consent.Email && a.purpose == consent.Marketing && a.postal == "":
		return verdict{code: missingPostalAddress, field: "purpose", reason: "needs the dealership's postal address, which the law wants under marketing email: set it"}
	}
	return verdict{}
}

// isQuiet reports whether it is too early or too late. That concerns texts that
// sell: a phone lights up at night, a mailbox does not.
func (a attempt) isQuiet() bool {
	if a.channel != consent.SMS || a.purpose != consent.Marketing {
		return false
	}
	return slices.ContainsFunc(a.zones, func(zone *time.Location) bool { return a.quiet.cover(a.at, zone) })
}

// fault tells the caller why the message was not taken. It is kept all the
// same, for whoever asks later what was tried.
func (v verdict) fault(messageID string) *fault.Error {
	return fault.New(fault.KindUnprocessable, "%s %s. The message is kept as %s, blocked.", v.field, v.reason, messageID).Detail(v.field, v.code, "%s", v.reason)
}
