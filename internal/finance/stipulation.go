package finance

import (
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Stipulation is something that a lender requires before it pays.
type Stipulation struct {
	_ struct{} `doc:"Something that a lender requires before it pays."`

	Env         auth.Env          `json:"-" db:"env"`
	ID          string            `json:"id" db:"id" doc:"Identifies the stipulation. Starts with stip_." example:"stip_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID      string            `json:"deal_id" db:"deal_id" doc:"Deal that is financed."`
	FundingID   string            `json:"funding_id" db:"funding_id" doc:"Funding that the stipulation belongs to." example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind        StipulationKind   `json:"kind" db:"kind" doc:"What the lender requires. mso is a manufacturer's statement of origin."`
	Description *string           `json:"description" db:"description" doc:"Details of what the lender requires. Null if there are none." example:"Two years of tax returns"`
	Status      StipulationStatus `json:"status" db:"status" doc:"Whether the lender has it and accepts it. The funding requires accepted or waived."`
	Note        *string           `json:"note" db:"note" doc:"Note from when the status was last set. Null if there is none."`
	DocumentID  *string           `json:"document_id" db:"document_id" doc:"Document of the deal that proves it. Null if there is none." example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
	ResolvedAt  *time.Time        `json:"resolved_at" db:"resolved_at" doc:"When it was accepted, rejected or waived. Null before that."`
	Version     int64             `json:"version" db:"version" doc:"Number of the current version."`
	CreatedAt   time.Time         `json:"created_at" db:"created_at" doc:"When the stipulation was added."`
	UpdatedAt   time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// StipulationKind is what a lender requires.
type StipulationKind string

var allStipulationKinds = enum.Of[StipulationKind]("StipulationKind", "What a lender requires. mso is a manufacturer's statement of origin.",
	"proof_of_income", "tax_returns", "proof_of_residence", "drivers_license", "insurance_binder", "survey", "payoff_letter",
	"title_front_back", "mso_boat", "mso_engine", "mso_trailer", "trust_docs", "down_payment_proof", "signed_contract",
	"other")

func (StipulationKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStipulationKinds.Describe(s)
}

// Revision returns the version for the ETag.
func (s Stipulation) Revision() int64 { return s.Version }

// StipulationStatus is the state of a stipulation.
type StipulationStatus string

// The statuses of a stipulation.
const (
	StipulationRequested StipulationStatus = "requested"
	StipulationReceived  StipulationStatus = "received"
	StipulationAccepted  StipulationStatus = "accepted"
	StipulationRejected  StipulationStatus = "rejected"
	StipulationWaived    StipulationStatus = "waived"
)

var stipulationStatuses = enum.Of("StipulationStatus", "Whether a lender has what it requires and accepts it.",
	StipulationRequested, StipulationReceived, StipulationAccepted, StipulationRejected, StipulationWaived)

func (StipulationStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return stipulationStatuses.Describe(s)
}

// StipulationAdd is the request body for a new stipulation.
type StipulationAdd struct {
	_ struct{} `doc:"A new stipulation."`

	Kind        StipulationKind `json:"kind" doc:"What the lender requires. mso is a manufacturer's statement of origin."`
	Description *string         `json:"description" required:"false" maxLength:"500" doc:"Details of what the lender requires."`
}

var _ = enum.Part[StipulationResolve]("Status", "StipulationResolution", "Status that a stipulation can be set to.")

// StipulationResolve is the request body for resolving a stipulation.
type StipulationResolve struct {
	_ struct{} `doc:"The new status of a stipulation."`

	Status StipulationStatus `json:"status" enum:"received,accepted,waived,rejected" doc:"received means that the lender has it but has not decided yet."`
	Note   *string           `json:"note" required:"false" maxLength:"500" doc:"Note for your staff. Replaces the previous note."`

	DocumentID *string `json:"document_id" required:"false" minLength:"1" maxLength:"64" doc:"Document of the deal that proves it, such as one that you uploaded. Replaces the previous one." example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
}

// met reports whether the stipulation is satisfied.
func (s Stipulation) met() bool {
	return s.Status == StipulationAccepted || s.Status == StipulationWaived
}

// resolve changes the status of a stipulation that is not met yet.
func (s *Stipulation) resolve(r StipulationResolve, f Funding, now time.Time) error {
	if err := f.checkOpen(); err != nil {
		return err
	}
	if s.met() {
		return fault.Conflict("The stipulation is already %s.", s.Status).Detail("status", "state", "is %s", s.Status)
	}

	s.Status, s.ResolvedAt = r.Status, nil
	if r.Note != nil {
		s.Note = r.Note
	}
	if r.DocumentID != nil {
		s.DocumentID = r.DocumentID
	}
	if r.Status != StipulationReceived {
		s.ResolvedAt = &now
	}
	return nil
}

// checkOpen fails if the funding is finished.
func (f Funding) checkOpen() error {
	if slices.Contains(finished, f.Status) {
		return fault.Conflict("The funding is %s. You can't change its stipulations.", f.Status).Detail("status", "state", "is %s", f.Status)
	}
	return nil
}

// stipulation finds a stipulation of the funding.
func (f Funding) stipulation(id string) (Stipulation, error) {
	for _, s := range f.Stipulations {
		if s.ID == id {
			return s, nil
		}
	}
	return Stipulation{}, fault.NotFound("stipulation", id)
}
