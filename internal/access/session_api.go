package access

import (
	"cmp"
	"context"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/token"
)

// sessionLifetime is how long a session lasts.
const sessionLifetime = 12 * time.Hour

// SignIn is the body of a sign-in.
type SignIn struct {
	Email       string    `json:"email" maxLength:"254" example:"ann@example.com"`
	Password    string    `json:"password" maxLength:"200"`
	TOTPCode    *string   `json:"totp_code" required:"false" maxLength:"40" doc:"Required if the user has a two-factor method. You can also send a recovery code."`
	Environment auth.Mode `json:"environment,omitempty" enum:"live,test" default:"live"`
}

// SignedIn is a new session with its token, which is only shown once.
type SignedIn struct {
	Token     string      `json:"token" doc:"Session token. Send it in the header Authorization: Bearer."`
	ExpiresAt time.Time   `json:"expires_at"`
	User      people.User `json:"user"`
}

// signIn returns the same error, after the same time, for an unknown account, a
// wrong password and a wrong code. Unauthenticated clients can't find out which
// accounts exist.
func (a *API) signIn(ctx context.Context, in *struct{ Body SignIn }) (SignedIn, error) {
	b, received := in.Body, a.DB.Now()
	email := strings.ToLower(strings.TrimSpace(b.Email))
	req := auth.RequestFrom(ctx)
	candidates, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]people.Candidate, error) {
		return people.FindCandidates(ctx, tx, email, b.Environment, req.IP)
	})
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.Throttle.check(email, req.IP, people.AnyKnownHere(candidates)); err != nil {
		a.rejectSignIn(ctx, email, candidates, err)
		return SignedIn{}, err
	}

	found, err := people.FindByPassword(ctx, candidates, b.Password)
	if err != nil {
		return SignedIn{}, err
	}
	rejected := errSignIn()
	if found == nil {
		a.rejectSignIn(ctx, email, candidates, rejected)
		return SignedIn{}, rejected
	}

	signedIn, err := a.openSession(ctx, *found, b.TOTPCode, received)
	if fault.KindOf(err) == fault.KindUnauthenticated {
		a.rejectSignIn(ctx, email, []people.Candidate{*found}, rejected)
	}
	return signedIn, err
}

// rejectSignIn records a rejected sign-in for each user with the address. An unknown
// address is in the log of the installation.
func (a *API) rejectSignIn(ctx context.Context, email string, users []people.Candidate, reason error) {
	for _, u := range users {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: u.Env, Kind: authlog.KindUser, ID: u.ID, Err: reason})
	}
	if len(users) == 0 {
		a.AuthLog.Reject(ctx, authlog.Rejection{Kind: authlog.KindUser, ID: email, Err: reason})
	}
}

// openSession checks the two-factor code and creates the session. A rejection is
// not returned as an error, because the transaction must commit the number of
// wrong codes.
func (a *API) openSession(ctx context.Context, c people.Candidate, code *string, received time.Time) (SignedIn, error) {
	type outcome struct {
		SignedIn
		rejected error
	}
	ctx = auth.InEnv(ctx, c.Env)
	out, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (o outcome, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, c.ID)
		if err != nil {
			return o, err
		}
		if u.Status != people.Active || !samePassword(u, c) { // it changed after the password was checked
			o.rejected = errSignIn()
			return o, nil
		}

		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()})
		if o.rejected, err = a.checkTwoFactor(ctx, tx, u, code, received); err != nil || o.rejected != nil {
			return o, err
		}

		bearer, publicID := token.New(token.Session, c.Mode)
		req := auth.RequestFrom(ctx)
		s := people.Session{
			PublicID: publicID, Hash: token.Hash(bearer), UserID: u.ID, Method: "password",
			IP: orNil(req.IP), UserAgent: orNil(req.UserAgent), LastSeenAt: tx.Now, ExpiresAt: tx.Now.Add(sessionLifetime),
		}
		if err := people.InsertSession(ctx, tx, &s); err != nil {
			return o, err
		}
		o.SignedIn = SignedIn{bearer, s.ExpiresAt, u}
		return o, audit.Record(ctx, tx, "session.started", s.ID, audit.Diff(nil, s))
	})
	if err == nil && out.rejected != nil {
		err = out.rejected
	}
	return out.SignedIn, err
}

// samePassword reports whether the user still has the password that was checked.
func samePassword(u people.User, c people.Candidate) bool {
	return u.PasswordHash != nil && c.PasswordHash != nil && *u.PasswordHash == *c.PasswordHash
}

// checkTwoFactor returns the reason to reject a sign-in, or nil.
func (a *API) checkTwoFactor(ctx context.Context, tx *db.Tx, u people.User, code *string, received time.Time) (rejected, err error) {
	if !u.HasActiveFactor() {
		return nil, nil
	}
	if code == nil {
		return fault.Unauthenticated("A two-factor code is required.").Detail("totp_code", "required", "is required"), nil
	}
	wrong, err := a.CheckCode(ctx, tx, u, *code, received)
	switch {
	case err != nil || wrong == nil:
		return nil, err
	case wrong.Kind == fault.KindRateLimited:
		return wrong, nil
	}
	return errSignIn(), nil
}

// errSignIn does not reveal which of them is wrong.
func errSignIn() *fault.Error {
	return fault.Unauthenticated("The email address, password or code is wrong.")
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
	UserID string `query:"user_id" maxLength:"64" doc:"Without the admin scope, only your own ID."`
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
	SessionID string `path:"session_id" example:"ses_01jcqz8t5n8m2x4v6b7c9d0e1f"`
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
