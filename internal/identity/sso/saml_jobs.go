package sso

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// maxMetadata limits the size of the metadata of a provider.
	maxMetadata = 1 << 20
	// refreshEvery is how often the metadata of providers is read again.
	refreshEvery = 24 * time.Hour
	// renewBefore is how long before the end of a certificate a new key is added.
	renewBefore = 90 * 24 * time.Hour
	// dropAfter is how long an expired key can still decrypt.
	dropAfter = 30 * 24 * time.Hour
)

func newKeyPair(now time.Time) (saml.KeyPair, error) { return saml.NewKeyPair("Slipway SSO", now) }

// prepareSAML reads the metadata of the provider and creates a key.
func (a *API) prepareSAML(ctx context.Context, c *Connection, xml *string) ([]privateKey, error) {
	if err := a.readMetadata(ctx, c, xml); err != nil {
		return nil, err
	}
	key, err := newKey(a.DB.Now().UTC())
	return []privateKey{key}, err
}

// readMetadata reads the metadata of the provider from XML or from the URL of the
// connection.
func (a *API) readMetadata(ctx context.Context, c *Connection, xml *string) error {
	field, text := "idp_metadata_xml", ""
	var err error
	if xml != nil {
		text = *xml
	} else if field = "idp_metadata_url"; c.IDPMetadataURL != nil {
		text, err = a.fetchMetadata(ctx, *c.IDPMetadataURL)
	}
	var provider saml.Provider
	if err == nil {
		provider, err = saml.ParseMetadata([]byte(text))
	}
	if err != nil {
		var bad fault.Fields
		bad.Add(field, "metadata", "could not be read: %s", metadataProblem(err))
		return bad.Err()
	}
	now := a.DB.Now().UTC().Truncate(time.Millisecond)
	c.Metadata, c.Issuer, c.MetadataRefreshedAt, c.MetadataError = text, &provider.EntityID, &now, nil
	return nil
}

// metadataProblem describes an error without addresses inside the network.
func metadataProblem(err error) string {
	if f, ok := errors.AsType[*saml.Fault](err); ok {
		return f.Message
	}
	if errors.Is(err, outbound.ErrPrivateAddress) {
		return "the address is not public"
	}
	if status, ok := errors.AsType[statusError](err); ok {
		return status.Error()
	}
	return "the server could not be reached"
}

// statusError is the status of a response that is not 200.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("the server returned status %d", int(s)) }

// fetchMetadata gets the metadata from a URL that a user entered.
func (a *API) fetchMetadata(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	res, err := a.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", statusError(res.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata+1))
	if err == nil && len(text) > maxMetadata {
		err = &saml.Fault{Code: saml.CodeTooLarge, Message: "the metadata is larger than 1 MiB"}
	}
	return string(text), err
}

// RefreshMetadata is the job that starts the refresh of each SAML connection.
type RefreshMetadata struct{}

// Kind returns the name of the job.
func (RefreshMetadata) Kind() string { return "refresh_sso_metadata" }

// RefreshConnection is the job that reads the metadata of a connection again and renews
// its key.
type RefreshConnection struct {
	Env          auth.Env `json:"env"`
	ConnectionID string   `json:"connection_id"`
}

// Kind returns the name of the job.
func (RefreshConnection) Kind() string { return "refresh_sso_connection" }

// Lane separates the job from those that don't wait for other servers.
func (RefreshConnection) Lane() string { return jobs.Network }

// Work registers the jobs of this package.
func (a *API) Work(q *jobs.Queue) {
	jobs.Every(q, refreshEvery, RefreshMetadata{})
	jobs.On(q, a.refreshAll)
	jobs.On(q, a.RefreshOne)
	jobs.Every(q, checkEvery, VerifyPending{})
	jobs.On(q, a.verifyPending)
	jobs.On(q, a.VerifyNow)
	jobs.On(q, a.SendLink)
	jobs.Every(q, refreshSessionsEvery, RefreshSessions{})
	jobs.On(q, a.RefreshSessions)
}

func (a *API) refreshAll(ctx context.Context, _ RefreshMetadata) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		all, err := listSAML(ctx, tx)
		for _, c := range all {
			if err := a.Jobs.Enqueue(ctx, tx, RefreshConnection{c.Env, c.ID}, tx.Now); err != nil {
				return 0, err
			}
		}
		return len(all), err
	})
	return err
}

// RefreshOne reads the metadata of a connection again. If that fails, the connection
// keeps the previous metadata.
func (a *API) RefreshOne(ctx context.Context, job RefreshConnection) error {
	c, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Connection, error) { return a.find(ctx, tx, job.ConnectionID) })
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	fetched := ""
	var problem error
	if c.IDPMetadataURL != nil {
		if fetched, problem = a.fetchMetadata(ctx, *c.IDPMetadataURL); problem == nil {
			problem = checkRefresh(c, fetched)
		}
	}
	key, err := a.renewal(c)
	if err != nil {
		return err
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, a.saveRefresh(ctx, tx, c, refreshed{fetched, problem, key})
	})
	return err
}

// checkRefresh returns why new metadata can't replace the current one. Another entity
// ID would be another provider, which only an administrator can choose.
func checkRefresh(c Connection, text string) error {
	provider, err := saml.ParseMetadata([]byte(text))
	if err == nil && provider.EntityID != c.issuer() {
		err = &saml.Fault{Code: saml.CodeMetadata, Message: "the entity ID has changed; to use another provider, update the connection"}
	}
	return err
}

// renewal returns a new key if the newest one is about to expire, or nil.
func (a *API) renewal(c Connection) (*privateKey, error) {
	s, err := c.openSecrets(a.Box)
	if err != nil || len(s.Keys) == 0 {
		return nil, err
	}
	end, err := s.Keys[len(s.Keys)-1].expiresAt()
	if err != nil || end.Sub(a.DB.Now()) > renewBefore {
		return nil, err
	}
	key, err := newKey(a.DB.Now().UTC())
	return &key, err
}

// refreshed is the result of a refresh.
type refreshed struct {
	metadata string
	problem  error       // why there is no new metadata
	key      *privateKey // to add, or nil
}

// saveRefresh stores the result of a refresh, unless the connection has changed.
func (a *API) saveRefresh(ctx context.Context, tx *db.Tx, read Connection, got refreshed) error {
	key := got.key
	c, err := a.findForUpdate(ctx, tx, read.ID)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && c.Version != read.Version {
		return nil
	}
	if err != nil {
		return err
	}
	before := c
	switch {
	case c.IDPMetadataURL == nil:
	case got.problem != nil:
		c.MetadataError = new(metadataProblem(got.problem))
	default:
		c.Metadata, c.MetadataRefreshedAt, c.MetadataError = got.metadata, &tx.Now, nil
	}
	if !bytes.Equal(c.Secrets, read.Secrets) { // another node has added a key
		key = nil
	}
	if key != nil {
		if err := a.addKey(&c, *key, tx.Now); err != nil {
			return err
		}
	}
	if err := saveRefreshed(ctx, tx, c); err != nil {
		return err
	}

	changes := map[string][2]any{}
	if c.Metadata != before.Metadata {
		changes["idp_metadata"] = [2]any{nil, "changed at the provider"}
	}
	if key != nil {
		changes["sp_certificate"] = [2]any{nil, "renewed"}
	}
	if got.problem != nil {
		return audit.RecordFailure(ctx, tx, "sso_connection.refreshed", audit.Target{Type: "sso_connection", ID: c.ID}, map[string][2]any{
			"reason": {nil, *c.MetadataError},
		})
	}
	if len(changes) > 0 {
		return audit.Record(ctx, tx, "sso_connection.refreshed", c.ID, changes)
	}
	return nil
}

// addKey adds a key and removes those that expired long ago.
func (a *API) addKey(c *Connection, key privateKey, now time.Time) error {
	s, err := c.openSecrets(a.Box)
	if err != nil {
		return err
	}
	var keep []privateKey
	for _, k := range s.Keys {
		end, err := k.expiresAt()
		if err != nil {
			return err
		}
		if now.Before(end.Add(dropAfter)) {
			keep = append(keep, k)
		}
	}
	s.Keys = append(keep, key)
	return c.sealSecrets(a.Box, s)
}
