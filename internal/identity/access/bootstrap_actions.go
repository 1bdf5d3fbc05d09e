package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Bootstrapped is a new dealership with the credentials of its owner. They are
// only shown once.
type Bootstrapped struct {
	DealershipID string            `json:"dealership_id"`
	Owner        BootstrappedOwner `json:"owner"`
}

// BootstrappedOwner has the credentials of the owner. The two environments share none, so
// that someone who gets the ones for tests can't sign in to live. The password without a name
// is the one for live, which is also the default environment of a sign-in.
type BootstrappedOwner struct {
	Email          string `json:"email"`
	Password       string `json:"password"`
	TestPassword   string `json:"test_password"`
	LiveTOTPSecret string `json:"live_totp_secret"`
	TestTOTPSecret string `json:"test_totp_secret"`
	LiveTOTPURI    string `json:"live_totp_uri"`
	TestTOTPURI    string `json:"test_totp_uri"`

	LiveRecoveryCodes []string `json:"live_recovery_codes"`
	TestRecoveryCodes []string `json:"test_recovery_codes"`
}

// PasswordOf returns the password for an environment.
func (o BootstrappedOwner) PasswordOf(mode auth.Mode) string {
	if mode == auth.Live {
		return o.Password
	}
	return o.TestPassword
}

// TOTPSecret returns the secret for an environment.
func (o BootstrappedOwner) TOTPSecret(mode auth.Mode) string {
	if mode == auth.Live {
		return o.LiveTOTPSecret
	}
	return o.TestTOTPSecret
}

// NewDealership is a dealership to create.
type NewDealership struct {
	Name  string
	Owner string // email address
	Plan  dealership.Plan
}

// Bootstrap creates a dealership with both environments and an owner in each.
func Bootstrap(ctx context.Context, d *db.DB, box *seal.Box, n NewDealership) (Bootstrapped, error) {
	email := n.Owner
	out := Bootstrapped{Owner: BootstrappedOwner{
		Email: email, Password: newPassword(), TestPassword: newPassword(), LiveTOTPSecret: newTOTPSecret(), TestTOTPSecret: newTOTPSecret(),
	}}
	out.Owner.LiveTOTPURI = SetUpTOTP(email, auth.Live, out.Owner.LiveTOTPSecret).URI
	out.Owner.TestTOTPURI = SetUpTOTP(email, auth.Test, out.Owner.TestTOTPSecret).URI
	hashes := map[auth.Mode]string{}
	for _, mode := range []auth.Mode{auth.Live, auth.Test} { // before the transaction, because it takes long
		hashes[mode] = people.HashPassword(d, email, out.Owner.PasswordOf(mode))
	}
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (Bootstrapped, error) {
		created, err := dealership.Create(ctx, tx, n.Name, n.Plan)
		if err != nil {
			return out, err
		}

		for _, env := range created {
			tx := tx.In(env.Env)
			owner, err := people.InsertOwner(ctx, tx, email, hashes[env.Mode])
			if err != nil {
				return out, err
			}
			if _, err := addTOTP(ctx, tx, box, owner, newTOTP{secret: out.Owner.TOTPSecret(env.Mode), active: true}); err != nil {
				return out, err
			}
			codes := &out.Owner.LiveRecoveryCodes
			if env.Mode == auth.Test {
				codes = &out.Owner.TestRecoveryCodes
			}
			if *codes, err = replaceRecoveryCodes(ctx, tx, owner); err != nil {
				return out, err
			}
		}

		out.DealershipID = created[0].ID
		return out, nil
	})
}

// Operator is the user who creates a key on the command line. It is only required
// for the admin scope.
type Operator struct {
	Email string
	Code  string
}

// CommandKey is a key to create in an environment.
type CommandKey struct {
	DealershipID string
	Mode         auth.Mode
	Key          KeyRequest
	By           Operator
}

// IssueKeyFromCommandLine creates a key for the command line. The admin scope
// requires a user who has that scope, and their two-factor code.
func IssueKeyFromCommandLine(ctx context.Context, d *db.DB, box *seal.Box, c CommandKey) (IssuedKey, error) {
	in, by := c.Key, c.By
	type found struct {
		dealership dealership.Dealership
		user       people.User
		scopes     []auth.Scope
	}
	f, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (f found, err error) {
		if f.dealership, err = dealership.FindEnvironment(ctx, tx, c.DealershipID, c.Mode); err != nil || by.Email == "" {
			return f, err
		}

		tx = tx.In(f.dealership.Env)
		if f.user, err = people.FindUserByEmail(ctx, tx, by.Email); err != nil {
			return f, err
		}
		f.scopes, err = people.ScopesOf(ctx, tx, f.user)
		return f, err
	})
	if err != nil {
		return IssuedKey{}, err
	}

	if err := checkScopes(in.Scopes); err != nil {
		return IssuedKey{}, err
	}
	if auth.Require(auth.Admin).Allows(in.Scopes) {
		if by.Email == "" || by.Code == "" {
			return IssuedKey{}, fault.Forbidden("A key with the admin scope requires a user and their two-factor code.")
		}
		if f.user.Status != people.Active || !auth.Require(in.Scopes...).Allows(f.scopes) {
			return IssuedKey{}, fault.Forbidden("%s can't grant these scopes.", by.Email)
		}
		if err := VerifyTOTP(ctx, d, box, f.user, by.Code); err != nil {
			return IssuedKey{}, err
		}
	}

	ctx = auth.InEnv(ctx, f.dealership.Env)
	if f.user.ID != "" {
		ctx = auth.With(ctx, auth.Principal{Env: f.dealership.Env, Actor: f.user.Actor()})
	}
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (IssuedKey, error) {
		return IssueKey(ctx, tx, c.Mode, in)
	})
}
