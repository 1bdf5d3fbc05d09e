package people

import (
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// AccessKind is a kind of what acts for a user.
type AccessKind string

// The values.
const (
	SessionAccess   AccessKind = "session"
	LoginKeyAccess  AccessKind = "login_key"
	KeyAccess       AccessKind = "api_key"
	AppAccess       AccessKind = "app"
	AssistantAccess AccessKind = "assistant"
	WebhookAccess   AccessKind = "webhook"
	PushURLAccess   AccessKind = "push_url"
	CalendarAccess  AccessKind = "calendar"
)

var accessKinds = enum.Of("UserAccessKind", "Kind of what acts for a user. login_key is a key of slipway login. assistant is an app that acts for the user only.",
	SessionAccess, LoginKeyAccess, KeyAccess, AppAccess, AssistantAccess, WebhookAccess, PushURLAccess, CalendarAccess)

func (AccessKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return accessKinds.Describe(s)
}

var _ = enum.Part[UserHandOver]("Kinds", "UserHandOverKind", "Kind of what can be handed over to another user.")

// UserAccess is everything that acts for a user.
type UserAccess struct {
	_ struct{} `doc:"Everything that acts for a user: what they are signed in with, and what they created."`

	UserID string           `json:"user_id" doc:"ID of the user." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Items  []UserAccessItem `json:"items" nullable:"false" doc:"Sessions, API keys, apps, webhooks, push URLs and calendars."`
}

// UserAccessItem is one session, key or connection that acts for a user.
type UserAccessItem struct {
	_ struct{} `doc:"One session, key or connection that acts for a user."`

	Kind        AccessKind   `json:"kind" doc:"What it is."`
	ID          string       `json:"id" doc:"ID of the session, API key, install, webhook or channel. For a calendar, the ID of the user whose appointments it contains." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name        string       `json:"name" doc:"Name, or the URL that it sends data to." example:"Website"`
	Scopes      []auth.Scope `json:"scopes" nullable:"false" doc:"Scopes that it has. Empty for a session, which has the scopes of the user."`
	CanHandOver bool         `json:"can_hand_over" doc:"Whether it can be handed over to another user. What is personal always ends."`
	CreatedAt   time.Time    `json:"created_at" doc:"When it was created."`
	LastUsedAt  *time.Time   `json:"last_used_at" doc:"When it was last used. Null if that is unknown."`
}

// UserHandOver is what another user gets.
type UserHandOver struct {
	_ struct{} `doc:"What to hand over to another user instead of ending it."`

	UserID string       `json:"user_id" minLength:"1" maxLength:"64" doc:"Active user who gets it. The user must have the scopes that it has." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kinds  []AccessKind `json:"kinds" minItems:"1" maxItems:"5" uniqueItems:"true" enum:"api_key,app,webhook,push_url,calendar" doc:"What to hand over. The rest ends."`
}

// Author is who created something: a user or an app, or a key that one of them created.
type Author struct {
	User  User   // empty for an app
	appID string // empty for a user
	keys  []string
}

// AppAuthor returns an app as the author of what it created. Keys are those that it created,
// directly or with other keys.
func AppAuthor(appID string, keys []string) Author { return Author{appID: appID, keys: keys} }

// Wrote reports whether the author is the actor who created something.
func (a Author) Wrote(by auth.Actor) bool {
	switch by.Type {
	case auth.ActorUser:
		return by.ID == a.User.ID
	case auth.ActorApp:
		return by.ID == a.appID
	}
	return by.Type == auth.ActorAPIKey && slices.Contains(a.keys, by.ID)
}

// Leaving is what happens to what acts for a user who is deactivated. What is personal
// always ends. The zero value ends the rest too.
type Leaving struct {
	Keep     bool // what belongs to the dealership continues to work
	HandOver *UserHandOver
}

// handsOver reports whether another user gets things of a kind.
func (l Leaving) handsOver(kind AccessKind) bool {
	return l.HandOver != nil && slices.Contains(l.HandOver.Kinds, kind)
}

// affectsAdmin reports whether a key or an app with the admin scope ends or gets another
// owner.
func (l Leaving) affectsAdmin(items []UserAccessItem) bool {
	return slices.ContainsFunc(items, func(i UserAccessItem) bool {
		acts := i.Kind == KeyAccess || i.Kind == AppAccess
		return acts && slices.Contains(i.Scopes, auth.Admin) && (!l.Keep || l.handsOver(i.Kind))
	})
}

// checkRecipient returns an error if a user can't get what is handed over. No one gets
// more than they can do themselves.
func (l Leaving) checkRecipient(leaving, to User, held []auth.Scope, items []UserAccessItem) error {
	if to.ID == leaving.ID || to.Status != Active {
		return fault.Conflict("You can only hand over to another active user.").
			Detail("hand_over.user_id", "state", "must be another active user")
	}
	for _, i := range items {
		if !i.CanHandOver || !l.handsOver(i.Kind) {
			continue
		}
		for _, s := range i.Scopes {
			if !slices.Contains(held, s) {
				return fault.Conflict("%s doesn't have the scope %s, which %s %s has. Choose another user, or end it.", to.Name, s, i.Kind, i.ID).
					Detail("hand_over.user_id", "scope", "doesn't have the scope %s of %s", s, i.ID)
			}
		}
	}
	return nil
}
