package sso

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// API serves SSO connections and the pages of single sign-on.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	URL      string // of the pages, without /sso; the same host as the sign-in pages
	Log      *slog.Logger
	AuthLog  *authlog.Log
	Mail     mail.Sender
	MailFrom string
	HTTP     *http.Client // for providers
	Resolver *net.Resolver
	Access   *access.API
	SignIn   *signin.API

	providers providers
}

// SiteURL returns the URL of the pages. They are on the host of the sign-in pages,
// because cookies belong to a host.
func SiteURL(authURL string) string {
	u, err := url.Parse(authURL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

var administer = auth.Require(auth.Admin)

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Access)
	const proof = " If a role or a linked user has the admin scope, or for `enforce`, it requires an `mfa_token`."
	rest.Get(r, rest.Route{
		Path: "/sso_connections", ID: "listSsoConnections", Needs: administer,
		Summary: "List SSO connections",
		Text:    "Returns the connections to identity providers, with the state of their domains. Newest first.",
		Assist:  assist.Never(assist.Credentials),
	}, a.list)
	rest.Raw(r, http.MethodPost, http.StatusCreated, rest.Route{
		Path: "/sso_connections", ID: "createSsoConnection", Needs: administer,
		Summary: "Add a SAML or OIDC connection",
		Text:    "Requires the fleet plan. Then create the TXT records of `domain_verifications`, and open `test_url` in a browser." + proof,
		Assist:  assist.Never(assist.Credentials),
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/sso_connections/{connection_id}", ID: "getSsoConnection", Needs: administer,
		Summary: "Retrieve an SSO connection",
		Text:    "Returns the connection with the URLs to enter at the identity provider, and the TXT records that verify its domains.",
		Assist:  assist.Never(assist.Credentials),
	}, a.get)
	rest.Raw(r, http.MethodPatch, http.StatusOK, rest.Route{
		Path: "/sso_connections/{connection_id}", ID: "updateSsoConnection", Needs: administer,
		Summary: "Change an SSO connection or its group mapping",
		Text:    "The group mapping takes effect at the next sign-in of each user." + proof,
		Assist:  assist.Never(assist.Credentials),
	}, a.update)
	rest.Delete(r, rest.Route{
		Path: "/sso_connections/{connection_id}", ID: "deleteSsoConnection", Needs: administer,
		Summary: "Remove an SSO connection and end its sessions",
		Text:    "The users stay, but can no longer sign in with the connection. If a role or a linked user has the admin scope, or for `enforce`, it requires an `MFA-Token`.",
		Assist:  assist.Never(assist.Credentials),
	}, a.delete)
	r.HandleForm(Prefix+"/*", a.pages())
}

// ByConnection is the path parameter of a connection.
type ByConnection struct {
	ConnectionID string `path:"connection_id" doc:"ID of the SSO connection." example:"sso_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (p page.Page[Connection], err error) {
	if err := requireFleet(ctx, tx); err != nil {
		return p, err
	}
	if p, err = connections.List(ctx, tx, in.Query, nil); err != nil {
		return p, err
	}
	return p, a.loadAll(ctx, tx, p.Data)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByConnection) (Connection, error) {
	if err := requireFleet(ctx, tx); err != nil {
		return Connection{}, err
	}
	return a.find(ctx, tx, in.ConnectionID)
}

// create reads the metadata of the provider before the transaction.
func (a *API) create(ctx context.Context, in *struct{ Body ConnectionCreate }) (Connection, error) {
	b, c := in.Body, in.Body.connection()
	var bad fault.Fields
	b.checkFields(&bad)
	c.check(&bad, auth.From(ctx).Mode == auth.Live)
	_, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		if err := requireFleet(ctx, tx); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, checkRoles(ctx, tx, c, &bad)
	})
	if err == nil {
		err = bad.Err()
	}
	if err != nil {
		return c, err
	}

	var s secrets
	if c.Protocol == OIDC {
		s.ClientSecret, err = *b.ClientSecret, a.checkIssuer(ctx, c)
	} else {
		s.Keys, err = a.prepareSAML(ctx, &c, b.IDPMetadataXML)
	}
	if err != nil {
		return c, err
	}
	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Connection, error) {
		if err := requireFleet(ctx, tx); err != nil {
			return c, err
		}
		c := c // the transaction can run again
		connections.Stamp(tx, &c)
		if err := c.sealSecrets(a.Box, s); err != nil {
			return c, err
		}
		if err := a.requireProof(ctx, tx, people.TokenIn(b.MFAToken), c); err != nil {
			return c, err
		}

		if err := insertConnection(ctx, tx, c); err != nil {
			return c, err
		}
		if err := a.finishChange(ctx, tx, &c); err != nil {
			return c, err
		}
		return c, events.Emit(ctx, tx, "sso_connection.created", c.ID, events.Change{After: c})
	})
}

// requireProof requires an MFA token if one of the connections affects administrators.
func (a *API) requireProof(ctx context.Context, tx *db.Tx, token string, all ...Connection) error {
	for _, c := range all {
		affects, err := affectsAdmins(ctx, tx, c)
		if err != nil {
			return err
		}
		if affects {
			return people.RequireProof(ctx, tx, token)
		}
	}
	return nil
}

// finishChange saves the domains, starts their verification and fills in the rest.
func (a *API) finishChange(ctx context.Context, tx *db.Tx, c *Connection) error {
	if err := saveDomains(ctx, tx, *c); err != nil {
		return err
	}
	one := []Connection{*c}
	if err := a.loadAll(ctx, tx, one); err != nil {
		return err
	}
	*c = one[0]
	for _, v := range c.Verifications {
		if v.VerifiedAt == nil {
			return a.Jobs.Enqueue(ctx, tx, VerifyDomains{tx.Env, c.ID}, tx.Now)
		}
	}
	return nil
}

func (a *API) update(ctx context.Context, in *struct {
	ByConnection
	Body ConnectionPatch
}) (Connection, error) {
	b := in.Body
	prepared, err := a.prepareUpdate(ctx, in.ConnectionID, b)
	if err != nil {
		return prepared, err
	}

	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Connection, error) {
		return rest.Change(ctx, tx, a.findForUpdate, in.ConnectionID, func(before Connection, c *Connection) error {
			b.apply(c)
			var bad fault.Fields
			c.check(&bad, auth.From(ctx).Mode == auth.Live)
			if err := checkRoles(ctx, tx, *c, &bad); err != nil {
				return err
			}
			if err := bad.Err(); err != nil {
				return err
			}
			if b.newMetadata() {
				c.Metadata, c.Issuer = prepared.Metadata, prepared.Issuer
				c.MetadataRefreshedAt, c.MetadataError = &tx.Now, nil
			}
			if err := a.setClientSecret(c, b.ClientSecret.Set, b.ClientSecret.V); err != nil {
				return err
			}
			admin, err := linksAdmin(ctx, tx, *c, b.LinkUsers)
			if err != nil {
				return err
			}
			if admin {
				err = people.RequireProof(ctx, tx, people.TokenIn(b.MFAToken))
			} else {
				err = a.requireProof(ctx, tx, people.TokenIn(b.MFAToken), before, *c)
			}
			if err != nil {
				return err
			}

			if err := linkUsers(ctx, tx, *c, b.LinkUsers); err != nil {
				return err
			}
			if err := connections.Save(ctx, tx, c); err != nil {
				return err
			}
			if before.issuer() != c.issuer() {
				if err := endSessionsOf(ctx, tx, *c); err != nil {
					return err
				}
			}
			if err := a.finishChange(ctx, tx, c); err != nil {
				return err
			}
			return events.Emit(ctx, tx, "sso_connection.updated", c.ID, events.Change{Before: before, After: *c})
		})
	})
}

// newMetadata reports whether the body has other metadata of the provider.
func (p ConnectionPatch) newMetadata() bool {
	return p.IDPMetadataXML.Set || p.IDPMetadataURL.Set && p.IDPMetadataURL.V != nil
}

// prepareUpdate checks the request and reads new metadata of the provider, outside of
// a transaction.
func (a *API) prepareUpdate(ctx context.Context, id string, b ConnectionPatch) (Connection, error) {
	c, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Connection, error) {
		if err := requireFleet(ctx, tx); err != nil {
			return Connection{}, err
		}
		return a.find(ctx, tx, id)
	})
	if err != nil {
		return c, err
	}
	var bad fault.Fields
	b.checkFields(&bad, c)
	b.apply(&c)
	c.check(&bad, auth.From(ctx).Mode == auth.Live)
	if err := bad.Err(); err != nil {
		return c, err
	}
	if b.Issuer.Set {
		return c, a.checkIssuer(ctx, c)
	}
	if !b.newMetadata() {
		return c, nil
	}
	var xml *string
	if b.IDPMetadataXML.Set {
		xml = &b.IDPMetadataXML.V
	}
	return c, a.readMetadata(ctx, &c, xml)
}

// setClientSecret replaces the client secret of the row.
func (a *API) setClientSecret(c *Connection, set bool, secret string) error {
	if !set {
		return nil
	}
	s, err := c.openSecrets(a.Box)
	if err != nil {
		return err
	}
	s.ClientSecret = secret
	return c.sealSecrets(a.Box, s)
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *struct {
	ByConnection
	MFAToken string `header:"MFA-Token" maxLength:"100" doc:"Required if a role or a linked user has the admin scope, and for enforce. Must be from an administrator."`
}) (none rest.None, err error) {
	if err := requireFleet(ctx, tx); err != nil {
		return none, err
	}
	_, err = rest.Change(ctx, tx, a.findForUpdate, in.ConnectionID, func(before Connection, _ *Connection) error {
		if err := a.requireProof(ctx, tx, in.MFAToken, before); err != nil {
			return err
		}
		if err := endSessionsOf(ctx, tx, before); err != nil {
			return err
		}
		if err := unlinkAll(ctx, tx, before); err != nil {
			return err
		}
		if err := connections.Delete(ctx, tx, before.ID); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "sso_connection.deleted", before.ID, events.Change{After: before})
	})
	return none, err
}

// newKey creates a key with its certificate for a connection.
func newKey(now time.Time) (privateKey, error) {
	pair, err := newKeyPair(now)
	if err != nil {
		return privateKey{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair.Key)
	return privateKey{pair.Certificate.Raw, der, now}, err
}
