package messages

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/consent"
	"slipway/internal/vocab/fault"
)

// Codes of blocked messages, in addition to the codes of package consent.
const (
	needsReview          = "needs_review"
	quietHoursCode       = "quiet_hours"
	senderUnregistered   = "sender_unregistered"
	providerBlocked      = "provider_blocked"
	missingPostalAddress = "missing_postal_address"
	withdrawn            = "withdrawn"
	recipientChanged     = "recipient_changed"
	doNotCall            = "do_not_call"
	frequencyCap         = "frequency_cap"
)

// attempt is everything that decides whether a message can be sent.
type attempt struct {
	channel     consent.Channel
	purpose     consent.Scope
	recipient   string           // "" if there is no valid address
	standing    consent.Standing // consent for the recipient's address
	inquired    bool             // whether the recipient asked something by email in the last months
	readdressed bool             // whether a person decided about it for another address
	unreviewed  bool             // whether a message from the recipient needs review
	automatic   bool             // whether it is the automatic reply to STOP or HELP
	notice      bool             // whether another feature sends it, such as a reminder
	at          time.Time        // when it is sent
	chosen      bool             // whether the caller sent send_at
	quiet       quietHours
	zones       []*time.Location // where the recipient might be
	sender      string
	postal      string // the dealership's postal address
	listed      bool   // whether the number is on a do-not-call list
	capped      bool   // whether the recipient got enough campaign messages this week
}

// decision is the result of the send check: blocked with a code, held until a
// time, or neither.
type decision struct {
	code   string
	field  string // in the request
	reason string
	hold   time.Time
}

// check decides whether a message can be sent. It runs when the message is
// created and again when it is sent. The first violation decides, in order of
// legal importance. Quiet hours only delay a message that can be sent otherwise.
func check(a attempt) decision {
	d := a.block()
	if d.code != "" || !a.isQuiet() {
		return d
	}

	end, found := a.quiet.next(a.at, a.zones)
	switch {
	case !found:
		return decision{
			code: quietHoursCode, field: "send_at",
			reason: "can't be outside quiet hours in every time zone that the recipient might be in. Set the contact's timezone",
		}
	case a.chosen:
		return decision{code: quietHoursCode, field: "send_at",
			reason: "is in the recipient's quiet hours. They end at " + end.Format(time.RFC3339)}
	}
	return decision{hold: end}
}

// block returns why the message can't be sent, or an empty decision.
func (a attempt) block() decision {
	switch {
	case a.recipient == "":
		return decision{
			code: consent.CodeRecipientInvalid, field: "channel",
			reason: fmt.Sprintf("can't be %s because the contact has no address for it", a.channel),
		}
	case a.readdressed:
		return decision{
			code: recipientChanged, field: "channel", reason: "can't be used because the contact's address changed after a person approved the message or decided to send it again",
		}
	case a.channel == consent.Voice && a.standing.Code != consent.CodeRevoked:
		return a.blockCall()
	case a.standing.Code != "" && !a.automatic && !a.answersInquiry():
		return decision{code: a.standing.Code, field: "channel", reason: map[string]string{
			consent.CodeRevoked: "can't be used because the recipient revoked consent",
			consent.CodeMissing: "requires consent. Record a consent first",
			consent.CodeScope:   fmt.Sprintf("requires consent for %s messages. The existing consent has another scope", a.purpose),
			consent.CodeExpired: "requires consent. The existing consent has expired",
			consent.CodeInsufficient: "requires written consent for marketing text messages. " +
				"Record a consent with the basis express_written and the consent_text that the recipient agreed to",
		}[a.standing.Code]}
	case a.unreviewed && a.purpose == consent.Marketing:
		return decision{
			code: needsReview, field: "channel",
			reason: "is paused because a message from the recipient must be reviewed. Read it and set needs_review to false",
		}
	case a.listed && a.purpose == consent.Marketing:
		return decision{code: doNotCall, field: "channel", reason: "can't be used because the number is on a do-not-call list"}
	case a.capped:
		return decision{code: frequencyCap, field: "channel", reason: "can't be used because the recipient got enough marketing messages this week"}
	case a.sender == "":
		return decision{code: senderUnregistered, field: "channel", reason: "has no sender. Set one in the dealership's settings"}
	case a.channel == consent.Email && a.purpose == consent.Marketing && a.postal == "":
		return decision{
			code: missingPostalAddress, field: "purpose",
			reason: "can't be marketing because the dealership has no postal address. Marketing email must show it",
		}
	}

	return decision{}
}

// blockCall returns why a person of the dealership can't make a sales call. A call that a person dials needs
// no consent.
func (a attempt) blockCall() decision {
	if a.listed {
		return decision{code: doNotCall, field: "channel", reason: "can't be used because the number is on a do-not-call list"}
	}
	return decision{}
}

// answersInquiry reports whether the message is an email that the recipient asked
// for. An opt-out is binding even then.
func (a attempt) answersInquiry() bool {
	return a.channel == consent.Email && a.purpose == consent.Transactional && a.inquired && a.standing.Code != consent.CodeRevoked
}

// isQuiet reports whether the message falls in quiet hours. They only apply to
// text messages that are marketing or a notice.
func (a attempt) isQuiet() bool {
	if a.channel == consent.Email || a.purpose != consent.Marketing && !a.notice {
		return false
	}
	return slices.ContainsFunc(a.zones, func(zone *time.Location) bool { return a.quiet.contains(a.at, zone) })
}

// fault returns the error for the caller. The blocked message is stored as a
// record of the attempt.
func (d decision) fault(messageID string) *fault.Error {
	return fault.New(fault.KindUnprocessable, "%s %s. The message was blocked and stored as %s.", d.field, d.reason, messageID).
		Detail(d.field, d.code, "%s", d.reason)
}
