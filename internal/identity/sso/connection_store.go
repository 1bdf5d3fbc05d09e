package sso

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var connections = db.Table[Connection]{Name: "sso_connections", Prefix: "sso", Noun: "SSO connection"}

// find returns a connection with its domains.
func (a *API) find(ctx context.Context, tx *db.Tx, id string) (Connection, error) {
	c, err := connections.Find(ctx, tx, id)
	if err != nil {
		return c, err
	}
	one := []Connection{c}
	err = a.loadAll(ctx, tx, one)
	return one[0], err
}

// findForUpdate returns a connection and locks it until the transaction ends.
func (a *API) findForUpdate(ctx context.Context, tx *db.Tx, id string) (Connection, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM sso_connections WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return Connection{}, err
	}
	return a.find(ctx, tx, id)
}

// located is a connection with its dealership.
type located struct {
	Connection
	Dealership dealership.Dealership
}

// errNoConnection is the same for a connection that doesn't exist and one of a
// dealership without the fleet plan.
func errNoConnection() error { return fault.New(fault.KindNotFound, "SSO connection not found.") }

// locate returns the connection of a page, in any environment.
func (a *API) locate(ctx context.Context, tx *db.Tx, id string, protocol Protocol) (l located, err error) {
	env, err := db.One[int64](ctx, tx, `SELECT env FROM sso_connections WHERE id = ?`, id)
	if db.IsNoRows(err) {
		return l, errNoConnection()
	}
	if err != nil {
		return l, err
	}
	tx = tx.In(auth.Env(env))
	if l.Connection, err = a.find(ctx, tx, id); err != nil {
		return l, err
	}
	if l.Dealership, err = dealership.Find(ctx, tx); err != nil {
		return l, err
	}
	if l.Dealership.Plan != dealership.Fleet || protocol != "" && l.Protocol != protocol {
		return l, errNoConnection()
	}
	return l, nil
}

// requireFleet returns an error unless the dealership has the fleet plan.
func requireFleet(ctx context.Context, tx *db.Tx) error {
	d, err := dealership.Find(ctx, tx)
	if err == nil && d.Plan != dealership.Fleet {
		err = fault.Forbidden("Single sign-on requires the fleet plan. This dealership has the %s plan.", d.Plan).
			Detail("plan", "plan", "must be fleet")
	}
	return err
}

// domain is an email domain of a connection.
type domain struct {
	Env          auth.Env        `db:"env"`
	Domain       string          `db:"domain"`
	ConnectionID string          `db:"connection_id"`
	VerifiedAt   *time.Time      `db:"verified_at"`
	VerifiedBy   *DomainVerifier `db:"verified_by"`
}

// loadAll fills in the fields of connections that are not columns.
func (a *API) loadAll(ctx context.Context, tx *db.Tx, all []Connection) error {
	for i := range all {
		c := &all[i]
		found, err := db.All[domain](ctx, tx, `SELECT {cols} FROM sso_domains WHERE env = ? AND connection_id = ? ORDER BY domain`, tx.Env, c.ID)
		if err != nil {
			return err
		}
		c.Domains, c.Verifications = []string{}, []Verification{}
		for _, d := range found {
			c.Domains = append(c.Domains, d.Domain)
			c.Verifications = append(c.Verifications, Verification{
				Domain: d.Domain, VerifiedAt: d.VerifiedAt, VerifiedBy: d.VerifiedBy, RecordName: recordPrefix + d.Domain, RecordValue: recordValue(site.Of(tx).MAC, d.Env, d.Domain),
			})
		}
		c.derive(a.URL)
	}
	return nil
}

// saveDomains adds and removes domains of a connection. A domain that stays keeps its
// verification.
func saveDomains(ctx context.Context, tx *db.Tx, c Connection) error {
	keep := map[string]bool{}
	for _, name := range c.Domains {
		keep[name] = true
		owner, err := db.All[domain](ctx, tx, `SELECT {cols} FROM sso_domains WHERE env = ? AND domain = ?`, tx.Env, name)
		if err != nil {
			return err
		}
		if len(owner) == 0 {
			if err := db.Insert(ctx, tx, "sso_domains", domain{Env: tx.Env, Domain: name, ConnectionID: c.ID}); err != nil {
				return err
			}
		} else if owner[0].ConnectionID != c.ID {
			return fault.Conflict("The domain %s is already used by connection %s.", name, owner[0].ConnectionID).
				Detail("domains", "duplicate", "contains %s, which is already used by %s", name, owner[0].ConnectionID)
		}
	}

	current, err := db.All[domain](ctx, tx, `SELECT {cols} FROM sso_domains WHERE env = ? AND connection_id = ?`, tx.Env, c.ID)
	if err != nil {
		return err
	}
	for _, d := range current {
		if keep[d.Domain] {
			continue
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM sso_domains WHERE env = ? AND domain = ?`, tx.Env, d.Domain); err != nil {
			return err
		}
	}
	return nil
}

// secrets are what a connection must keep secret.
type secrets struct {
	ClientSecret string       `json:"client_secret,omitempty"`
	Keys         []privateKey `json:"keys,omitempty"` // of SAML, oldest first
}

// privateKey is a key with its certificate, both in DER.
type privateKey struct {
	Certificate []byte    `json:"certificate"`
	Key         []byte    `json:"key"` // PKCS #8
	CreatedAt   time.Time `json:"created_at"`
}

// expiresAt returns when the certificate of a key ends.
func (k privateKey) expiresAt() (time.Time, error) {
	certificate, err := x509.ParseCertificate(k.Certificate)
	if err != nil {
		return time.Time{}, err
	}
	return certificate.NotAfter, nil
}

func (c Connection) place() string { return fmt.Sprintf("sso_connections/%d/%s", c.Env, c.ID) }

// sealSecrets encrypts the secrets into the row.
func (c *Connection) sealSecrets(box *seal.Box, s secrets) error {
	text, err := json.Marshal(s)
	c.Secrets = box.Seal(text, c.place())
	return err
}

// openSecrets decrypts the secrets of the row.
func (c Connection) openSecrets(box *seal.Box) (s secrets, err error) {
	text, err := box.Open(c.Secrets, c.place())
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(text, &s)
	return s, err
}

// affectsAdmins reports whether a connection can sign in an administrator, or can
// keep one from signing in with a password.
func affectsAdmins(ctx context.Context, tx *db.Tx, c Connection) (bool, error) {
	if c.Enforce {
		return true, nil
	}
	for _, id := range c.roleIDs() {
		r, err := people.FindRole(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			continue // the role was deleted
		}
		if err != nil || r.IsAdmin() {
			return true, err
		}
	}
	users, err := db.All[string](ctx, tx, `SELECT user_id FROM sso_identities WHERE env = ? AND connection_id = ?`, tx.Env, c.ID)
	if err != nil {
		return false, err
	}
	for _, id := range users {
		if u, err := people.FindUser(ctx, tx, id); err != nil || u.IsAdmin() {
			return true, err
		}
	}
	return false, nil
}

// checkRoles reports roles that don't exist or can't be assigned.
func checkRoles(ctx context.Context, tx *db.Tx, c Connection, bad *fault.Fields) error {
	check := func(field, id string) error {
		r, err := people.FindRole(ctx, tx, id)
		switch {
		case fault.KindOf(err) == fault.KindNotFound:
			bad.Add(field, "not_found", "refers to %s, which doesn't exist", id)
		case err != nil:
			return err
		case r.IsOwner() && !c.AllowOwnerRole:
			bad.Add(field, "state", "refers to the owner role, which requires allow_owner_role")
		case r.IsOwner() && field == "default_role_id":
			bad.Add(field, "state", "can't be the owner role")
		}
		return nil
	}
	if c.DefaultRoleID != nil {
		if err := check("default_role_id", *c.DefaultRoleID); err != nil {
			return err
		}
	}
	for i, m := range c.GroupMapping {
		if err := check(fmt.Sprintf("group_mapping[%d].role_id", i), m.RoleID); err != nil {
			return err
		}
	}
	return nil
}

func insertConnection(ctx context.Context, tx *db.Tx, c Connection) error {
	return db.Insert(ctx, tx, "sso_connections", c)
}

// saveRefreshed doesn't change the version, because no one has edited the connection.
func saveRefreshed(ctx context.Context, tx *db.Tx, c Connection) error {
	_, err := db.Update(ctx, tx, "sso_connections", &c, "env = ? AND id = ?", c.Env, c.ID)
	return err
}

// listSAML returns the connections of all environments whose metadata is refreshed.
func listSAML(ctx context.Context, tx *db.Tx) ([]Connection, error) {
	return db.All[Connection](ctx, tx, `SELECT {cols} FROM sso_connections WHERE env > 0 AND protocol = 'saml' ORDER BY env, id`)
}
