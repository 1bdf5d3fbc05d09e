package webhooks

import (
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
)

// The states of a delivery.
const (
	Pending   = "pending"
	Succeeded = "succeeded"
	Dead      = "dead"
	Discarded = "discarded"
)

// Delivery is one event on its way to one webhook.
type Delivery struct {
	Env           auth.Env          `json:"-" db:"env"`
	ID            string            `json:"id" db:"id" example:"dlv_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	WebhookID     string            `json:"webhook_id" db:"webhook_id" example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	EventID       string            `json:"event_id" db:"event_id" example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	EventType     string            `json:"event_type" db:"event_type" example:"deal.accepted"`
	Status        string            `json:"status" db:"status" enum:"pending,succeeded,dead,discarded" doc:"Dead: every attempt of the schedule failed. Discarded: a dead letter that was drained without another try."`
	AttemptCount  int64             `json:"attempt_count" db:"attempt_count" example:"1"`
	Attempts      []DeliveryAttempt `json:"attempts" nullable:"false" doc:"Oldest first."`
	NextAttemptAt *time.Time        `json:"next_attempt_at" db:"due_at" doc:"Null when none is to come."`
	DeliveredAt   *time.Time        `json:"delivered_at" db:"delivered_at"`
	IsReplay      bool              `json:"is_replay" doc:"Whether it was asked for by replaying."`
	CreatedAt     time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at" db:"updated_at"`

	Replay         string     `json:"-" db:"replay"`
	Tries          int64      `json:"-" db:"tries"` // attempts since the schedule began
	FirstAttemptAt *time.Time `json:"-" db:"first_attempt_at"`
	LeaseUntil     *time.Time `json:"-" db:"lease_until"`
	LeaseBy        *string    `json:"-" db:"lease_by"`
}

// DeliveryAttempt is one try to deliver.
type DeliveryAttempt struct {
	Env        auth.Env  `json:"-" db:"env"`
	DeliveryID string    `json:"-" db:"delivery_id"`
	N          int64     `json:"number" db:"n" example:"1"`
	At         time.Time `json:"at" db:"at"`
	StatusCode *int64    `json:"status_code" db:"status_code" doc:"Null if no answer came." example:"200"`
	LatencyMS  int64     `json:"latency_ms" db:"latency_ms" example:"83"`
	Response   *string   `json:"response" db:"response" doc:"The first 4 KiB of the answer."`
	Error      *string   `json:"error" db:"error" doc:"Why no answer came, or why it was not taken for a success."`
}

// schedule says when attempts are made after the first one; then the delivery
// is dead.
var schedule = []time.Duration{
	0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 8 * time.Hour, 24 * time.Hour, 72 * time.Hour,
}

const (
	// obey is how long a Retry-After can put an attempt off.
	obey = time.Hour
	// spread is the part of an interval by which attempts are moved at random,
	// so that what failed together does not come back together.
	spread = 0.1
	// giveUpAfter is how long a webhook may fail before it is disabled.
	giveUpAfter = 5 * 24 * time.Hour
	// excerpt is how much of an answer is kept.
	excerpt = 4 << 10
)

// fail takes note of an attempt that failed: the next one is due by the
// schedule, moved by chance (-1 to 1), but not before the receiver wants it.
func (d *Delivery) fail(now time.Time, retryAfter time.Duration, chance float64) {
	if d.FirstAttemptAt == nil {
		d.FirstAttemptAt = &now
	}
	d.Tries++
	if d.Tries >= int64(len(schedule)) {
		d.Status, d.NextAttemptAt = Dead, nil
		return
	}
	wait := schedule[d.Tries]
	due := d.FirstAttemptAt.Add(wait + time.Duration(float64(wait)*spread*chance))
	// A clock that jumped, or a node that was away, must not make for a volley.
	least := (schedule[d.Tries] - schedule[d.Tries-1]) / 2
	due = later(due, now.Add(max(least, min(retryAfter, obey))))
	d.NextAttemptAt = &due
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// again starts the schedule anew.
func (d *Delivery) again(now time.Time) {
	d.Status, d.Tries, d.FirstAttemptAt, d.NextAttemptAt, d.DeliveredAt = Pending, 0, nil, &now, nil
}

// accepted reports whether an answer means that the event was taken.
func accepted(status int) bool { return status >= 200 && status < 300 }

// printable is the beginning of an answer as both databases can hold it.
func printable(answer []byte) *string {
	if len(answer) == 0 {
		return nil
	}
	text := string(answer[:min(len(answer), excerpt)])
	for i := 0; i < utf8.UTFMax && len(answer) > excerpt && !utf8.ValidString(text); i++ {
		text = text[:len(text)-1] // cut in the middle of a character
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	return &text
}
