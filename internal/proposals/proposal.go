// Package proposals stores operations that programs want to run until a person approves
// them in the console.
package proposals

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Status is the progress of a proposal.
type Status string

// The statuses of a proposal.
const (
	Pending  Status = "pending"
	Running  Status = "running"
	Approved Status = "approved"
	Declined Status = "declined"
	Expired  Status = "expired"
	Failed   Status = "failed"
)

var allStatuses = enum.Of("ProposalStatus", "Progress of a proposal. failed means that it was approved, but its operation failed.",
	Pending, Running, Approved, Declined, Expired, Failed)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

const (
	// openFor is how long a proposal can be approved.
	openFor = 7 * 24 * time.Hour
	// keepFor is how long a proposal is stored after it was created.
	keepFor = 90 * 24 * time.Hour
	// lease is how long an approval can run. Then its server has stopped.
	lease = 5 * time.Minute
)

// ProposalState is a proposal without its content.
type ProposalState struct {
	_ struct{} `doc:"A proposal without its arguments, its reason and its preview."`

	Env           auth.Env        `json:"-" db:"env"`
	ID            string          `json:"id" db:"id" example:"prp_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Identifies the proposal. Starts with prp_."`
	OperationID   string          `json:"operation_id" db:"operation_id" example:"adjustHullPricing" doc:"Operation to run, as in the API reference."`
	Status        Status          `json:"status" db:"status" doc:"Progress of the proposal."`
	ObjectID      *string         `json:"object_id" db:"object_id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Object that would change. Null if the operation creates one."`
	ProposedBy    auth.Actor      `json:"proposed_by" db:"proposed_by,json" doc:"App, API key or user that proposed it."`
	ForUserID     *string         `json:"for_user_id" db:"for_user_id" doc:"User that an app acted for. Null for other callers." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ExpiresAt     time.Time       `json:"expires_at" db:"expires_at" doc:"When it can no longer be approved."`
	DecidedBy     *string         `json:"decided_by" db:"decided_by" privacy:"plain" doc:"User who approved or declined it, or the caller that withdrew it. Null if no one did." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DecidedAt     *time.Time      `json:"decided_at" db:"decided_at" doc:"When it was approved or declined, or failed or expired."`
	DeclineReason *string         `json:"decline_reason" db:"decline_reason" doc:"Why it was declined. Null if no reason was given."`
	Result        *ProposalResult `json:"result" db:"result,json" doc:"Response of the operation. Null if it did not run."`
	ClaimedBy     *string         `json:"-" db:"claimed_by"` // whose idempotency key a running operation has
	ClaimedAt     *time.Time      `json:"-" db:"claimed_at"`
	About         []string        `json:"-" db:"about,json"` // IDs that the content mentions
	Sealed        []byte          `json:"-" db:"sealed"`
	Version       int64           `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt     time.Time       `json:"created_at" db:"created_at" doc:"When it was proposed."`
	UpdatedAt     time.Time       `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Proposal is an operation that waits for a person.
type Proposal struct {
	_ struct{} `doc:"An operation that waits until a person approves it." columns:"id status preview.title:PROPOSAL proposed_by created_at / operation_id reason for_user_id expires_at decided_by"`

	ProposalState
	ProposalContent
	URL string `json:"url" format:"uri" example:"https://slipway.example.com/console/live/approvals/prp_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Where a person can approve it, in the console."`
}

// Revision is the version, for the ETag.
func (p Proposal) Revision() int64 { return p.Version }

// ProposalContent is the part of a proposal that is stored sealed.
type ProposalContent struct {
	Reason    string                `json:"reason" doc:"Why it was proposed, in the words of the caller." example:"Similar boats sell for about $128,000."`
	Arguments ProposalArguments     `json:"arguments" doc:"Parameters and body of the operation."`
	Preview   effect.ProposalEffect `json:"preview" doc:"What would happen, in words. While it is pending, as of now, otherwise as it was decided. In lists, as it was proposed."`
	Edits     map[string]string     `json:"edits" nullable:"false" doc:"Fields of the body that the approver changed, with the new texts. The proposed ones are in arguments."`

	proposer proposer
}

// proposer is what the rules need to know about the caller who proposed something.
type proposer struct {
	UserID string       `json:"user_id"`
	Scopes []auth.Scope `json:"scopes"`
}

// ProposalArguments are the parameters and the body of an operation.
type ProposalArguments struct {
	_ struct{} `doc:"Parameters and body of a proposed operation."`

	Path  map[string]string `json:"path" nullable:"false" doc:"Path parameters by name."`
	Query map[string]string `json:"query" nullable:"false" doc:"Query parameters by name."`
	Body  *map[string]any   `json:"body" nullable:"true" doc:"JSON body. Null if there is none."`
}

// ProposalResult is the response of an operation that ran.
type ProposalResult struct {
	_        struct{} `doc:"Response of an operation that was approved." nullable:"true"`
	Status   int      `json:"status" doc:"HTTP status." example:"200"`
	ObjectID *string  `json:"object_id" doc:"Object in the response. Null if there is none." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Code     *string  `json:"code" privacy:"plain" doc:"Code of the error. Null if the operation succeeded." example:"conflict"`
	Message  *string  `json:"message" doc:"Message of the error. Null if the operation succeeded."`
	Edited   []string `json:"edited" privacy:"plain" nullable:"false" doc:"Fields of the body that the approver changed." since:"next"`
}

// ProposalCreate is the body to propose an operation.
type ProposalCreate struct {
	_ struct{} `doc:"An operation to propose."`

	OperationID string            `json:"operation_id" minLength:"1" maxLength:"100" example:"adjustHullPricing" doc:"Operation to run, as in the API reference. The ID of a /v1 operation, or of a preview operation if /v1 has none with this ID."`
	Path        map[string]string `json:"path" required:"false" doc:"Path parameters by name."`
	Query       map[string]string `json:"query" required:"false" doc:"Query parameters by name."`
	Body        map[string]any    `json:"body" required:"false" doc:"JSON body of the operation."`
	Reason      string            `json:"reason" minLength:"1" maxLength:"2000" doc:"Why you propose it. People read it before they decide." example:"Similar boats sell for about $128,000."`
}

// ProposalApprove is the body to approve a proposal.
type ProposalApprove struct {
	_ struct{} `doc:"What the approver saw and changed."`

	Pins       []effect.ProposalPin `json:"pins,omitempty" maxItems:"100" doc:"The pins of the preview that you saw. Defaults to the pins from when the operation was proposed."`
	Edits      map[string]string    `json:"edits,omitempty" doc:"Other texts for fields of the body. Only for fields in editable."`
	ConfirmUSD *int64               `json:"confirm_usd" required:"false" doc:"The amount in confirm, if there is one." example:"118000"`
}

// ProposalDecline is the body to decline a proposal.
type ProposalDecline struct {
	_ struct{} `doc:"Why a proposal is declined."`

	Reason *string `json:"reason" required:"false" maxLength:"1000" doc:"Why it is declined. The program that proposed it can read it."`
}

// nouns are the prefixes of IDs that a proposal can be about, in the order of what people
// recognize first.
var nouns = []string{"lead", "con", "deal", "hull", "apt", "act"}

// aboutOf returns the IDs in the arguments, those of the path first.
func aboutOf(path map[string]string, names []string, body map[string]any) []string {
	about := []string{}
	for _, name := range names {
		about = append(about, path[name])
	}
	for _, noun := range nouns {
		for _, name := range slices.Sorted(maps.Keys(body)) {
			if id, ok := body[name].(string); ok && strings.HasPrefix(id, noun+"_") && len(id) < 64 {
				about = append(about, id)
			}
		}
	}
	return about
}

// pathNames returns the names of the parameters of a path in order.
func pathNames(path string) (names []string) {
	for _, segment := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// idempotencyKey is the key that the operation runs with, however often it is tried.
func (p ProposalState) idempotencyKey() string { return uuid.NewSHA1(uuid.Nil, []byte(p.ID)).String() }

// isStale reports whether the server that ran the operation has stopped.
func (p ProposalState) isStale(now time.Time) bool {
	return p.Status == Running && p.ClaimedAt != nil && !now.Before(p.ClaimedAt.Add(lease))
}

// isOverdue reports whether a pending proposal has expired.
func (p ProposalState) isOverdue(now time.Time) bool {
	return p.Status == Pending && !now.Before(p.ExpiresAt)
}

// claim reserves the proposal for an approver.
func (p *ProposalState) claim(originalID string, now time.Time) error {
	if err := p.checkOpen(); err != nil {
		return err
	}
	p.Status, p.ClaimedBy, p.ClaimedAt = Running, &originalID, &now
	return nil
}

// checkOpen returns an error unless the proposal waits for a decision.
func (p *ProposalState) checkOpen() error {
	words := map[Status]string{
		Running: "is being approved", Approved: "was already approved", Declined: "was already declined", Expired: "has expired", Failed: "has failed",
	}[p.Status]
	if words == "" {
		return nil
	}
	err := fault.Conflict("The proposal %s.", words).Detail("status", "state", "is %s", p.Status)
	if p.Status == Running {
		err = err.RetryIn(time.Second)
	}
	return err
}

// release makes a claimed proposal available again.
func (p *ProposalState) release() { p.Status, p.ClaimedBy, p.ClaimedAt = Pending, nil, nil }

// decide ends the proposal.
func (p *ProposalState) decide(s Status, by string, result *ProposalResult, now time.Time) {
	p.Status, p.Result, p.DecidedAt, p.ClaimedAt = s, result, &now, nil
	if by != "" {
		p.DecidedBy = &by
	}
}

// errChanged is the error if something that the approver saw has changed.
func errChanged() *fault.Error {
	return fault.Conflict("It changed since you opened it. Nothing was done. Look at it again, and then decide.").
		Detail("pins", "changed", "are not the current versions")
}

// isPermanent reports whether an operation would fail in the same way again. Other errors
// depend on the approver or on the moment.
func isPermanent(status int) bool {
	return status == 400 || status == 404 || status == 409 || status == 422
}
