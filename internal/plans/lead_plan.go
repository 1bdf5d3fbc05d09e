package plans

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// LeadPlan is a plan that runs on a lead.
type LeadPlan struct {
	_ struct{} `doc:"A follow-up plan on a lead, with a copy of its steps." privacy:"plain" columns:"id name status next_at reason / lead_id plan_id started_at ended_at"`

	Env       auth.Env       `json:"-" db:"env"`
	ID        string         `json:"id" db:"id" doc:"Identifies the plan on the lead. Starts with lpn_." example:"lpn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID    string         `json:"lead_id" db:"lead_id" doc:"Lead." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	PlanID    string         `json:"plan_id" db:"plan_id" doc:"Plan that the steps were copied from." example:"plan_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string         `json:"name" db:"name" doc:"Name of the plan." example:"Web leads"`
	Status    LeadPlanStatus `json:"status" db:"status" doc:"Whether it still runs."`
	Reason    *LeadPlanEnd   `json:"reason" db:"reason" doc:"Why it was stopped. Null unless the status is stopped."`
	Steps     []PlanStep     `json:"steps" db:"steps,json" nullable:"false" doc:"What happens on which day."`
	Results   []PlanResult   `json:"results" db:"results,json" nullable:"false" doc:"What happened, one for each step that ran."`
	NextAt    *time.Time     `json:"next_at" db:"next_at" doc:"When the next step runs. Null if there is none."`
	StartedAt time.Time      `json:"started_at" db:"started_at" doc:"When it started."`
	EndedAt   *time.Time     `json:"ended_at" db:"ended_at" doc:"When it was stopped, or the last step ran. Null while it runs."`
	Version   int64          `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time      `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time      `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (p LeadPlan) Revision() int64 { return p.Version }

// LeadPlanStatus is whether a plan runs.
type LeadPlanStatus string

// The statuses.
const (
	Running  LeadPlanStatus = "running"
	Finished LeadPlanStatus = "finished"
	Stopped  LeadPlanStatus = "stopped"
)

var allLeadPlanStatuses = enum.Of("LeadPlanStatus", "Whether a follow-up plan runs on a lead.", Running, Finished, Stopped)

func (LeadPlanStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allLeadPlanStatuses.Describe(s)
}

// LeadPlanEnd is why a plan was stopped.
type LeadPlanEnd string

// The reasons.
const (
	Answered LeadPlanEnd = "answered"
	Closed   LeadPlanEnd = "closed"
	Manually LeadPlanEnd = "manually"
	Replaced LeadPlanEnd = "replaced"
)

var allLeadPlanEnds = enum.Of("LeadPlanEnd", "Why a follow-up plan was stopped: the customer wrote, the lead was closed or converted, or someone stopped it or started another one.",
	Answered, Closed, Manually, Replaced)

func (LeadPlanEnd) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allLeadPlanEnds.Describe(s)
}

// PlanResult is what happened in a step.
type PlanResult struct {
	_ struct{} `doc:"What happened in a step of a plan." privacy:"plain"`

	RanAt      time.Time `json:"ran_at" doc:"When the step ran."`
	MessageID  *string   `json:"message_id" doc:"Message that it queued. Null if there is none." example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ActivityID *string   `json:"activity_id" doc:"Task that it created. Null if there is none." example:"act_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Code       *string   `json:"code" doc:"Why the message was not sent, the same code as in the block_reason of a message. Null if it was queued." example:"consent_missing"`
}

// LeadPlanStart is the body to start a plan on a lead.
type LeadPlanStart struct {
	_ struct{} `doc:"Which plan to start on a lead."`

	PlanID string `json:"plan_id" minLength:"1" maxLength:"64" doc:"Plan. It replaces one that runs." example:"plan_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// on returns the plan for a lead.
func (p FollowUpPlan) on(leadID string, now time.Time) LeadPlan {
	l := LeadPlan{LeadID: leadID, PlanID: p.ID, Name: p.Name, Status: Running, Steps: p.Steps, Results: []PlanResult{}, StartedAt: now}
	l.plan()
	return l
}

// plan sets when the next step runs.
func (p *LeadPlan) plan() {
	p.NextAt = nil
	if n := len(p.Results); n < len(p.Steps) {
		p.NextAt = new(p.StartedAt.AddDate(0, 0, int(p.Steps[n].Day)))
	}
}

// ran records the result of the next step.
func (p *LeadPlan) ran(r PlanResult, now time.Time) {
	r.RanAt = now
	p.Results = append(append([]PlanResult{}, p.Results...), r)
	if p.plan(); p.NextAt == nil {
		p.Status, p.EndedAt = Finished, &now
	}
}

// stop ends the plan.
func (p *LeadPlan) stop(why LeadPlanEnd, now time.Time) error {
	if p.Status != Running {
		return fault.Conflict("The plan is %s.", p.Status).Detail("status", "state", "is %s", p.Status)
	}
	p.Status, p.Reason, p.EndedAt, p.NextAt = Stopped, &why, &now, nil
	return nil
}
