// Package summaries sends people an email each morning with what needs them.
package summaries

import (
	"fmt"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// defaultTime is when the email is sent if the user didn't choose a time.
const defaultTime = "07:00"

// DailySummary is whether and when a user gets the email.
type DailySummary struct {
	_ struct{} `doc:"Whether and when a user gets the daily summary by email." privacy:"plain"`

	UserID  string     `json:"user_id" doc:"User who gets the email." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Enabled bool       `json:"enabled" doc:"Whether the user gets the email."`
	SendAt  string     `json:"send_at" doc:"Time of day, in the time zone of the dealership." example:"07:00"`
	NextAt  *time.Time `json:"next_at" doc:"When the next email is due. Null if the user doesn't get it."`
}

// DailySummaryUpdate changes whether and when a user gets the email.
type DailySummaryUpdate struct {
	_ struct{} `doc:"Whether and when a user gets the daily summary by email." privacy:"plain"`

	Enabled bool   `json:"enabled" doc:"Whether the user gets the email."`
	SendAt  string `json:"send_at,omitempty" required:"false" default:"07:00" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Time of day, in the time zone of the dealership." example:"07:00"`
}

// row is a user who gets the email.
type row struct {
	Env       auth.Env  `db:"env"`
	ID        string    `db:"id"`
	SendAt    string    `db:"send_at"`
	NextAt    time.Time `db:"next_at"`
	Day       string    `db:"day"`
	Sending   string    `db:"sending"`
	Version   int64     `db:"version"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`
}

func (r row) view() DailySummary {
	return DailySummary{UserID: r.ID, Enabled: true, SendAt: r.SendAt, NextAt: &r.NextAt}
}

// latest is how late the email can be. After that, it waits for the next morning.
const latest = 6 * time.Hour

// take moves the row to the next day, and returns the day of the email that is due now, or "".
// There is one per day, even if the user changes the time.
func (r *row) take(now time.Time, zone *time.Location) string {
	day, late := now.In(zone).Format(time.DateOnly), now.Sub(r.NextAt) > latest
	r.NextAt = nextAt(r.SendAt, now, zone)
	if late || r.Day >= day {
		return ""
	}
	r.Day = day
	return day
}

// nextAt returns the first time after now at which it is this time of day.
func nextAt(clock string, now time.Time, zone *time.Location) time.Time {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		panic("summaries: " + clock + " was not checked")
	}
	local := now.In(zone)
	for days := 0; ; days++ {
		next := time.Date(local.Year(), local.Month(), local.Day()+days, at.Hour(), at.Minute(), 0, 0, zone)
		if next.After(now) {
			return next.UTC()
		}
	}
}

// errDeactivated rejects the email for a user who can't sign in.
func errDeactivated() error {
	return fault.Conflict("The user is deactivated.").Detail("user_id", "state", "is deactivated")
}

// waited says how long someone has waited, such as 42 min, 6 h or 3 days.
func waited(d time.Duration) string {
	switch {
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", max(1, int(d.Minutes())))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}
