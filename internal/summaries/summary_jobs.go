package summaries

import (
	"context"
	"errors"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/work"
	"slipway/internal/vocab/auth"
)

// FindDue is the job that finds the people whose email is due.
type FindDue struct{}

// Kind is the job kind.
func (FindDue) Kind() string { return "find_daily_summaries" }

// SendSummary is the job that sends the email of a day.
type SendSummary struct {
	Env    auth.Env `json:"env"`
	UserID string   `json:"user_id"`
	Day    string   `json:"day"`
}

// Kind is the job kind.
func (SendSummary) Kind() string { return "send_daily_summary" }

// Lane waits for the mail server.
func (SendSummary) Lane() string { return jobs.Mail }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.FindDue)
	jobs.Every(q, time.Minute, FindDue{})
	jobs.On(q, a.MarkDue)
	jobs.Every(q, time.Hour, MarkDue{})
	jobs.On(q, a.SendSummary)
}

// perRun is how many environments FindDue handles at most.
const perRun = 10_000

// FindDue enqueues the emails that are due. A transaction takes the day of a user, so there is
// one email per day, also with several servers. An error doesn't keep others from getting theirs.
func (a *API) FindDue(ctx context.Context, _ FindDue) error {
	envs, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]auth.Env, error) {
		return work.Due(ctx, tx, work.Summaries, perRun)
	})
	for _, env := range envs {
		err = errors.Join(err, a.takeAll(auth.InEnv(ctx, env)))
	}
	return err
}

// takeAll enqueues the emails of an environment, and sets when its next one is due.
func (a *API) takeAll(ctx context.Context) error {
	zone, err := db.Read(ctx, a.DB, zoneOf)
	if err != nil {
		return err
	}
	for after := ""; ; {
		ids, failed := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) { return due(ctx, tx, after) })
		if failed != nil {
			return errors.Join(err, failed)
		}
		for _, id := range ids {
			err = errors.Join(err, a.take(ctx, id, zone))
			after = id
		}
		if len(ids) < perRead {
			break
		}
	}
	_, failed := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, work.Settle(ctx, tx, work.Summaries, nextDue)
	})
	return errors.Join(err, failed)
}

// MarkDue is the job that marks the environments that servers of the last release have not
// marked.
type MarkDue struct{}

// Kind is the job kind.
func (MarkDue) Kind() string { return "mark_daily_summaries" }

// MarkDue marks them.
func (a *API) MarkDue(ctx context.Context, _ MarkDue) error {
	_, err := db.Write(ctx, a.DB, markAll)
	return err
}

// take enqueues the email of one user.
func (a *API) take(ctx context.Context, id string, zone *time.Location) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (row, error) {
		r, exists, err := find(ctx, tx, id)
		if err != nil || !exists || r.NextAt.After(tx.Now) {
			return r, err
		}
		if day := r.take(tx.Now, zone); day != "" {
			if err := a.Jobs.Enqueue(ctx, tx, SendSummary{r.Env, r.ID, day}, tx.Now); err != nil {
				return r, err
			}
		}
		return r, summaries.Save(ctx, tx, &r)
	})
	return err
}

// SendSummary sends the email of a day unless nothing needs the user. The row remembers that it
// is being sent, so an email that might have been sent before a server was killed isn't repeated.
func (a *API) SendSummary(ctx context.Context, job SendSummary) error {
	ctx = auth.InEnv(ctx, job.Env)
	letter, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (prepared, error) { return prepare(ctx, tx, job) })
	if err != nil || letter.to == "" {
		return err
	}
	if ok, err := a.mark(ctx, job, job.Day); err != nil || !ok {
		return err
	}

	err = mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: letter.to, Subject: letter.subject, Token: "daily-summary-" + job.UserID + "-" + job.Day,
	}, letter.Letter)
	if _, unsure := errors.AsType[*mail.Unsure](err); err == nil || unsure {
		return err
	}
	_, undone := a.mark(context.WithoutCancel(ctx), job, "")
	return errors.Join(err, undone)
}

// mark records that the email of a day is being sent, or with "" that it was not. It returns
// false if it was recorded before, or the user no longer wants it.
func (a *API) mark(ctx context.Context, job SendSummary, day string) (bool, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		r, exists, err := find(ctx, tx, job.UserID)
		if err != nil || !exists || r.Sending == day {
			return false, err
		}
		r.Sending = day
		return true, summaries.Save(ctx, tx, &r)
	})
}
