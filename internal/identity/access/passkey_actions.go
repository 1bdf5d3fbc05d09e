package access

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// BeginPasskey returns the options to sign in with one of the user's security keys,
// and the sealed challenge, which the caller stores. The options are nil if the user
// has no security key. Place is where the challenge is stored.
func (a *API) BeginPasskey(ctx context.Context, tx *db.Tx, u people.User, place string) (options map[string]any, sealed []byte, err error) {
	keys, err := a.listKeysOf(ctx, tx, u)
	if err != nil || len(keys) == 0 {
		return nil, nil, err
	}
	rp, err := a.relyingParty()
	if err != nil {
		return nil, nil, err
	}
	assertion, session, err := rp.BeginLogin(webauthnUser{u, credentialsOf(keys)})
	if err != nil {
		return nil, nil, err
	}

	if options, err = asObject(assertion); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(ceremony{*session})
	return options, a.Box.Seal(text, place), err
}

// WithPasskey returns the check of the response of a security key. A rejection commits,
// so that the challenge works once.
func (a *API) WithPasskey(response string, sealed []byte, place string) Verification {
	return func(ctx context.Context, tx *db.Tx, u people.User) error {
		keys, err := a.listKeysOf(ctx, tx, u)
		if err != nil {
			return err
		}
		rp, err := a.relyingParty()
		if err != nil {
			return err
		}
		text, err := a.Box.Open(sealed, place)
		if err != nil {
			return db.Committed(errSignIn()) // there is no challenge, or it was used
		}
		var c ceremony
		if err := json.Unmarshal(text, &c); err != nil {
			return err
		}

		parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
		if err != nil {
			return db.Committed(errSignIn()) // it is from the client
		}
		signed, err := rp.ValidateLogin(webauthnUser{u, credentialsOf(keys)}, c.Session, parsed)
		if err != nil || signed.Authenticator.CloneWarning {
			return db.Committed(errSignIn()) // it is from the client
		}
		return a.saveSigned(ctx, tx, u, keys, signed)
	}
}

// securityKey is a factor with its decrypted credential.
type securityKey struct {
	people.Factor
	credential webauthn.Credential
}

func credentialsOf(keys []securityKey) (all []webauthn.Credential) {
	for _, k := range keys {
		all = append(all, k.credential)
	}
	return all
}

// listKeysOf returns the active security keys of a user.
func (a *API) listKeysOf(ctx context.Context, tx *db.Tx, u people.User) (keys []securityKey, err error) {
	factors, err := listActiveFactors(ctx, tx, u)
	if err != nil {
		return nil, err
	}
	for _, f := range factors {
		if f.Kind != people.WebAuthn {
			continue
		}
		k := securityKey{Factor: f}
		text, err := a.Box.Open(f.Secret, factorPlace(f))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &k.credential); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// saveSigned stores the new counter of the key that was used.
func (a *API) saveSigned(ctx context.Context, tx *db.Tx, u people.User, keys []securityKey, signed *webauthn.Credential) error {
	for _, k := range keys {
		if !bytes.Equal(k.credential.ID, signed.ID) {
			continue
		}
		text, err := json.Marshal(signed)
		if err != nil {
			return err
		}
		k.Secret = a.Box.Seal(text, factorPlace(k.Factor))
		if err := people.SaveFactor(ctx, tx, &k.Factor); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "mfa_factor.verified", k.ID, map[string][2]any{"user_id": {nil, u.ID}})
	}
	return nil
}

// CheckSecondStep counts an attempt of the step after the password. Codes lock the
// authenticator app, but recovery codes and security keys are only limited here.
func (a *API) CheckSecondStep(ctx context.Context, c Checked) error {
	err := a.Throttle.checkSecondStep(c.UserID, auth.RequestFrom(ctx).IP)
	if err != nil {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: c.Env, Kind: authlog.KindUser, ID: c.UserID, Err: err})
	}
	return err
}

// TOTPSetup is a new secret for an authenticator app.
type TOTPSetup struct{ Secret, URI string }

// SetUpTOTP returns a new secret that is not stored yet, unless there is one.
func SetUpTOTP(email string, mode auth.Mode, secret string) TOTPSetup {
	if secret == "" {
		secret = newTOTPSecret()
	}
	return TOTPSetup{secret, otpauthURI(account(email, mode), secret)}
}

// EnrollFirst adds an authenticator app to a user who has no two-factor method, if
// the code is right, and returns the recovery codes.
func (a *API) EnrollFirst(ctx context.Context, tx *db.Tx, userID, secret, code string) (codes []string, err error) {
	u, err := people.FindUserForUpdate(ctx, tx, userID)
	if err != nil {
		return nil, err
	}
	if u.HasActiveFactor() {
		return nil, fault.Conflict("You already have a two-factor method.").Detail("user_id", "state", "has a two-factor method")
	}
	step, ok := matchTOTP(secret, normalizeCode(code), 0, tx.Now)
	if !ok {
		return nil, errWrongCode()
	}

	f, err := addTOTP(ctx, tx, a.Box, u, newTOTP{secret: secret})
	if err != nil {
		return nil, err
	}
	recordAttempt(&f, step, true, tx.Now)
	if codes, err = activate(ctx, tx, u, &f); err != nil {
		return nil, err
	}
	return codes, audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}})
}
