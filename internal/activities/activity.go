// Package activities stores calls, notes, visits and tasks on leads, contacts, deals
// and hulls.
package activities

import (
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/patch"
)

// Activity is a call, note, visit or task. Its text is excluded from the audit log,
// because the log can't be erased.
type Activity struct {
	_ struct{} `doc:"A call, note, visit or task on a lead, contact, deal or hull." columns:"id kind body user_id due_at done_at / object_id created_at"`

	Env        auth.Env   `json:"-" db:"env"`
	ID         string     `json:"id" db:"id" example:"act_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Identifies the activity. Starts with act_."`
	ObjectType ObjectType `json:"object_type" db:"object_type" doc:"Type of the object that the activity belongs to."`
	ObjectID   string     `json:"object_id" db:"object_id" doc:"Lead, contact, deal or hull that the activity belongs to." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind       Kind       `json:"kind" db:"kind" doc:"What kind of activity it is."`
	Body       *string    `json:"body" db:"body" doc:"Text of the activity. Null after the contact is erased." example:"Wants to bring her husband on Saturday"`
	Outcome    *string    `json:"outcome" db:"outcome" example:"left voicemail" doc:"Result of the activity. Null if there is none."`
	UserID     *string    `json:"user_id" db:"user_id" doc:"User that a task is assigned to, or who made the call or the visit." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Author     auth.Actor `json:"author" db:"author,json" doc:"User, API key or app that created the activity."`
	OccurredAt time.Time  `json:"occurred_at" db:"occurred_at" doc:"When the activity took place."`
	DueAt      *time.Time `json:"due_at" db:"due_at" doc:"When a task is due."`
	DoneAt     *time.Time `json:"done_at" db:"done_at" doc:"When a task was done. Null if it is open."`
	Version    int64      `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt  time.Time  `json:"created_at" db:"created_at" doc:"When the activity was created."`
	UpdatedAt  time.Time  `json:"updated_at" db:"updated_at" doc:"When the activity last changed."`
}

// ObjectType is the kind of object that an activity is on.
type ObjectType string

// The values.
const (
	onLead    ObjectType = "lead"
	onContact ObjectType = "contact"
	onDeal    ObjectType = "deal"
	onHull    ObjectType = "hull"
)

var allObjectTypes = enum.Of("ActivityObjectType", "Kind of object that an activity is on.", onLead, onContact, onDeal, onHull)

func (ObjectType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allObjectTypes.Describe(s)
}

// Kind is what someone did, or has to do.
type Kind string

// A task is due at a time and can be done. A note is for colleagues.
const (
	note Kind = "note"
	task Kind = "task"
)

var allKinds = enum.Of("ActivityKind", "What someone did, or has to do.", "call", note, "visit", task)

func (Kind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allKinds.Describe(s)
}

// Revision is the version, for the ETag.
func (a Activity) Revision() int64 { return a.Version }

// noun is a type of object that has activities, and the scopes for them.
type noun struct {
	name        ObjectType
	prefix      string
	read, write auth.Scope
}

// nouns are the types of objects that have activities.
var nouns = []noun{
	{onLead, "lead", auth.LeadsRead, auth.LeadsWrite},
	{onContact, "con", auth.LeadsRead, auth.LeadsWrite},
	{onDeal, "deal", auth.DealsRead, auth.DealsWrite},
	{onHull, "hull", auth.HullsRead, auth.HullsWrite},
}

// nounOf returns the type of the object with an ID.
func nounOf(objectID string) (noun, bool) {
	prefix, _, _ := strings.Cut(objectID, "_")
	for _, n := range nouns {
		if n.prefix == prefix {
			return n, id.Valid(n.prefix, objectID)
		}
	}
	return noun{}, false
}

// noun returns the type of the activity's object.
func (a Activity) noun() noun {
	n, _ := nounOf(a.ObjectID)
	return n
}

// permit returns an error unless the caller has a scope.
func permit(caller auth.Principal, s auth.Scope) error {
	if caller.Can(s) {
		return nil
	}
	return fault.Forbidden("This operation requires the scope %s for this object.", s).
		Detail("Authorization", "scope", "must have the scope %s", s)
}

// readable returns the types of objects that the caller can read.
func readable(caller auth.Principal) (names []string) {
	for _, n := range nouns {
		if caller.Can(n.read) {
			names = append(names, string(n.name))
		}
	}
	return names
}

// ActivityCreate is the body to create an activity.
type ActivityCreate struct {
	_ struct{} `doc:"An activity to record."`

	ObjectID   string     `json:"object_id" minLength:"1" maxLength:"64" doc:"Lead, contact, deal or hull." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind       Kind       `json:"kind" doc:"What kind of activity it is."`
	Body       string     `json:"body" minLength:"1" maxLength:"10000" example:"Wants to bring her husband on Saturday" doc:"Text of the activity."`
	Outcome    *string    `json:"outcome" required:"false" maxLength:"200" doc:"Result of the activity."`
	UserID     *string    `json:"user_id" required:"false" maxLength:"64" doc:"Defaults to the user of the session."`
	OccurredAt *time.Time `json:"occurred_at" required:"false" doc:"Defaults to the current time."`
	DueAt      *time.Time `json:"due_at" required:"false" doc:"Only for tasks."`
	DoneAt     *time.Time `json:"done_at" required:"false" doc:"Only for tasks."`
}

// Check validates what the schema can't express.
func (n ActivityCreate) Check(now time.Time) error {
	_, err := n.activity(now)
	return err
}

// activity returns the new activity, or every invalid field.
func (n ActivityCreate) activity(now time.Time) (Activity, error) {
	a := Activity{
		ObjectID: n.ObjectID, Kind: n.Kind, Body: &n.Body, Outcome: n.Outcome, UserID: n.UserID, OccurredAt: now,
		DueAt: inUTC(n.DueAt), DoneAt: inUTC(n.DoneAt),
	}
	if n.OccurredAt != nil {
		a.OccurredAt = *inUTC(n.OccurredAt)
	}
	var bad fault.Fields
	kind, ok := nounOf(n.ObjectID)
	if !ok && n.ObjectID != "" {
		bad.Add("object_id", "format", "must be the ID of a lead, contact, deal or hull")
	}
	a.ObjectType = kind.name
	a.check(&bad, now)
	return a, bad.Err()
}

// ActivityPatch is the body to change an activity. It stays on its object.
type ActivityPatch struct {
	_ struct{} `doc:"Changes to an activity. Fields that you leave out keep their values."`

	Kind       patch.Value[Kind]      `json:"kind,omitzero" doc:"What kind of activity it is."`
	Body       patch.Value[string]    `json:"body,omitzero" minLength:"1" maxLength:"10000" doc:"Text of the activity."`
	Outcome    patch.Null[string]     `json:"outcome,omitzero" maxLength:"200" doc:"Result of the activity. Null removes it."`
	UserID     patch.Null[string]     `json:"user_id,omitzero" maxLength:"64" doc:"User that a task is assigned to, or who made the call or the visit. Null removes it."`
	OccurredAt patch.Value[time.Time] `json:"occurred_at,omitzero" doc:"When the activity took place."`
	DueAt      patch.Null[time.Time]  `json:"due_at,omitzero" doc:"Only for tasks."`
	DoneAt     patch.Null[time.Time]  `json:"done_at,omitzero" doc:"Only for tasks. Null opens the task again."`
}

// apply changes the activity.
func (p ActivityPatch) apply(a *Activity, now time.Time) error {
	p.Kind.To(&a.Kind)
	p.Outcome.To(&a.Outcome)
	p.UserID.To(&a.UserID)
	if p.Body.Set {
		a.Body = &p.Body.V
	}
	if p.OccurredAt.Set {
		a.OccurredAt = *inUTC(&p.OccurredAt.V)
	}
	if p.DueAt.Set {
		a.DueAt = inUTC(p.DueAt.V)
	}
	if p.DoneAt.Set {
		a.DoneAt = inUTC(p.DoneAt.V)
	}
	var bad fault.Fields
	a.check(&bad, now)
	return bad.Err()
}

// clockSkew is how far ahead a caller's clock can be.
const clockSkew = 5 * time.Minute

// check validates what the schema can't express.
func (a *Activity) check(bad *fault.Fields, now time.Time) {
	if a.Body != nil && strings.TrimSpace(*a.Body) == "" && *a.Body != "" {
		bad.Add("body", "too_short", "must not be blank")
	}
	if a.Kind != task && a.DueAt != nil {
		bad.Add("due_at", "exclusive", "is only allowed for tasks")
	}
	if a.Kind != task && a.DoneAt != nil {
		bad.Add("done_at", "exclusive", "is only allowed for tasks")
	}
	if a.OccurredAt.After(now.Add(clockSkew)) {
		bad.Add("occurred_at", "maximum", "must not be in the future")
	}
	if a.DoneAt != nil && a.DoneAt.After(now.Add(clockSkew)) {
		bad.Add("done_at", "maximum", "must not be in the future")
	}
}

func inUTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Millisecond))
}
