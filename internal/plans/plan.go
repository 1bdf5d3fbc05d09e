// Package plans follows up on new leads with a sequence of messages and tasks.
package plans

import (
	"fmt"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/templates"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// FollowUpPlan is a sequence of messages and tasks for new leads.
type FollowUpPlan struct {
	_ struct{} `doc:"A sequence of messages and tasks for new leads, by day." privacy:"plain" columns:"id name active sources / steps created_at version"`

	Env       auth.Env       `json:"-" db:"env"`
	ID        string         `json:"id" db:"id" doc:"Identifies the plan. Starts with plan_." example:"plan_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string         `json:"name" db:"name" doc:"Your name of the plan." example:"Web leads"`
	Active    bool           `json:"active" db:"active" doc:"Whether it starts for new leads. You can start it on a lead anyway."`
	Sources   []leads.Source `json:"sources" db:"sources,json" nullable:"false" doc:"It starts for new leads from these sources. Empty if you only start it yourself."`
	Steps     []PlanStep     `json:"steps" db:"steps,json" nullable:"false" doc:"What happens on which day."`
	Version   int64          `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time      `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time      `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (p FollowUpPlan) Revision() int64 { return p.Version }

// PlanStep is a message or a task of a plan.
type PlanStep struct {
	_ struct{} `doc:"A message or a task of a plan." privacy:"plain"`

	Day     int64    `json:"day" minimum:"0" maximum:"365" doc:"Days after the start. 0 is immediately." example:"0"`
	Kind    StepKind `json:"kind" doc:"What happens."`
	Subject *string  `json:"subject" required:"false" maxLength:"150" doc:"Required for email."`
	Body    string   `json:"body" minLength:"1" maxLength:"20000" doc:"Text of the message with places such as {first_name|there}, or of the task." example:"Hi {first_name|there}, thank you for asking about {boat|our boats}. When can I call you?"`
}

// StepKind is what a step does.
type StepKind string

// The kinds of steps.
const (
	Text  StepKind = "sms"
	Email StepKind = "email"
	Task  StepKind = "task"
)

var allStepKinds = enum.Of("PlanStepKind", "What a step does: it sends a text message or an email, or creates a task for the owner of the lead.", Text, Email, Task)

func (StepKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStepKinds.Describe(s)
}

// FollowUpPlanCreate is the body to create a plan.
type FollowUpPlanCreate struct {
	_ struct{} `doc:"A new plan."`

	Name    string         `json:"name" minLength:"1" maxLength:"100" doc:"Your name of the plan." example:"Web leads"`
	Sources []leads.Source `json:"sources,omitempty" maxItems:"20" uniqueItems:"true" doc:"It starts for new leads from these sources."`
	Steps   []PlanStep     `json:"steps" minItems:"1" maxItems:"30" doc:"What happens on which day, in order."`
}

// FollowUpPlanPatch is the body to change a plan.
type FollowUpPlanPatch struct {
	_ struct{} `doc:"Changes to a plan. Omitted fields keep their values. Leads on which it runs keep their steps."`

	Name    patch.Value[string]         `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Your name of the plan."`
	Active  patch.Value[bool]           `json:"active,omitzero" doc:"Whether it starts for new leads."`
	Sources patch.Value[[]leads.Source] `json:"sources,omitzero" maxItems:"20" uniqueItems:"true" doc:"Replaces the sources."`
	Steps   patch.Value[[]PlanStep]     `json:"steps,omitzero" minItems:"1" maxItems:"30" doc:"Replaces the steps."`
}

// plan returns the new plan.
func (n FollowUpPlanCreate) plan() FollowUpPlan {
	return FollowUpPlan{Name: n.Name, Active: true, Sources: append([]leads.Source{}, n.Sources...), Steps: n.Steps}
}

// apply changes the plan.
func (p FollowUpPlanPatch) apply(to *FollowUpPlan) error {
	p.Name.To(&to.Name)
	p.Active.To(&to.Active)
	p.Sources.To(&to.Sources)
	p.Steps.To(&to.Steps)
	return to.check()
}

// check validates what the schema can't express.
func (p FollowUpPlan) check() error {
	var bad fault.Fields
	for i, s := range p.Steps {
		at := fmt.Sprintf("steps[%d].", i)
		if i > 0 && s.Day < p.Steps[i-1].Day {
			bad.Add(at+"day", "minimum", "must not be before the day of the step before it")
		}
		var text fault.Fields
		if s.Kind == Task {
			if s.Subject != nil {
				text.Add("subject", "exclusive", "is only allowed for email")
			}
			if strings.TrimSpace(s.Body) == "" {
				text.Add("body", "too_short", "must not be blank")
			}
		} else {
			templates.CheckText(&text, consent.Channel(s.Kind), s.Subject, s.Body)
		}
		for _, d := range text {
			bad = append(bad, fault.Detail{Field: at + d.Field, Code: d.Code, Message: d.Message})
		}
	}
	return bad.Err()
}
