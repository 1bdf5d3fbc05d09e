package campaigns

import (
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/templates"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Campaign is a marketing message to the leads of a segment.
type Campaign struct {
	_ struct{} `doc:"A marketing message to the leads of a segment." privacy:"plain" columns:"id name status channel send_at started_at ended_at / segment_id template_id created_at version"`

	Env        auth.Env                `json:"-" db:"env"`
	ID         string                  `json:"id" db:"id" doc:"Identifies the campaign. Starts with cmp_." example:"cmp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name       string                  `json:"name" db:"name" doc:"Your name of the campaign." example:"Spring sale"`
	Status     Status                  `json:"status" db:"status" doc:"Progress of the campaign."`
	SegmentID  string                  `json:"segment_id" db:"segment_id" doc:"Segment that the leads were chosen with." example:"seg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	TemplateID string                  `json:"template_id" db:"template_id" doc:"Template that the text was copied from." example:"tpl_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Filter     leads.SegmentFilter     `json:"filter" db:"filter,json" doc:"Which leads get it. Copied from the segment."`
	Channel    consent.Channel         `json:"channel" db:"channel" enum:"sms,email" doc:"Text message or email."`
	Subject    *string                 `json:"subject" db:"subject" doc:"Subject of an email, with places. Copied from the template. Null for a text message."`
	Body       string                  `json:"body" db:"body" doc:"Text with places. Copied from the template."`
	SendAt     *time.Time              `json:"send_at" db:"send_at" doc:"When sending starts. Recipients in quiet hours get it when those end. Null for a draft."`
	StartedBy  *messages.MessageSender `json:"started_by" db:"started_by,json" doc:"Who started it. Null for a draft."`
	StartedAt  *time.Time              `json:"started_at" db:"started_at" doc:"When sending started. Null until then."`
	EndedAt    *time.Time              `json:"ended_at" db:"ended_at" doc:"When it was complete or stopped. Null until then."`
	Version    int64                   `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt  time.Time               `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt  time.Time               `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	Prepared   bool   `json:"-" db:"prepared"`    // whether all leads of the segment are recipients
	PreparedTo string `json:"-" db:"prepared_to"` // the last lead that was read
	Turn       int64  `json:"-" db:"turn"`        // of the job that works on it
}

var _ = enum.Part[Campaign]("Channel", "MessageChannel", "Text message or email.")

// Status is the progress of a campaign.
type Status string

// The statuses of a campaign.
const (
	Draft     Status = "draft"
	Scheduled Status = "scheduled"
	Sending   Status = "sending"
	Completed Status = "completed"
	Stopped   Status = "stopped"
)

var allStatuses = enum.Of("CampaignStatus", "Progress of a campaign. It is completed when each recipient has a result.",
	Draft, Scheduled, Sending, Completed, Stopped)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// Revision is the version, for the ETag.
func (c Campaign) Revision() int64 { return c.Version }

// CampaignCreate is the body to create a campaign.
type CampaignCreate struct {
	_ struct{} `doc:"A new campaign. It is a draft until you start it."`

	Name       string `json:"name" minLength:"1" maxLength:"100" doc:"Your name of the campaign." example:"Spring sale"`
	SegmentID  string `json:"segment_id" minLength:"1" maxLength:"64" doc:"Which leads get it." example:"seg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	TemplateID string `json:"template_id" minLength:"1" maxLength:"64" doc:"What they get. It also decides the channel." example:"tpl_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// CampaignPatch is the body to change a draft.
type CampaignPatch struct {
	_ struct{} `doc:"Changes to a draft. Omitted fields keep their values."`

	Name       patch.Value[string] `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Your name of the campaign."`
	SegmentID  patch.Value[string] `json:"segment_id,omitzero" minLength:"1" maxLength:"64" doc:"Which leads get it. Copies the filter again."`
	TemplateID patch.Value[string] `json:"template_id,omitzero" minLength:"1" maxLength:"64" doc:"What they get. Copies the text again."`
}

// CampaignStart is the body to start a campaign.
type CampaignStart struct {
	_ struct{} `doc:"When a campaign is sent."`

	SendAt *time.Time `json:"send_at" required:"false" doc:"When sending starts. Defaults to now." example:"2027-03-01T15:00:00Z"`
}

// maxAhead limits send_at.
const maxAhead = 366 * 24 * time.Hour

// Check validates what the schema can't express.
func (s CampaignStart) Check(now time.Time) error {
	var bad fault.Fields
	if s.SendAt != nil && s.SendAt.Before(now.Add(-leads.ClockSkew)) {
		bad.Add("send_at", "minimum", "must not be in the past")
	}
	if s.SendAt != nil && s.SendAt.After(now.Add(maxAhead)) {
		bad.Add("send_at", "maximum", "must be within a year")
	}
	return bad.Err()
}

// use copies the segment and the template.
func (c *Campaign) use(s LeadSegment, t templates.MessageTemplate) {
	c.SegmentID, c.Filter = s.ID, s.Filter
	c.TemplateID, c.Channel, c.Subject, c.Body = t.ID, t.Channel, t.Subject, t.Body
}

// isDraft returns a conflict unless the campaign can be changed.
func (c Campaign) isDraft() error {
	if c.Status != Draft {
		return fault.Conflict("The campaign is %s. Only a draft can be changed or started.", c.Status).Detail("status", "state", "is %s", c.Status)
	}
	return nil
}

// start schedules the campaign.
func (c *Campaign) start(s CampaignStart, by auth.Actor, now time.Time) error {
	if err := c.isDraft(); err != nil {
		return err
	}
	if err := s.Check(now); err != nil {
		return err
	}
	at := now
	if s.SendAt != nil && s.SendAt.After(now) {
		at = s.SendAt.UTC().Truncate(time.Millisecond)
	}
	c.Status, c.SendAt = Scheduled, &at
	c.StartedBy = &messages.MessageSender{Type: by.Type, ID: by.ID, Label: by.Label}
	return nil
}

// stop ends a campaign before each recipient has a result.
func (c *Campaign) stop(now time.Time) error {
	if !c.isRunning() {
		return fault.Conflict("The campaign is %s. You can only stop one that is scheduled or sending.", c.Status).
			Detail("status", "state", "is %s", c.Status)
	}
	c.Status, c.EndedAt = Stopped, &now
	return nil
}

func (c Campaign) isRunning() bool { return c.Status == Scheduled || c.Status == Sending }

// outgoing returns the message to a lead.
func (c Campaign) outgoing(l leads.Lead, v templates.Values) messages.Outgoing {
	o := messages.Outgoing{Lead: l, Channel: c.Channel, Purpose: consent.Marketing, Body: v.Render(c.Body), CampaignID: c.ID, SentBy: c.StartedBy}
	if c.Subject != nil {
		o.Subject = new(v.Render(*c.Subject))
	}
	return o
}
