// Package campaigns sends a message to many leads, behind the consent check.
package campaigns

import (
	"time"

	"slipway/internal/leads"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// LeadSegment is a saved filter of leads.
type LeadSegment struct {
	_ struct{} `doc:"A saved filter of leads, for campaigns." privacy:"plain" columns:"id name / filter created_at version"`

	Env       auth.Env            `json:"-" db:"env"`
	ID        string              `json:"id" db:"id" doc:"Identifies the segment. Starts with seg_." example:"seg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string              `json:"name" db:"name" doc:"Your name of the segment." example:"Center consoles, quiet for a month"`
	Filter    leads.SegmentFilter `json:"filter" db:"filter,json" doc:"Which leads belong to it."`
	Version   int64               `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time           `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time           `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (s LeadSegment) Revision() int64 { return s.Version }

// LeadSegmentCreate is the body to create a segment.
type LeadSegmentCreate struct {
	_ struct{} `doc:"A new segment."`

	Name   string              `json:"name" minLength:"1" maxLength:"100" doc:"Your name of the segment." example:"Center consoles, quiet for a month"`
	Filter leads.SegmentFilter `json:"filter" doc:"Which leads belong to it. Without conditions, all open leads."`
}

// Check validates what the schema can't express.
func (n LeadSegmentCreate) Check(time.Time) error {
	var bad fault.Fields
	n.Filter.Check(&bad)
	return bad.Err()
}

// LeadSegmentPatch is the body to change a segment.
type LeadSegmentPatch struct {
	_ struct{} `doc:"Changes to a segment. Omitted fields keep their values."`

	Name   patch.Value[string]              `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Your name of the segment."`
	Filter patch.Value[leads.SegmentFilter] `json:"filter,omitzero" doc:"Replaces all conditions."`
}

// apply changes the segment.
func (p LeadSegmentPatch) apply(s *LeadSegment) error {
	p.Name.To(&s.Name)
	if p.Filter.Set {
		s.Filter = p.Filter.V.Normalized()
	}
	return LeadSegmentCreate{Filter: s.Filter}.Check(s.UpdatedAt)
}
