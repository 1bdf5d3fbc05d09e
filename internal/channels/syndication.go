package channels

import (
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
)

// The states of a hull on a channel.
const (
	notListed = "not_listed"
	queued    = "queued"
	published = "published"
	rejected  = "rejected"
	removed   = "removed"
)

// What a partner is asked for while a hull is queued.
const (
	toPublish  = "publish"
	toWithdraw = "withdraw"
)

// HullSyndication is how a hull stands on a channel.
type HullSyndication struct {
	Env         auth.Env   `json:"-" db:"env"`
	HullID      string     `json:"hull_id" db:"hull_id"`
	ChannelID   string     `json:"channel_id" db:"channel_id" example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State       string     `json:"state" db:"state" enum:"not_listed,queued,published,rejected,removed"`
	Action      *string    `json:"action" db:"action" enum:"publish,withdraw" doc:"What the partner is asked for while the hull is queued."`
	ExternalID  *string    `json:"external_id" db:"external_id" doc:"The partner's own id of the listing."`
	URL         *string    `json:"url" db:"url" doc:"Where the partner shows it."`
	Code        *string    `json:"code" db:"code" doc:"The partner's code of a refusal, or our word for why nothing came of the last attempt."`
	Message     *string    `json:"message" db:"message"`
	AttemptedAt *time.Time `json:"attempted_at" db:"attempted_at" doc:"When the partner was last asked."`
	PublishedAt *time.Time `json:"published_at" db:"published_at" doc:"Since when it is listed."`
	UpdatedAt   *time.Time `json:"updated_at" db:"updated_at"`

	Wanted   bool       `json:"-" db:"wanted"` // by the dealer; the hull's status and the filter decide whether it can be
	Listed   bool       `json:"-" db:"listed"` // the public can see it there
	Attempts int64      `json:"-" db:"attempts"`
	DueAt    *time.Time `json:"-" db:"due_at"`
	Revision int64      `json:"-" db:"revision"`
}

// follow brings a listing in step with its hull and reports whether anything
// is to be written. Changed is that the listing would now read otherwise.
func (l *HullSyndication) follow(h hulls.Hull, c Channel, changed bool, now time.Time) bool {
	field, why := c.refuses(h)
	fits := l.Wanted && field == ""
	asked := l.State == published || l.State == rejected || l.State == queued && *l.Action == toPublish
	switch {
	case fits && (!asked || changed):
		l.publish(c, now)
	case !fits && asked:
		l.withdraw(c, now)
		if l.Wanted {
			l.Code, l.Message = &field, new("The hull's "+field+" "+why+".")
		}
	default:
		return false
	}
	return true
}

// publish lists the hull, anew if it is listed: in the feed at once, at a
// partner's as soon as the partner agrees.
func (l *HullSyndication) publish(c Channel, now time.Time) {
	l.turn(now)
	if c.PushURL == nil {
		l.accept(now)
		return
	}
	l.State, l.Action, l.DueAt = queued, new(toPublish), &now
}

// withdraw takes the hull off. A partner who never listed it need not be told.
func (l *HullSyndication) withdraw(c Channel, now time.Time) {
	known := l.Listed || l.ExternalID != nil || l.AttemptedAt != nil
	l.turn(now)
	if c.PushURL == nil || !known {
		l.drop(now)
		return
	}
	l.State, l.Action, l.DueAt = queued, new(toWithdraw), &now
}

// turn begins something new: what was under way does not count any more.
func (l *HullSyndication) turn(now time.Time) {
	l.Revision++
	l.Attempts, l.Action, l.DueAt, l.Code, l.Message, l.UpdatedAt = 0, nil, nil, nil, nil, &now
}

// accept is that the hull is listed.
func (l *HullSyndication) accept(now time.Time) {
	if !l.Listed {
		l.PublishedAt = &now
	}
	l.State, l.Listed, l.UpdatedAt = published, true, &now
	l.settle()
}

// reject is that the partner does not list it.
func (l *HullSyndication) reject(code, message string, now time.Time) {
	l.State, l.Listed, l.PublishedAt, l.UpdatedAt = rejected, false, nil, &now
	l.settle()
	l.Code, l.Message = &code, &message
}

// drop is that the hull is not listed any more.
func (l *HullSyndication) drop(now time.Time) {
	l.State, l.Listed, l.PublishedAt, l.UpdatedAt = removed, false, nil, &now
	l.settle()
}

func (l *HullSyndication) settle() {
	l.Attempts, l.Action, l.DueAt, l.Code, l.Message = 0, nil, nil, nil, nil
}

// postpone is that the partner gave no answer. It is asked again, later and
// later.
func (l *HullSyndication) postpone(code, message string, now time.Time) {
	l.Attempts++
	due := now.Add(backoff(l.Attempts))
	l.DueAt, l.Code, l.Message, l.UpdatedAt = &due, &code, &message, &now
}

// backoff is a minute, then twice as long each time, up to six hours.
func backoff(failures int64) time.Duration {
	return min(time.Minute<<min(failures-1, 10), 6*time.Hour)
}

// event names what happened to a listing; "" if nothing that others would
// want to know.
func (l HullSyndication) event(before HullSyndication) string {
	if l.State == before.State && deref(l.Action) == deref(before.Action) {
		return ""
	}
	return map[string]string{
		published: "hull.syndicated", rejected: "hull.syndication_rejected",
		queued: "hull.syndication_queued", removed: "hull.syndication_removed",
	}[l.State]
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
