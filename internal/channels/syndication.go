package channels

import (
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/null"
)

// SyndicationState is whether a channel lists a hull.
type SyndicationState string

// The states of a hull on a channel.
const (
	notListed SyndicationState = "not_listed"
	queued    SyndicationState = "queued"
	published SyndicationState = "published"
	rejected  SyndicationState = "rejected"
	removed   SyndicationState = "removed"
)

var allSyndicationStates = enum.Of("HullSyndicationState", "Whether a channel lists a hull.",
	notListed, queued, published, rejected, removed)

func (SyndicationState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSyndicationStates.Describe(s)
}

// SyndicationAction is what is requested from a partner.
type SyndicationAction string

// What is requested from a partner while a hull is queued.
const (
	toPublish  SyndicationAction = "publish"
	toWithdraw SyndicationAction = "withdraw"
)

var allSyndicationActions = enum.Of("HullSyndicationAction", "What is requested from a partner.", toPublish, toWithdraw)

func (SyndicationAction) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSyndicationActions.Describe(s)
}

// HullSyndication is the state of a hull on a channel.
type HullSyndication struct {
	_ struct{} `doc:"The state of a hull on one channel." columns:"channel_id state action code message published_at / url updated_at" privacy:"plain"`

	Env         auth.Env           `json:"-" db:"env"`
	ID          string             `json:"id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f.chn_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Identifies the entry: the hull and the channel." since:"next"`
	HullID      string             `json:"hull_id" db:"hull_id" doc:"Hull that the entry is about."`
	ChannelID   string             `json:"channel_id" db:"channel_id" doc:"Channel that the entry is about." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State       SyndicationState   `json:"state" db:"state" doc:"Whether the channel lists the hull. queued means that a listing or a withdrawal is being sent to the partner."`
	Action      *SyndicationAction `json:"action" db:"action" doc:"What is requested from the partner. Null unless the hull is queued."`
	ExternalID  *string            `json:"external_id" db:"external_id" doc:"ID of the listing at the partner. Null until the partner returns one."`
	URL         *string            `json:"url" db:"url" doc:"URL of the listing at the partner. Null until the partner returns one."`
	Code        *string            `json:"code" db:"code" doc:"Error code of the partner, or of Slipway if the last attempt failed. Null if there is no error."`
	Message     *string            `json:"message" db:"message" doc:"Explains the error code. Null if there is no error."`
	AttemptedAt *time.Time         `json:"attempted_at" db:"attempted_at" doc:"When the listing was last sent to the partner. Null if it never was."`
	PublishedAt *time.Time         `json:"published_at" db:"published_at" doc:"When it was first listed. Null while it is not listed."`
	UpdatedAt   *time.Time         `json:"updated_at" db:"updated_at" doc:"When the entry last changed. Null if the hull was never published on the channel."`

	Wanted   bool       `json:"-" db:"wanted"` // by the dealer; the status and the filter decide whether it can be listed
	Listed   bool       `json:"-" db:"listed"` // whether it is public
	Attempts int64      `json:"-" db:"attempts"`
	DueAt    *time.Time `json:"-" db:"due_at"`
	Revision int64      `json:"-" db:"revision"`
}

// listingID returns the ID of the entry for a hull on a channel.
func listingID(hullID, channelID string) string { return hullID + "." + channelID }

// follow updates a listing after a change of its hull and reports whether it
// must be saved. Changed means that the listing shows different data now.
func (l *HullSyndication) follow(h hulls.Hull, c Channel, changed bool, now time.Time) bool {
	field, why := c.rejects(h)
	fits := l.Wanted && field == ""
	requested := l.State == published || l.State == rejected || l.State == queued && *l.Action == toPublish
	switch {
	case fits && (!requested || changed):
		l.publish(c, now)
	case !fits && requested:
		l.withdraw(c, now)
		if l.Wanted {
			l.Code, l.Message = &field, new("The hull's "+field+" "+why+".")
		}
	default:
		return false
	}
	return true
}

// publish lists the hull, again if it is already listed: immediately in a feed,
// or when the partner accepts it.
func (l *HullSyndication) publish(c Channel, now time.Time) {
	l.turn(now)
	if c.PushURL == nil {
		l.accept(now)
		return
	}
	l.State, l.Action, l.DueAt = queued, new(toPublish), &now
}

// withdraw removes the listing. A partner that never received it is not notified.
func (l *HullSyndication) withdraw(c Channel, now time.Time) {
	known := l.Listed || l.ExternalID != nil || l.AttemptedAt != nil
	l.turn(now)
	if c.PushURL == nil || !known {
		l.drop(now)
		return
	}
	l.State, l.Action, l.DueAt = queued, new(toWithdraw), &now
}

// turn starts a new revision. Responses to the earlier one are ignored.
func (l *HullSyndication) turn(now time.Time) {
	l.Revision++
	l.Attempts, l.Action, l.DueAt, l.Code, l.Message, l.UpdatedAt = 0, nil, nil, nil, nil, &now
}

// accept marks the hull as listed.
func (l *HullSyndication) accept(now time.Time) {
	if !l.Listed {
		l.PublishedAt = &now
	}
	l.State, l.Listed, l.UpdatedAt = published, true, &now
	l.settle()
}

// reject marks the hull as rejected by the partner.
func (l *HullSyndication) reject(code, message string, now time.Time) {
	l.State, l.Listed, l.PublishedAt, l.UpdatedAt = rejected, false, nil, &now
	l.settle()
	l.Code, l.Message = &code, &message
}

// drop marks the hull as not listed any more.
func (l *HullSyndication) drop(now time.Time) {
	l.State, l.Listed, l.PublishedAt, l.UpdatedAt = removed, false, nil, &now
	l.settle()
}

func (l *HullSyndication) settle() {
	l.Attempts, l.Action, l.DueAt, l.Code, l.Message = 0, nil, nil, nil, nil
}

// postpone schedules the next attempt after the partner gave no usable response.
func (l *HullSyndication) postpone(code, message string, now time.Time) {
	l.Attempts++
	due := now.Add(backoff(l.Attempts))
	l.DueAt, l.Code, l.Message, l.UpdatedAt = &due, &code, &message, &now
}

// backoff returns one minute, doubled for each failure, up to six hours.
func backoff(failures int64) time.Duration {
	return min(time.Minute<<min(failures-1, 10), 6*time.Hour)
}

// event returns the event of a change, or "" if the state is the same.
func (l HullSyndication) event(before HullSyndication) string {
	if l.State == before.State && null.Text(l.Action) == null.Text(before.Action) {
		return ""
	}
	return map[SyndicationState]string{
		published: "hull.syndicated", rejected: "hull.syndication_rejected",
		queued: "hull.syndication_queued", removed: "hull.syndication_removed",
	}[l.State]
}
