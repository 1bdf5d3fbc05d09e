package plans

import (
	"context"
	"time"

	"slipway/internal/activities"
	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/templates"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// RunPlanStep is the job that runs a step of a plan.
type RunPlanStep struct {
	Env        auth.Env `json:"env"`
	LeadPlanID string   `json:"lead_plan_id"`
	Step       int      `json:"step"`
}

// Kind is the job kind.
func (RunPlanStep) Kind() string { return "run_plan_step" }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.RunPlanStep) }

// RunPlanStep runs a step once: the message or the task, its result and the job of the next step are
// one transaction.
func (a *API) RunPlanStep(ctx context.Context, job RunPlanStep) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadPlan, error) {
		p, err := leadPlans.FindForUpdate(ctx, tx, job.LeadPlanID)
		if fault.KindOf(err) == fault.KindNotFound {
			return p, nil
		}
		if err != nil || p.Status != Running || len(p.Results) != job.Step || p.NextAt == nil {
			return p, err
		}
		if p.NextAt.After(tx.Now) { // the clock of the queue is ahead
			return p, a.enqueue(ctx, tx, p)
		}
		return p, a.step(ctx, tx, p)
	})
	return err
}

// step runs the next step of a plan.
func (a *API) step(ctx context.Context, tx *db.Tx, p LeadPlan) error {
	before := p
	l, err := leads.Find(ctx, tx, p.LeadID)
	if err != nil {
		return err
	}
	if l.Status == leads.Lost || l.Status == leads.Converted {
		if err := p.stop(Closed, tx.Now); err != nil {
			return err
		}
		return saveOn(ctx, tx, before, &p, "lead_plan.stopped")
	}

	r, quietUntil, err := a.do(ctx, tx, l, p)
	if err != nil {
		return err
	}
	if !quietUntil.IsZero() {
		p.NextAt = &quietUntil
		if err := leadPlans.Save(ctx, tx, &p); err != nil {
			return err
		}
		return a.enqueue(ctx, tx, p)
	}
	event := "lead_plan.step_done"
	if p.ran(r, tx.Now); p.Status == Finished {
		event = "lead_plan.finished"
	}
	if err := saveOn(ctx, tx, before, &p, event); err != nil {
		return err
	}
	return a.enqueue(ctx, tx, p)
}

// do sends the message of a step or creates its task. A text message in quiet hours waits.
func (a *API) do(ctx context.Context, tx *db.Tx, l leads.Lead, p LeadPlan) (r PlanResult, quietUntil time.Time, err error) {
	s := p.Steps[len(p.Results)]
	c, err := contacts.Find(ctx, tx, l.ContactID)
	if err != nil {
		return r, quietUntil, err
	}
	v, err := templates.ValuesOf(ctx, tx, l, c)
	if err != nil {
		return r, quietUntil, err
	}
	if s.Kind == Task {
		id, err := activities.AddTask(ctx, tx, l.ID, l.OwnerID, v.Render(s.Body))
		r.ActivityID = &id
		return r, quietUntil, err
	}
	o := messages.Outgoing{Lead: l, Channel: consent.Channel(s.Kind), Purpose: consent.Transactional, Body: v.Render(s.Body), LeadPlanID: p.ID, KeepsQuiet: true}
	if s.Subject != nil {
		o.Subject = new(v.Render(*s.Subject))
	}
	m, verdict, err := a.Messages.Queue(ctx, tx, o)
	if err == nil && verdict.Code == "" && verdict.QuietUntil.IsZero() {
		r.MessageID = &m.ID
	}
	r.Code = null.From(verdict.Code)
	return r, verdict.QuietUntil, err
}

// enqueue enqueues the next step, if there is one.
func (a *API) enqueue(ctx context.Context, tx *db.Tx, p LeadPlan) error {
	if p.NextAt == nil {
		return nil
	}
	return a.Jobs.Enqueue(ctx, tx, RunPlanStep{tx.Env, p.ID, len(p.Results)}, *p.NextAt)
}
