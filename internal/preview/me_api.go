package preview

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

func mountMe(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/me", ID: "getMeV2", Needs: auth.AnyCredential,
		Summary: "Retrieve the calling credential and its user",
		Text: "Shows who the request was authenticated as, and what someone who is signed in wants to see: " +
			"name, roles, locations, the plan and the time zone of the dealership, and when the session expires. " +
			"`newer_versions` is what newer versions of the API added.",
		Assist: assist.Never(assist.Twin),
	}, getMe)
}

// Profile is the calling credential with its user.
type Profile struct {
	_ struct{} `doc:"The calling credential with its user."`

	access.Me
	Name         string              `json:"name" doc:"Name of the user, API key or app." example:"Ann Bell"`
	Email        *string             `json:"email" doc:"Email address of the user. Null if the credential is not a session." example:"ann@example.com"`
	Roles        []people.UserRole   `json:"roles" nullable:"false" doc:"Roles of the user. Empty if the credential is not a session."`
	Locations    []ProfileLocation   `json:"locations" nullable:"false" doc:"Locations where the user works. Empty if the user works at all of them, or the credential is not a session."`
	MFAFactors   []people.UserFactor `json:"mfa_factors" nullable:"false" doc:"Two-factor methods of the user. Empty if the credential is not a session."`
	Plan         dealership.Plan     `json:"plan" doc:"Plan of the dealership."`
	Timezone     string              `json:"timezone" doc:"IANA time zone of the dealership." example:"America/New_York"`
	Session      *ProfileSession     `json:"session" doc:"The current session. Null if the credential is not a session."`
	Newer        []NewerVersion      `json:"newer_versions" nullable:"false" doc:"Versions of the API after service_version, and what they added. The oldest is first. To use one, send it in the header Service-Version, or create a new key."`
	OtherAccount *bool               `json:"other_account" promote:"never" doc:"Whether a user with the same email address can sign in to the test environment of the dealership. Null unless the credential is a session in the live environment. It only serves the console and won't become stable."`
}

// NewerVersion is a version of the API that the credential doesn't use.
type NewerVersion struct {
	_ struct{} `doc:"A version of the API that the credential doesn't use."`

	Version string   `json:"version" doc:"Date of the version." example:"2026-11-18"`
	Adds    []string `json:"adds" nullable:"false" doc:"What the version added, as sentences with names in backticks."`
}

// ProfileLocation is a location where the user works.
type ProfileLocation struct {
	_ struct{} `doc:"A location where the user works."`

	ID   string `json:"id" doc:"ID of the location." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name string `json:"name" doc:"Name of the location." example:"Annapolis"`
}

// ProfileSession is the current session.
type ProfileSession struct {
	_         struct{}            `doc:"The session of the request." nullable:"true"`
	ID        string              `json:"id" doc:"ID of the session." example:"ses_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Method    people.SignInMethod `json:"method" doc:"How the user signed in."`
	CreatedAt time.Time           `json:"created_at" doc:"When the user signed in."`
	ExpiresAt time.Time           `json:"expires_at" doc:"When the session expires."`
}

func getMe(ctx context.Context, tx *db.Tx, _ *struct{}) (Profile, error) {
	me, err := access.FindMe(ctx, tx)
	if err != nil {
		return Profile{}, err
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return Profile{}, err
	}
	p := Profile{
		Me: me, Name: me.Credential.Label, Roles: []people.UserRole{}, Locations: []ProfileLocation{}, MFAFactors: []people.UserFactor{},
		Plan: d.Plan, Timezone: d.Timezone, Newer: []NewerVersion{},
	}
	for _, v := range version.After(me.Version) {
		p.Newer = append(p.Newer, NewerVersion{Version: v.Date, Adds: v.Adds})
	}
	caller := auth.From(ctx)
	if caller.SessionID == "" {
		return p, nil
	}

	u, err := people.FindUser(ctx, tx, caller.UserID)
	if err != nil {
		return p, err
	}
	s, err := people.FindSession(ctx, tx, caller.SessionID)
	if err != nil {
		return p, err
	}
	p.Name, p.Email, p.Roles, p.MFAFactors = u.Name, &u.Email, u.Roles, u.MFAFactors
	p.Session = &ProfileSession{ID: s.ID, Method: s.Method, CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt}
	if p.Locations, err = locationsOf(ctx, tx, u); err != nil {
		return p, err
	}
	if caller.Mode == auth.Live {
		p.OtherAccount, err = hasTestAccount(ctx, tx, d, u)
	}
	return p, err
}

func locationsOf(ctx context.Context, tx *db.Tx, u people.User) ([]ProfileLocation, error) {
	out := []ProfileLocation{}
	for _, id := range u.LocationIDs {
		l, err := dealership.FindLocation(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			continue
		}
		if err != nil {
			return out, err
		}
		out = append(out, ProfileLocation{ID: l.ID, Name: l.Name})
	}
	return out, nil
}

// hasTestAccount looks in the test environment. The other direction would tell users of
// the test environment who has a live account.
func hasTestAccount(ctx context.Context, tx *db.Tx, d dealership.Dealership, u people.User) (*bool, error) {
	test, err := dealership.FindEnvironment(ctx, tx, d.ID, auth.Test)
	if err != nil {
		return nil, err
	}
	other, err := people.FindUserByEmail(ctx, tx.In(test.Env), u.Email)
	if fault.KindOf(err) == fault.KindNotFound {
		return new(false), nil
	}
	return new(other.Status == people.Active), err
}
