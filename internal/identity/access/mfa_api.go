package access

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/webauthn"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// ByFactor has the path parameters of a two-factor method.
type ByFactor struct {
	UserID   string `path:"user_id" doc:"ID of the user." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	FactorID string `path:"factor_id" doc:"ID of the two-factor method." example:"mfa_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) enroll(ctx context.Context, tx *db.Tx, in *struct {
	UserID string `path:"user_id" doc:"ID of the user." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Body   MFAEnroll
}) (MFAEnrollment, error) {
	u, err := people.FindUserForUpdate(ctx, tx, in.UserID)
	if err != nil {
		return MFAEnrollment{}, err
	}
	if err := requireSelf(auth.From(ctx), u); err != nil {
		return MFAEnrollment{}, err
	}
	if len(u.MFAFactors) >= maxFactors {
		return MFAEnrollment{}, fault.Conflict("The user has %d two-factor methods, the maximum. Delete one first.", maxFactors).
			Detail("user_id", "state", "refers to a user with %d two-factor methods", maxFactors)
	}
	if err := a.requireMFAToChangeFactors(ctx, tx, u, people.TokenIn(in.Body.MFAToken)); err != nil {
		return MFAEnrollment{}, err
	}

	e := MFAEnrollment{PublicKey: map[string]any{}}
	if in.Body.Kind == people.TOTP {
		err = a.enrollTOTP(ctx, tx, u, in.Body.Label, &e)
	} else {
		err = a.enrollWebAuthn(ctx, tx, u, in.Body.Label, &e)
	}
	return e, err
}

func (a *API) enrollTOTP(ctx context.Context, tx *db.Tx, u people.User, label *string, e *MFAEnrollment) error {
	secret := newTOTPSecret()
	f, err := addTOTP(ctx, tx, a.Box, u, newTOTP{secret: secret, label: label})
	if err != nil {
		return err
	}
	e.UserFactor, e.Secret, e.OTPAuthURI = userFactor(f), &secret, new(otpauthURI(account(u.Email, auth.From(ctx).Mode), secret))
	return nil
}

func (a *API) enrollWebAuthn(ctx context.Context, tx *db.Tx, u people.User, label *string, e *MFAEnrollment) error {
	rp, err := a.relyingParty()
	if err != nil {
		return err
	}
	options, c, err := beginRegistration(rp, u)
	if err != nil {
		return err
	}

	f := people.Factor{UserID: u.ID, Kind: people.WebAuthn, Label: label, Secret: []byte{}}
	if err := people.InsertFactor(ctx, tx, &f); err != nil {
		return err
	}
	e.UserFactor, e.PublicKey = userFactor(f), options
	if err := a.saveCeremony(ctx, tx, f, c); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "mfa_factor.enrolled", f.ID, map[string][2]any{"user_id": {nil, u.ID}, "kind": {nil, f.Kind}})
}

func userFactor(f people.Factor) people.UserFactor {
	return people.UserFactor{ID: f.ID, Kind: f.Kind, Label: f.Label, Active: f.Active}
}

func (a *API) verify(ctx context.Context, in *struct {
	ByFactor
	Body *MFAVerify
}) (MFAProof, error) {
	received := a.DB.Now()
	p, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (MFAProof, error) {
		u, err := people.FindUserForUpdate(ctx, tx, in.UserID)
		if err != nil {
			return MFAProof{}, err
		}
		if err := requireSelf(auth.From(ctx), u); err != nil {
			return MFAProof{}, err
		}
		f, err := people.FindFactor(ctx, tx, u, in.FactorID)
		if err != nil {
			return MFAProof{}, err
		}

		body := MFAVerify{}
		if in.Body != nil {
			body = *in.Body
		}
		if body.ObjectID != nil && body.Operation == nil {
			var bad fault.Fields
			bad.Add("operation", "required", "is required with object_id")
			return MFAProof{}, bad.Err()
		}
		if f.Kind == people.WebAuthn && body.Code == nil {
			return a.verifyWebAuthn(ctx, tx, u, f, body)
		}
		if body.Code == nil {
			var bad fault.Fields
			bad.Add("code", "required", "is required")
			return MFAProof{}, bad.Err()
		}

		codes, err := givenCode{*body.Code, received, a.Box}.check(ctx, tx, u, []people.Factor{f})
		if err != nil {
			return MFAProof{}, err
		}
		return prove(ctx, tx, u, verification{codes, body.purpose()})
	})
	if db.IsCommitted(err) {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: auth.From(ctx).Env, Kind: authlog.KindUser, ID: in.UserID, Err: err})
	}
	return p, err
}

// verification is what a user has verified a factor for.
type verification struct {
	codes   []string // the new recovery codes, if it is the user's first factor
	purpose people.Purpose
}

// prove creates the MFA token for a user who has verified a factor.
func prove(ctx context.Context, tx *db.Tx, u people.User, v verification) (MFAProof, error) {
	p, err := insertMFAToken(ctx, tx, u, v.purpose)
	p.RecoveryCodes = append([]string{}, v.codes...)
	return p, err
}

// verifyWebAuthn returns a challenge if there is no response yet, and otherwise
// checks the response. A rejection commits, so that a challenge works once.
func (a *API) verifyWebAuthn(
	ctx context.Context, tx *db.Tx, u people.User, f people.Factor, body MFAVerify,
) (MFAProof, error) {
	rp, err := a.relyingParty()
	if err != nil {
		return MFAProof{}, err
	}
	var credential webauthn.Credential
	if f.Active {
		text, err := a.Box.Open(f.Secret, factorPlace(f))
		if err != nil {
			return MFAProof{}, err
		}
		if err := json.Unmarshal(text, &credential); err != nil {
			return MFAProof{}, err
		}
	}
	if len(body.Assertion) == 0 {
		return a.challenge(ctx, tx, u, f, credential)
	}

	c, err := a.useCeremony(ctx, tx, f)
	if err != nil {
		return MFAProof{}, err
	}
	var verified *webauthn.Credential
	if f.Active {
		verified, err = finishAssertion(rp, u, credential, c, body.Assertion)
	} else {
		verified, err = finishRegistration(rp, u, c, body.Assertion)
	}
	if err != nil {
		return MFAProof{}, db.Committed(err)
	}

	text, err := json.Marshal(verified)
	if err != nil {
		return MFAProof{}, err
	}
	f.Secret = a.Box.Seal(text, factorPlace(f))
	codes, err := activate(ctx, tx, u, &f)
	if err != nil {
		return MFAProof{}, err
	}
	if err := audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}}); err != nil {
		return MFAProof{}, err
	}
	return prove(ctx, tx, u, verification{codes, body.purpose()})
}

func (a *API) challenge(ctx context.Context, tx *db.Tx, u people.User, f people.Factor, credential webauthn.Credential) (MFAProof, error) {
	p := MFAProof{ExpiresAt: tx.Now.Add(mfaTokenLifetime), RecoveryCodes: []string{}}
	rp, err := a.relyingParty()
	if err != nil {
		return p, err
	}
	var c ceremony
	if f.Active {
		p.Challenge, c, err = beginAssertion(rp, u, credential)
	} else {
		p.Challenge, c, err = beginRegistration(rp, u)
	}
	if err != nil {
		return p, err
	}
	return p, a.saveCeremony(ctx, tx, f, c)
}

// saveCeremony stores the challenge of a factor and replaces an earlier one.
func (a *API) saveCeremony(ctx context.Context, tx *db.Tx, f people.Factor, c ceremony) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return saveChallenge(ctx, tx, f, a.Box.Seal(text, challengePlace(f)))
}

// useCeremony returns the challenge of a factor and deletes it.
func (a *API) useCeremony(ctx context.Context, tx *db.Tx, f people.Factor) (c ceremony, err error) {
	sealed, err := useChallenge(ctx, tx, f)
	if err != nil {
		return c, err
	}
	text, err := a.Box.Open(sealed, challengePlace(f))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(text, &c)
}

func challengePlace(f people.Factor) string {
	return fmt.Sprintf("mfa_challenges/%d/%s", f.Env, f.ID)
}

// requireMFAToChangeFactors checks and uses up the mfa_token if the user has an active
// factor. It must be from the user or from an administrator, and from the caller if
// the caller is a session. Otherwise anyone with an admin key could remove the
// factor of any user. For another administrator, it is always required.
func (a *API) requireMFAToChangeFactors(ctx context.Context, tx *db.Tx, u people.User, token string) error {
	if isOtherAdmin(ctx, u) {
		return people.RequireProof(ctx, tx, token)
	}
	if !u.HasActiveFactor() {
		return nil
	}
	return people.Judge(ctx, tx, token, people.Rule{
		Missing: errMFA("The user has an active two-factor method. Verify it, or your own if you are an administrator, and send the mfa_token.",
			"is required, because the user has an active two-factor method"),
		Accept: func(prover people.User) error {
			if err := requireOwnToken(ctx, prover); err != nil || prover.ID == u.ID {
				return err
			}
			granted, err := people.ScopesOf(ctx, tx, prover)
			if err == nil && !isAdmin(granted) {
				err = errMFA("The mfa_token is from another user who is not an administrator.", "is from another user who is not an administrator")
			}
			return err
		},
	})
}

// isOtherAdmin reports whether a user is an administrator other than the caller.
func isOtherAdmin(ctx context.Context, u people.User) bool {
	return u.IsAdmin() && auth.From(ctx).UserID != u.ID
}

// deleteFactor removes a factor. If an administrator removes the last one of another
// user, that user must set a new password with a link. Otherwise the password
// alone, which others might know, would be enough to sign in.
func (a *API) deleteFactor(ctx context.Context, tx *db.Tx, in *struct {
	ByFactor
	MFAToken string `header:"MFA-Token" maxLength:"64" doc:"Required to delete an active two-factor method, or one of another user with the admin scope. Must be from this user or an administrator."`
}) (none rest.None, err error) {
	u, err := people.FindUserForUpdate(ctx, tx, in.UserID)
	if err != nil {
		return none, err
	}
	f, err := people.FindFactor(ctx, tx, u, in.FactorID)
	if err != nil {
		return none, err
	}
	if f.Active || isOtherAdmin(ctx, u) {
		if err := a.requireMFAToChangeFactors(ctx, tx, u, in.MFAToken); err != nil {
			return none, err
		}
	}

	if err := removeFactor(ctx, tx, u, f); err != nil {
		return none, err
	}
	if f.Active && !hasOtherActiveFactor(u, f.ID) && auth.From(ctx).UserID != u.ID && u.Status != people.Deactivated {
		_, err = people.ResetPassword(ctx, tx, a.Jobs, u)
	}
	return none, err
}
