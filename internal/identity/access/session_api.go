package access

import (
	"cmp"
	"context"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// SignIn is the body of a sign-in.
type SignIn struct {
	_ struct{} `doc:"Credentials of a user."`

	Email       string    `json:"email" maxLength:"254" doc:"Email address of the user." example:"ann@example.com"`
	Password    string    `json:"password" privacy:"secret" maxLength:"200" doc:"Password of the user in this environment."`
	TOTPCode    *string   `json:"totp_code" required:"false" maxLength:"40" doc:"Required if the user has a two-factor method. You can also send a recovery code."`
	Environment auth.Mode `json:"environment,omitempty" default:"live" doc:"Environment to sign in to. Live and test have separate passwords."`
}

// SignedIn is a new session with its token, which is only shown once.
type SignedIn struct {
	_ struct{} `doc:"A new session with its token, which is only returned once."`

	Token     string      `json:"token" privacy:"secret" doc:"Session token. Send it in the header Authorization: Bearer."`
	ExpiresAt time.Time   `json:"expires_at" doc:"When the session expires."`
	User      people.User `json:"user" doc:"User who signed in."`
}

// signIn returns the same error, after the same time, for an unknown account, a
// wrong password and a wrong code. Unauthenticated clients can't find out which
// accounts exist.
func (a *API) signIn(ctx context.Context, in *struct{ Body SignIn }) (SignedIn, error) {
	b, received := in.Body, a.DB.Now()
	found, err := a.CheckPassword(ctx, b.Email, b.Environment, b.Password)
	if err != nil {
		return SignedIn{}, err
	}
	o, err := a.OpenSession(ctx, found[0], Opening{Verify: a.WithCode(b.TOTPCode, received)})
	return SignedIn{Token: o.Token, ExpiresAt: o.Session.ExpiresAt, User: o.User}, err
}

// session returns the session of a request outside /v1, where the router doesn't
// authenticate.
func (a *API) session(ctx context.Context, authorization string) (auth.Principal, error) {
	token, _ := strings.CutPrefix(authorization, "Bearer ")
	caller, err := a.Auth.Authenticate(ctx, token)
	if err == nil && caller.SessionID == "" {
		err = fault.Forbidden("This credential is not a session. To revoke a key, use /v1/api_keys.")
	}
	return caller, err
}

func (a *API) signOut(ctx context.Context, in *struct {
	Authorization string `header:"Authorization" hidden:"true"`
}) (none rest.None, err error) {
	caller, err := a.session(ctx, in.Authorization)
	if err != nil {
		return none, err
	}
	ctx = auth.With(ctx, caller)
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (rest.None, error) {
		s, err := people.FindSession(ctx, tx, caller.SessionID)
		if err != nil {
			return none, err
		}
		return none, endSession(ctx, tx, s)
	})
}

// errNotOwn is for a session without the admin scope that asks for other users.
func errNotOwn() error {
	return fault.Forbidden("You can see and end your own sessions. Those of other users require the scope %s.", auth.Admin).
		Detail("Authorization", "scope", "must have the scope %s", auth.Admin)
}

func (a *API) listSessions(ctx context.Context, tx *db.Tx, in *struct {
	page.Query
	UserID string `query:"user_id" maxLength:"64" doc:"ID of the user."`
}) (page.Page[people.Session], error) {
	userID := in.UserID
	if c := auth.From(ctx); !c.Can(auth.Admin) {
		if userID = cmp.Or(userID, c.UserID); userID != c.UserID {
			return page.Page[people.Session]{}, errNotOwn()
		}
	}
	return people.ListSessions(ctx, tx, userID, in.Query)
}

func (a *API) revokeSession(ctx context.Context, tx *db.Tx, in *struct {
	SessionID string `path:"session_id" doc:"ID of the session." example:"ses_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	MFAToken  string `header:"MFA-Token" maxLength:"100" doc:"Required to end the session of another user with the admin scope. Must be from an administrator."`
}) (none rest.None, err error) {
	s, err := people.FindSession(ctx, tx, in.SessionID)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return none, err
	}
	// The same error for a session that doesn't exist.
	if c := auth.From(ctx); !c.Can(auth.Admin) && s.UserID != c.UserID {
		return none, errNotOwn()
	}
	if err != nil {
		return none, err
	}
	u, err := people.FindUser(ctx, tx, s.UserID)
	if err != nil {
		return none, err
	}
	if isOtherAdmin(ctx, u) {
		if err := people.RequireProof(ctx, tx, in.MFAToken); err != nil {
			return none, err
		}
	}
	return none, endSession(ctx, tx, s)
}
