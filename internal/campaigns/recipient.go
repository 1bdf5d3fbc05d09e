package campaigns

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/messages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// CampaignRecipient is a contact that a campaign is for, and the result.
type CampaignRecipient struct {
	_ struct{} `doc:"A contact that a campaign is for, and the result." columns:"contact_id state reason sent_at answered_at / id lead_id message_id due_at"`

	Env        auth.Env   `json:"-" db:"env"`
	ID         string     `json:"id" db:"id" doc:"Identifies the recipient. Starts with rcp_." example:"rcp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	CampaignID string     `json:"campaign_id" db:"campaign_id" doc:"Campaign." example:"cmp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID  string     `json:"contact_id" db:"contact_id" doc:"Who gets it." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID     string     `json:"lead_id" db:"lead_id" doc:"The newest lead of the contact in the segment. The message belongs to it." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State      State      `json:"state" db:"state" doc:"Result for this recipient."`
	Reason     *string    `json:"reason" db:"reason" privacy:"plain" doc:"Why the recipient is excluded, the same code as in the block_reason of a message, or same_address. For a message, why it was not sent. Null otherwise." example:"consent_insufficient"`
	DueAt      *time.Time `json:"due_at" db:"due_at" doc:"When the recipient's quiet hours end, or sending starts. Null unless it is waiting."`
	MessageID  *string    `json:"message_id" db:"message_id" doc:"The message. Null if there is none." example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	SentAt     *time.Time `json:"sent_at" doc:"When the provider accepted the message. Null until then."`
	AnsweredAt *time.Time `json:"answered_at" doc:"When the lead first wrote after the message. Null until then."`
	OptedOut   bool       `json:"opted_out" doc:"Whether the lead opted out with a message after it."`
	CreatedAt  time.Time  `json:"created_at" db:"created_at" doc:"When the lead was chosen."`

	AddressHash []byte `json:"-" db:"address_hash"` // of the address that the message is for
}

// State is the result of a recipient.
type State string

// The states that are stored. The others are those of the message.
const (
	Waiting  State = "waiting"
	Excluded State = "excluded"
	Handed   State = "queued" // there is a message
	Halted   State = "stopped"
)

var allStates = enum.Of("CampaignRecipientState", "Result of a campaign for a recipient. Excluded ones get no message. The others are statuses of the message.",
	Waiting, Excluded, Halted, Handed, "sent", "delivered", "failed", "unknown", "blocked")

func (State) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStates.Describe(s)
}

// sameAddress is the reason if another recipient has the same address.
const sameAddress = "same_address"

// follow fills in the result of the message.
func (r *CampaignRecipient) follow(m messages.LeadMessage, answers map[string]messages.Answered) {
	r.State, r.SentAt = stateOf(m.Status), m.SentAt
	if r.Reason = m.BlockReason; r.Reason == nil && r.State != "queued" {
		r.Reason = m.ErrorCode
	}
	if a, ok := answers[r.LeadID]; ok && m.SentAt != nil {
		r.AnsweredAt, r.OptedOut = &a.FirstAt, a.OptOuts > 0
	}
}

// stateOf returns the state for the status of a message.
func stateOf(s messages.MessageStatus) State {
	if s == messages.Scheduled {
		return Handed
	}
	return State(s)
}

// CampaignResults are the counts of a campaign.
type CampaignResults struct {
	_ struct{} `doc:"How many recipients of a campaign have each result."`

	CampaignID string          `json:"campaign_id" doc:"Campaign." example:"cmp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Status     Status          `json:"status" doc:"Progress of the campaign."`
	Recipients int64           `json:"recipients" doc:"All recipients." example:"412"`
	States     []CampaignCount `json:"states" nullable:"false" doc:"Recipients by result."`
	Excluded   []CampaignCount `json:"excluded" nullable:"false" doc:"Excluded recipients by reason, the most frequent first."`
	Answered   int64           `json:"answered" doc:"Recipients who wrote after the message." example:"31"`
	OptedOut   int64           `json:"opted_out" doc:"Recipients who opted out with a message after it." example:"2"`
}

// CampaignCount is how many recipients have a result.
type CampaignCount struct {
	_ struct{} `doc:"How many recipients have a result."`

	Name   string `json:"name" db:"name" doc:"The result or the reason." example:"consent_insufficient"`
	Reason string `json:"reason" doc:"Explains a reason, for people. Empty for a result." example:"Marketing text messages require written consent, with the text that the recipient agreed to."`
	Count  int64  `json:"count" db:"n" doc:"Number of recipients." example:"57"`
}

// CampaignAudience is who would get a campaign that starts now.
type CampaignAudience struct {
	_ struct{} `doc:"Who would get a campaign that starts now, and who wouldn't and why. It sends and stores nothing."`

	Leads     int64            `json:"leads" doc:"Leads in the segment." example:"431"`
	People    int64            `json:"people" doc:"Contacts of these leads. Each gets the message once." example:"412"`
	Allowed   int64            `json:"allowed" doc:"Contacts who would get it." example:"355"`
	Held      int64            `json:"held" doc:"How many of them have quiet hours now, and get it when those end." example:"12"`
	Segments  int64            `json:"segments" doc:"SMS segments of all messages, which providers bill. 0 for email." example:"355"`
	Excluded  []CampaignCount  `json:"excluded" nullable:"false" doc:"Contacts who would not get it by reason, the most frequent first."`
	Examples  []CampaignPerson `json:"examples" nullable:"false" doc:"The first contacts who would get it, and the first of each reason."`
	ExampleOf *CampaignText    `json:"example_of" doc:"The message for the first contact who would get it. Null if no one would."`
}

// CampaignText is what a recipient gets.
type CampaignText struct {
	_ struct{} `doc:"What a recipient gets, with the notices that Slipway adds to text messages." nullable:"true"`

	To      string  `json:"to" doc:"Name of the contact." example:"Ann Bell"`
	Subject *string `json:"subject" doc:"Subject of an email. Null for a text message."`
	Body    string  `json:"body" doc:"Text." example:"Hi Ann, our spring sale starts on Saturday. Reply STOP to opt out."`
}

// CampaignPerson is a contact in a preview.
type CampaignPerson struct {
	_ struct{} `doc:"A contact in a preview."`

	ContactID string  `json:"contact_id" doc:"Contact." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID    string  `json:"lead_id" doc:"The newest lead of the contact in the segment." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string  `json:"name" doc:"Name of the contact." example:"Ann Bell"`
	Code      *string `json:"code" privacy:"plain" doc:"Why the contact would not get it. Null if it would." example:"consent_insufficient"`
}

// shownPeople limits the examples for each reason.
const shownPeople = 5

// tally counts people by the code of the verdict.
type tally struct {
	counts   map[string]int64
	reasons  map[string]string
	people   int64
	examples []CampaignPerson
}

// add counts a person.
func (t *tally) add(p CampaignPerson, code, reason string) {
	t.people++
	if t.counts[code]++; t.counts[code] <= shownPeople {
		if code != "" {
			p.Code = &code
		}
		t.examples = append(t.examples, p)
	}
	t.reasons[code] = reason
}

// excluded returns the counts of those who would not get it.
func (t *tally) excluded() []CampaignCount {
	var all []CampaignCount
	for code, n := range t.counts {
		if code != "" {
			all = append(all, CampaignCount{Name: code, Reason: t.reasons[code], Count: n})
		}
	}
	return sorted(all)
}

// sorted puts the most frequent first.
func sorted(all []CampaignCount) []CampaignCount {
	slices.SortFunc(all, func(a, b CampaignCount) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Name, b.Name)
	})
	if all == nil {
		return []CampaignCount{}
	}
	return all
}

// reasonOf explains why a recipient is excluded.
func reasonOf(code string) string {
	if code == sameAddress {
		return sameAddressWords
	}
	return messages.ReasonOf(code)
}

// sameAddressWords explains sameAddress.
const sameAddressWords = "Another recipient has the same address."
