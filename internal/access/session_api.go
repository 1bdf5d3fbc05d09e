package access

import (
	"context"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// sessionFor is how long a sign-in by password lasts.
const sessionFor = 12 * time.Hour

// SignIn is how a user signs in.
type SignIn struct {
	Email       string    `json:"email" maxLength:"254" example:"ann@example.com"`
	Password    string    `json:"password" maxLength:"200"`
	TOTPCode    *string   `json:"totp_code" required:"false" maxLength:"40" doc:"Required if the user has a two-factor method. You can also send a recovery code."`
	Environment auth.Mode `json:"environment,omitempty" enum:"live,test" default:"live"`
}

// SignedIn is a new session with its token, shown this once.
type SignedIn struct {
	Token     string      `json:"token" doc:"Send it as Authorization: Bearer."`
	ExpiresAt time.Time   `json:"expires_at"`
	User      people.User `json:"user"`
}

// signIn answers the same, and takes as long, for an unknown account, a wrong
// password and a wrong code: a stranger cannot find out who works here.
func (a *API) signIn(ctx context.Context, in *struct{ Body SignIn }) (SignedIn, error) {
	b := in.Body
	email := strings.ToLower(strings.TrimSpace(b.Email))
	req := auth.RequestFrom(ctx)
	candidates, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]people.Candidate, error) {
		return people.FindCandidates(ctx, tx, email, b.Environment, req.IP)
	})
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.Throttle.take(email, req.IP, people.AnyKnownHere(candidates)); err != nil {
		return SignedIn{}, err
	}
	found, err := people.FindByPassword(candidates, b.Password)
	if err != nil {
		return SignedIn{}, err
	}
	refused := errSignIn()
	if found == nil {
		for _, c := range candidates {
			a.Usage.failed(c.Env, "user", c.ID, refused, a.DB.Now().UTC())
		}
		return SignedIn{}, refused
	}
	signedIn, err := a.openSession(ctx, *found, b.TOTPCode)
	if fault.KindOf(err) == fault.KindUnauthenticated {
		a.Usage.failed(found.Env, "user", found.ID, refused, a.DB.Now().UTC())
	}
	return signedIn, err
}

// openSession checks the second factor and gives the token. Wrong codes are
// counted, so the transaction commits even if the answer is no.
func (a *API) openSession(ctx context.Context, c people.Candidate, code *string) (SignedIn, error) {
	type outcome struct {
		SignedIn
		refused error
	}
	ctx = auth.InEnv(ctx, c.Env)
	out, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (o outcome, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, c.ID)
		if err != nil {
			return o, err
		}
		if u.Status != people.Active { // since the password was checked
			o.refused = errSignIn()
			return o, nil
		}
		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()})
		if o.refused, err = a.secondFactor(ctx, tx, u, code); err != nil || o.refused != nil {
			return o, err
		}
		token, publicID := newToken(kindSession, c.Mode)
		req := auth.RequestFrom(ctx)
		s := people.Session{
			Env: u.Env, ID: tx.NewID("ses"), PublicID: publicID, Hash: hashToken(token), UserID: u.ID, Method: "password",
			IP: orNil(req.IP), UserAgent: orNil(req.UserAgent), CreatedAt: tx.Now, LastSeenAt: tx.Now, ExpiresAt: tx.Now.Add(sessionFor),
		}
		if err := people.InsertSession(ctx, tx, s); err != nil {
			return o, err
		}
		o.SignedIn = SignedIn{token, s.ExpiresAt, u}
		return o, audit.Record(ctx, tx, "session.started", s.ID, audit.Diff(nil, s))
	})
	if err == nil && out.refused != nil {
		err = out.refused
	}
	return out.SignedIn, err
}

// secondFactor says why a sign-in is refused, nil if it is not.
func (a *API) secondFactor(ctx context.Context, tx *db.Tx, u people.User, code *string) (refused, err error) {
	factors, err := activeFactors(ctx, tx, u)
	if err != nil || len(factors) == 0 {
		return nil, err
	}
	if code == nil {
		return fault.Unauthenticated("A two-factor code is required.").Detail("totp_code", "required", "is required"), nil
	}
	wrong, err := tryCode(ctx, tx, a.Box, u, factors, *code)
	switch {
	case err != nil || wrong == nil:
		return nil, err
	case wrong.Kind == fault.KindRateLimited:
		return wrong, nil
	}
	return errSignIn(), nil
}

// errSignIn does not say which of them it was.
func errSignIn() *fault.Error {
	return fault.Unauthenticated("The email address, password or code is wrong.")
}

func (a *API) signOut(ctx context.Context, in *struct {
	Authorization string `header:"Authorization" hidden:"true"`
}) (none rest.None, err error) {
	token, _ := strings.CutPrefix(in.Authorization, "Bearer ")
	caller, err := a.Auth.Authenticate(ctx, token)
	if err != nil {
		return none, err
	}
	if caller.SessionID == "" {
		return none, fault.Forbidden("This credential is not a session. To revoke a key, use /v1/api_keys.")
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

func (a *API) listSessions(ctx context.Context, tx *db.Tx, in *struct {
	page.Query
	UserID string `query:"user_id" maxLength:"64"`
}) (page.Page[people.Session], error) {
	return people.ListSessions(ctx, tx, in.UserID, in.Query)
}

func (a *API) revokeSession(ctx context.Context, tx *db.Tx, in *struct {
	SessionID string `path:"session_id" example:"ses_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}) (none rest.None, err error) {
	s, err := people.FindSession(ctx, tx, in.SessionID)
	if err != nil {
		return none, err
	}
	return none, endSession(ctx, tx, s)
}
