package access

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/webauthn"

	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// ByFactor names a user's second factor.
type ByFactor struct {
	UserID   string `path:"user_id" example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	FactorID string `path:"factor_id" example:"mfa_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) enroll(ctx context.Context, tx *db.Tx, in *struct {
	UserID string `path:"user_id" example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Body   MFAEnroll
}) (MFAEnrollment, error) {
	u, err := people.FindUser(ctx, tx, in.UserID)
	if err != nil {
		return MFAEnrollment{}, err
	}
	if len(u.MFAFactors) >= 10 {
		return MFAEnrollment{}, fault.Conflict("A user has at most 10 second factors. Remove one first.").Detail("user_id", "state", "has 10 factors")
	}
	token := ""
	if in.Body.MFAToken != nil {
		token = *in.Body.MFAToken
	}
	if err := a.vouched(ctx, tx, u, token); err != nil {
		return MFAEnrollment{}, err
	}
	e := MFAEnrollment{PublicKey: map[string]any{}}
	if in.Body.Kind == "totp" {
		err = a.enrollTOTP(ctx, tx, u, in.Body.Label, &e)
	} else {
		err = a.enrollWebAuthn(ctx, tx, u, in.Body.Label, &e)
	}
	if err != nil {
		return e, err
	}
	e.RecoveryCodes, err = giveRecoveryCodes(ctx, tx, u, e.ID)
	return e, err
}

func (a *API) enrollTOTP(ctx context.Context, tx *db.Tx, u people.User, label *string, e *MFAEnrollment) error {
	secret := newTOTPSecret()
	f, err := addTOTP(ctx, tx, a.Box, u, secret, label, false)
	if err != nil {
		return err
	}
	e.UserFactor, e.Secret, e.OTPAuthURI = shown(f), &secret, new(otpauthURI(u.Email, secret))
	return nil
}

func (a *API) enrollWebAuthn(ctx context.Context, tx *db.Tx, u people.User, label *string, e *MFAEnrollment) error {
	rp, err := relyingParty(site.Of(a.DB).URL)
	if err != nil {
		return err
	}
	options, c, err := beginCreation(rp, u)
	if err != nil {
		return err
	}
	f := people.Factor{Env: u.Env, ID: tx.NewID("mfa"), UserID: u.ID, Kind: "webauthn", Label: label, Secret: []byte{}, CreatedAt: tx.Now}
	if err := people.InsertFactor(ctx, tx, f); err != nil {
		return err
	}
	e.UserFactor, e.PublicKey = shown(f), options
	if err := a.keepCeremony(ctx, tx, f, c); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "mfa_factor.enrolled", f.ID, map[string][2]any{"user_id": {nil, u.ID}, "kind": {nil, f.Kind}})
}

func shown(f people.Factor) people.UserFactor {
	return people.UserFactor{ID: f.ID, Kind: f.Kind, Label: f.Label, Active: f.Active}
}

func (a *API) verify(ctx context.Context, in *struct {
	ByFactor
	Body *MFAVerify
}) (MFAProof, error) {
	var refused *fault.Error
	p, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (MFAProof, error) {
		u, err := people.FindUser(ctx, tx, in.UserID)
		if err != nil {
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
		if f.Kind == "webauthn" && body.Code == nil {
			return a.verifyWebAuthn(ctx, tx, u, f, body.Assertion)
		}
		if body.Code == nil {
			var bad fault.Fields
			bad.Add("code", "required", "is required")
			return MFAProof{}, bad.Err()
		}
		if refused, err = tryCode(ctx, tx, a.Box, u, []people.Factor{f}, *body.Code); err != nil {
			return MFAProof{}, err
		}
		if refused != nil {
			return MFAProof{}, rest.CommitAndFail(refused)
		}
		return newMFAToken(ctx, tx, u)
	})
	if refused != nil {
		a.Usage.failed(auth.From(ctx).Env, "user", in.UserID, refused, a.DB.Now().UTC())
	}
	return p, err
}

// verifyWebAuthn answers an empty request with the challenge, and a signed one
// with the proof.
func (a *API) verifyWebAuthn(ctx context.Context, tx *db.Tx, u people.User, f people.Factor, answer map[string]any) (MFAProof, error) {
	rp, err := relyingParty(site.Of(a.DB).URL)
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
	if len(answer) == 0 {
		return a.challenge(ctx, tx, rp, u, f, credential)
	}
	c, err := a.takeCeremony(ctx, tx, f)
	if err != nil {
		return MFAProof{}, err
	}
	var proven *webauthn.Credential
	if f.Active {
		proven, err = finishAssertion(rp, u, credential, c, answer)
	} else {
		proven, err = finishCreation(rp, u, c, answer)
	}
	if err != nil {
		return MFAProof{}, err
	}
	text, err := json.Marshal(proven)
	if err != nil {
		return MFAProof{}, err
	}
	f.Secret = a.Box.Seal(text, factorPlace(f))
	if err := activate(ctx, tx, u, &f); err != nil {
		return MFAProof{}, err
	}
	if err := audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}}); err != nil {
		return MFAProof{}, err
	}
	return newMFAToken(ctx, tx, u)
}

func (a *API) challenge(ctx context.Context, tx *db.Tx, rp *webauthn.WebAuthn, u people.User, f people.Factor, credential webauthn.Credential) (MFAProof, error) {
	p := MFAProof{ExpiresAt: tx.Now.Add(proofFor)}
	var c ceremony
	var err error
	if f.Active {
		p.Challenge, c, err = beginAssertion(rp, u, credential)
	} else {
		p.Challenge, c, err = beginCreation(rp, u)
	}
	if err != nil {
		return p, err
	}
	return p, a.keepCeremony(ctx, tx, f, c)
}

// keepCeremony remembers what a factor was asked, in place of what it was
// asked before.
func (a *API) keepCeremony(ctx context.Context, tx *db.Tx, f people.Factor, c ceremony) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return insertChallenge(ctx, tx, f, a.Box.Seal(text, challengePlace(f)))
}

// takeCeremony returns what a factor was asked. It can be answered once.
func (a *API) takeCeremony(ctx context.Context, tx *db.Tx, f people.Factor) (c ceremony, err error) {
	sealed, err := takeChallenge(ctx, tx, f)
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

// vouched fails where a user has an active factor, unless the caller brings the
// proof of it or of another administrator's. Otherwise a key with the admin
// scope could give its holder a factor of anybody, and with that factor the
// proof that guards admin keys.
func (a *API) vouched(ctx context.Context, tx *db.Tx, u people.User, token string) error {
	if !hasActive(u) {
		return nil
	}
	missing := func(text string) error {
		return fault.Forbidden("This user has a second factor: %s.", text).Detail("mfa_token", "mfa", "%s", text)
	}
	if token == "" {
		return missing("prove it, or your own, and send the mfa_token")
	}
	userID, err := spendMFAToken(ctx, tx, token)
	if err != nil || userID == u.ID {
		return err
	}
	if userID == "" {
		return missing("the mfa_token is unknown, used or expired")
	}
	other, err := people.FindUser(ctx, tx, userID)
	if err != nil {
		return err
	}
	held, err := people.ScopesOf(ctx, tx, other)
	if err != nil {
		return err
	}
	if other.Status != people.Active || !isAdmin(held) {
		return missing("the mfa_token is of somebody who does not administer")
	}
	return nil
}

func (a *API) removeFactor(ctx context.Context, tx *db.Tx, in *struct {
	ByFactor
	MFAToken string `header:"MFA-Token" maxLength:"64" doc:"Needed to remove an active factor: proof of it, or of another administrator's."`
}) (none rest.None, err error) {
	u, err := people.FindUser(ctx, tx, in.UserID)
	if err != nil {
		return none, err
	}
	f, err := people.FindFactor(ctx, tx, u, in.FactorID)
	if err != nil {
		return none, err
	}
	if f.Active {
		if err := a.vouched(ctx, tx, u, in.MFAToken); err != nil {
			return none, err
		}
	}
	if err := people.RemoveFactor(ctx, tx, f); err != nil {
		return none, err
	}
	if len(u.MFAFactors) == 1 {
		if err := forgetRecoveryCodes(ctx, tx, u); err != nil {
			return none, err
		}
	}
	return none, audit.Record(ctx, tx, "mfa_factor.removed", f.ID, map[string][2]any{"user_id": {u.ID, nil}})
}
