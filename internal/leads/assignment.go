package leads

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// LeadAssign is the body of assign: a user or a strategy.
type LeadAssign struct {
	_ struct{} `doc:"Who a lead is assigned to."`

	UserID   *string         `json:"user_id" required:"false" maxLength:"64" doc:"User to assign the lead to. Send either this or strategy." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Strategy *AssignStrategy `json:"strategy" required:"false" doc:"round_robin assigns the lead to the next active user who takes leads (takes_leads) at the lead's location."`
	Reason   *string         `json:"reason" required:"false" maxLength:"500" doc:"Reason for the assignment, for the history."`
}

// AssignStrategy is how the user for a lead is chosen.
type AssignStrategy string

var allAssignStrategies = enum.Of[AssignStrategy]("LeadAssignStrategy", "How the user for a lead is chosen.", "round_robin")

func (AssignStrategy) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allAssignStrategies.Describe(s)
}

// Check validates what the schema can't express.
func (n LeadAssign) Check(time.Time) error {
	var bad fault.Fields
	switch {
	case n.UserID == nil && n.Strategy == nil:
		bad.Add("user_id", "required", "is required unless you send strategy")
	case n.UserID != nil && n.Strategy != nil:
		bad.Add("strategy", "exclusive", "can't be combined with user_id")
	}
	return bad.Err()
}

// LeadAssignment is one entry in the assignment history of a lead.
type LeadAssignment struct {
	_ struct{} `doc:"One assignment of a lead." columns:"at from to method reason actor"`

	Env    auth.Env         `json:"-" db:"env"`
	ID     string           `json:"id" db:"id" doc:"Identifies the assignment. Starts with asg_." example:"asg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID string           `json:"lead_id" db:"lead_id" doc:"Lead that was assigned." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	From   *string          `json:"from" db:"from_id" privacy:"plain" doc:"Previous owner. Null for the first assignment."`
	To     string           `json:"to" db:"to_id" privacy:"plain" doc:"New owner." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Method AssignmentMethod `json:"method" db:"method" doc:"Whether a user was chosen, or the next one in turn."`
	Reason *string          `json:"reason" db:"reason" doc:"Reason that was sent with the assignment. Null if none was sent."`
	Actor  auth.Actor       `json:"actor" db:"actor,json" doc:"User, key or app that assigned the lead."`
	At     time.Time        `json:"at" db:"at" doc:"When the lead was assigned."`
}

// AssignmentMethod is how the user for a lead was chosen.
type AssignmentMethod string

// The values.
const (
	assignedManually AssignmentMethod = "manual"
	assignedInTurn   AssignmentMethod = "round_robin"
)

var allAssignmentMethods = enum.Of("LeadAssignmentMethod", "How the user for a lead was chosen.",
	assignedManually, assignedInTurn)

func (AssignmentMethod) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allAssignmentMethods.Describe(s)
}

// nextInTurn returns the candidate after the last one, in the order of IDs.
// Users who joined or left since then don't change the order of the others.
func nextInTurn(candidates []people.User, last string) (people.User, bool) {
	if len(candidates) == 0 {
		return people.User{}, false
	}
	slices.SortFunc(candidates, func(a, b people.User) int { return strings.Compare(a.ID, b.ID) })
	for _, u := range candidates {
		if u.ID > last {
			return u, true
		}
	}
	return candidates[0], true
}
