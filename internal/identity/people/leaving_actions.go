package people

import (
	"context"
	"slices"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Holder is a feature with something that acts for users.
type Holder struct {
	// List returns what acts for the author.
	List func(ctx context.Context, tx *db.Tx, by Author) ([]UserAccessItem, error)
	// End ends it.
	End func(ctx context.Context, tx *db.Tx, by Author) error
	// HandOver makes another user its author, and ends what is personal.
	HandOver func(ctx context.Context, tx *db.Tx, by Author, to User) error
}

// kindHolder is a feature with the kind of what it can hand over.
type kindHolder struct {
	kind AccessKind
	Holder
}

// holders lists the features in the order of the calls. Keys are last, because the others
// find what was created with them.
func holders(tx *db.Tx) []kindHolder {
	h := db.Attached[Hooks](tx)
	return []kindHolder{
		{WebhookAccess, h.Webhooks}, {PushURLAccess, h.PushURLs}, {CalendarAccess, h.Calendars}, {AppAccess, h.Apps}, {KeyAccess, h.Keys},
	}
}

// authorOf returns a user with the keys that the user created.
func authorOf(ctx context.Context, tx *db.Tx, u User) (Author, error) {
	keys, err := db.Attached[Hooks](tx).KeyIDs(ctx, tx, u.ID)
	return Author{User: u, keys: keys}, err
}

// FindAccess returns everything that acts for a user.
func FindAccess(ctx context.Context, tx *db.Tx, u User) (UserAccess, error) {
	out := UserAccess{UserID: u.ID, Items: []UserAccessItem{}}
	open, err := OpenSessions(ctx, tx, u)
	if err != nil {
		return out, err
	}
	for _, s := range open {
		item := UserAccessItem{Kind: SessionAccess, ID: s.ID, Name: "Unknown browser", CreatedAt: s.CreatedAt, LastUsedAt: &s.LastSeenAt}
		if s.UserAgent != nil {
			item.Name = *s.UserAgent
		}
		out.Items = append(out.Items, item)
	}

	by, err := authorOf(ctx, tx, u)
	if err != nil {
		return out, err
	}
	for _, h := range slices.Backward(holders(tx)) { // keys first
		items, err := h.List(ctx, tx, by)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, items...)
	}
	for i := range out.Items {
		if out.Items[i].Scopes == nil {
			out.Items[i].Scopes = []auth.Scope{}
		}
	}
	return out, nil
}

// EndLogins ends what a user is signed in with, besides sessions: the keys of slipway login.
func EndLogins(ctx context.Context, tx *db.Tx, u User) error {
	return db.Attached[Hooks](tx).EndLogins(ctx, tx, u)
}

// DeactivationNeedsProof reports whether deactivating a user affects the admin scope.
func DeactivationNeedsProof(ctx context.Context, tx *db.Tx, u User, l Leaving) (bool, error) {
	if u.IsAdmin() {
		return true, nil
	}
	all, err := FindAccess(ctx, tx, u)
	return l.affectsAdmin(all.Items), err
}

// Deactivate ends the access of a user: sessions, and what acts for them. Everything that
// deactivates users calls it: the API, the console and provisioning. The caller has locked
// the user, and has decided whether it requires proof. The dealership must still have an
// owner.
func Deactivate(ctx context.Context, tx *db.Tx, before User, l Leaving) (User, error) {
	u := before
	if u.Status == Deactivated {
		return u, fault.Conflict("The user is already deactivated.").Detail("status", "state", "is deactivated")
	}
	if err := l.apply(ctx, tx, u); err != nil {
		return u, err
	}

	u.Status = Deactivated
	if err := endAccess(ctx, tx, u); err != nil {
		return u, err
	}
	if err := EndMFATokens(ctx, tx, u); err != nil {
		return u, err
	}
	if err := db.Attached[Hooks](tx).EndAssistants(ctx, tx, u); err != nil {
		return u, err
	}

	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	if before.isOwner() {
		if err := requireOwner(ctx, tx); err != nil {
			return u, err
		}
	}
	return u, events.Emit(ctx, tx, "user.deactivated", u.ID, events.Change{Before: before, After: u})
}

// apply ends or hands over what a user created for the dealership.
func (l Leaving) apply(ctx context.Context, tx *db.Tx, u User) error {
	by, err := authorOf(ctx, tx, u)
	if err != nil {
		return err
	}
	to, err := l.findRecipient(ctx, tx, u)
	if err != nil {
		return err
	}

	for _, h := range holders(tx) {
		switch {
		case l.handsOver(h.kind):
			err = h.HandOver(ctx, tx, by, to)
		case !l.Keep:
			err = h.End(ctx, tx, by)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findRecipient returns the user who gets what is handed over. It locks the user, who could
// be deactivated at the same time.
func (l Leaving) findRecipient(ctx context.Context, tx *db.Tx, leaving User) (to User, err error) {
	if l.HandOver == nil {
		return to, nil
	}
	to, err = FindUserForUpdate(ctx, tx, strings.TrimSpace(l.HandOver.UserID))
	if fault.KindOf(err) == fault.KindNotFound {
		var bad fault.Fields
		bad.Add("hand_over.user_id", "not_found", "refers to user %s, which doesn't exist", l.HandOver.UserID)
		return to, bad.Err()
	}
	if err != nil {
		return to, err
	}

	held, err := ScopesOf(ctx, tx, to)
	if err != nil {
		return to, err
	}
	all, err := FindAccess(ctx, tx, leaving)
	if err != nil {
		return to, err
	}
	return to, l.checkRecipient(leaving, to, held, all.Items)
}
