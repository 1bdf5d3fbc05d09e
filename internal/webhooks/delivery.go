package webhooks

import (
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// DeliveryStatus is the progress of a delivery.
type DeliveryStatus string

// The statuses of a delivery.
const (
	Pending   DeliveryStatus = "pending"
	Succeeded DeliveryStatus = "succeeded"
	Dead      DeliveryStatus = "dead"
	Discarded DeliveryStatus = "discarded"
)

var allDeliveryStatuses = enum.Of("DeliveryStatus", "Progress of a delivery to a webhook.", Pending, Succeeded, Dead, Discarded)

func (DeliveryStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDeliveryStatuses.Describe(s)
}

// Delivery is the delivery of one event to one webhook, with all its attempts.
type Delivery struct {
	_ struct{} `doc:"The delivery of one event to one webhook." columns:"id event_type status attempt_count:ATTEMPTS next_attempt_at / event_id is_replay delivered_at"`

	Env           auth.Env          `json:"-" db:"env"`
	ID            string            `json:"id" db:"id" doc:"Identifies the delivery. Starts with dlv_." example:"dlv_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	WebhookID     string            `json:"webhook_id" db:"webhook_id" doc:"Endpoint that the event is delivered to." example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	EventID       string            `json:"event_id" db:"event_id" doc:"Event that is delivered." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	EventType     string            `json:"event_type" db:"event_type" doc:"Type of the event." example:"deal.accepted"`
	Status        DeliveryStatus    `json:"status" db:"status" doc:"Whether the event was delivered. dead: All scheduled attempts failed. discarded: A dead letter that was discarded."`
	AttemptCount  int64             `json:"attempt_count" db:"attempt_count" doc:"Number of attempts so far." example:"1"`
	Attempts      []DeliveryAttempt `json:"attempts" nullable:"false" doc:"Attempts so far, oldest first."`
	NextAttemptAt *time.Time        `json:"next_attempt_at" db:"due_at" doc:"When the next attempt is due. Null if none is scheduled."`
	DeliveredAt   *time.Time        `json:"delivered_at" db:"delivered_at" doc:"When an attempt succeeded. Null until then."`
	IsReplay      bool              `json:"is_replay" doc:"True if the delivery was created by a replay."`
	CreatedAt     time.Time         `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt     time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	Replay         string     `json:"-" db:"replay"`
	Tries          int64      `json:"-" db:"tries"` // attempts since the start of the schedule
	FirstAttemptAt *time.Time `json:"-" db:"first_attempt_at"`
	LeaseUntil     *time.Time `json:"-" db:"lease_until"`
	LeaseBy        *string    `json:"-" db:"lease_by"`
}

// DeliveryAttempt is one attempt to deliver an event.
type DeliveryAttempt struct {
	_ struct{} `doc:"One attempt to deliver an event."`

	Env        auth.Env  `json:"-" db:"env"`
	DeliveryID string    `json:"-" db:"delivery_id"`
	N          int64     `json:"number" db:"n" doc:"Number of the attempt, starting at 1." example:"1"`
	At         time.Time `json:"at" db:"at" doc:"When the request was sent."`
	StatusCode *int64    `json:"status_code" db:"status_code" doc:"HTTP status of the response. Null if there was no response." example:"200"`
	LatencyMS  int64     `json:"latency_ms" db:"latency_ms" doc:"Time until the response or the error, in milliseconds." example:"83"`
	Response   *string   `json:"response" db:"response" doc:"First 4 KiB of the response body. Null if there was no response."`
	Error      *string   `json:"error" db:"error" doc:"Why the attempt failed. Null if it succeeded."`
}

// schedule contains the time of each attempt, counted from the first one. When
// the last one fails, the delivery is dead.
var schedule = []time.Duration{
	0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 8 * time.Hour, 24 * time.Hour, 72 * time.Hour,
}

const (
	// maxRetryAfter is the longest delay that a Retry-After header can cause.
	maxRetryAfter = time.Hour
	// jitter is the share of an interval by which an attempt moves at random, so
	// that deliveries that failed together are not retried together.
	jitter = 0.1
	// disableAfter is how long a webhook can fail before it is disabled.
	disableAfter = 5 * 24 * time.Hour
	// maxResponse is how much of a response body is stored, in bytes.
	maxResponse = 4 << 10
)

// fail records a failed attempt. The next one is due according to the schedule,
// moved by chance (-1 to 1), but not before the Retry-After of the receiver.
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
	due := d.FirstAttemptAt.Add(wait + time.Duration(float64(wait)*jitter*chance))
	// After a clock change or an outage, the attempts must not follow each other immediately.
	least := (schedule[d.Tries] - schedule[d.Tries-1]) / 2
	due = later(due, now.Add(max(least, min(retryAfter, maxRetryAfter))))
	d.NextAttemptAt = &due
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// restart makes the delivery due and restarts its schedule.
func (d *Delivery) restart(now time.Time) {
	d.Status, d.Tries, d.FirstAttemptAt, d.NextAttemptAt, d.DeliveredAt = Pending, 0, nil, &now, nil
}

// isSuccess reports whether a status means that the receiver accepted the event.
func isSuccess(status int) bool { return status >= 200 && status < 300 }

// printable returns the start of a response body as text that both databases
// can store.
func printable(body []byte) *string {
	if len(body) == 0 {
		return nil
	}
	text := string(body[:min(len(body), maxResponse)])
	for i := 0; i < utf8.UTFMax && len(body) > maxResponse && !utf8.ValidString(text); i++ {
		text = text[:len(text)-1] // cut in the middle of a character
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	return &text
}
