package campaigns

import (
	"context"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// RunCampaign is the job that works on a campaign for a while, and enqueues the next turn.
type RunCampaign struct {
	Env        auth.Env `json:"env"`
	CampaignID string   `json:"campaign_id"`
	Turn       int64    `json:"turn"`
}

// Kind is the job kind.
func (RunCampaign) Kind() string { return "run_campaign" }

// Lane separates campaigns from short jobs.
func (RunCampaign) Lane() string { return jobs.Long }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.RunCampaign) }

const (
	// window is how many messages of a campaign wait for the provider at the same time. The others wait in
	// the campaign, so that answers to customers don't wait behind thousands of them.
	window = 100
	// handBatch is how many recipients a transaction handles.
	handBatch = 20
	// turnTakes is how long a turn works.
	turnTakes = 20 * time.Second
	// pause is how long a turn waits for room in the window, and again when the next turn begins. The queue
	// looks for scheduled jobs only every few seconds, so a turn waits while the provider takes messages.
	pause = 200 * time.Millisecond
	again = time.Second
)

// progress is how a turn goes on after a step: it ended, goes on, or waits for the provider to take messages.
type progress struct {
	ended   bool
	waiting int64 // messages
}

// RunCampaign turns leads into recipients, and recipients into messages. Each step is a transaction that
// locks the campaign and saves the messages together with their recipients. Nobody gets two,
// even if a server is killed and the job runs again, or two servers run it.
func (a *API) RunCampaign(ctx context.Context, job RunCampaign) error {
	end := a.DB.Now().Add(turnTakes)
	for before, late := int64(0), false; ; {
		next, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (progress, error) {
			return a.step(ctx, tx, job, late || tx.Now.After(end))
		})
		if fault.KindOf(err) == fault.KindNotFound {
			return nil
		}
		if err != nil || next.ended {
			return err
		}

		late = before > 0 && next.waiting >= before // nothing was taken
		if before = next.waiting; before > 0 && !late {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// step does a part of the work.
func (a *API) step(ctx context.Context, tx *db.Tx, job RunCampaign, late bool) (progress, error) {
	stop := progress{ended: true}
	c, err := campaigns.FindForUpdate(ctx, tx, job.CampaignID)
	if err != nil || !c.isRunning() || c.Turn != job.Turn {
		return stop, err
	}
	switch {
	case c.SendAt.After(tx.Now): // the clock of the queue is ahead
		return stop, a.enqueue(ctx, tx, c, *c.SendAt)
	case c.Status == Scheduled:
		before := c
		c.Status, c.StartedAt = Sending, &tx.Now
		return progress{}, save(ctx, tx, before, &c, "campaign.started")
	case !c.Prepared:
		return progress{}, prepare(ctx, tx, &c)
	}

	pending, err := messages.CountWaiting(ctx, tx, c.ID)
	if err != nil {
		return stop, err
	}
	switch {
	case late:
		return stop, a.enqueue(ctx, tx, c, tx.Now.Add(again))
	case pending >= window:
		return progress{waiting: pending}, nil
	}
	due, err := listDue(ctx, tx, c.ID, min(handBatch, window-pending))
	if err != nil {
		return stop, err
	}
	for _, r := range due {
		if err := a.hand(ctx, tx, c, r); err != nil {
			return stop, err
		}
	}
	if len(due) > 0 {
		return progress{}, nil
	}

	at, err := nextDue(ctx, tx, c.ID)
	switch {
	case err != nil:
		return stop, err
	case at != nil:
		return stop, a.enqueue(ctx, tx, c, *at)
	case pending > 0:
		return progress{waiting: pending}, nil
	}
	before := c
	c.Status, c.EndedAt = Completed, &tx.Now
	return stop, save(ctx, tx, before, &c, "campaign.completed")
}

// enqueue ends a turn. A job of this turn that runs again after a crash does nothing.
func (a *API) enqueue(ctx context.Context, tx *db.Tx, c Campaign, at time.Time) error {
	c.Turn++
	if err := proceed(ctx, tx, c); err != nil {
		return err
	}
	return a.Jobs.Enqueue(ctx, tx, RunCampaign{tx.Env, c.ID, c.Turn}, at)
}
