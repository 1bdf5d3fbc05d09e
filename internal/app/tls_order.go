package app

import (
	"context"
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"slipway/internal/platform/db"
)

// orderFor is how long a server can take to get a certificate. Then another one can order it.
const orderFor = 5 * time.Minute

// errOrdering means that another server is getting the certificate.
var errOrdering = errors.New("another server is getting the certificate")

// orders makes sure that one server at a time orders a certificate. Servers that start
// together would otherwise each order one, and certificate authorities limit how many. It
// implements autocert.Cache, which is asked for a certificate before it is ordered.
type orders struct {
	certificateStore
	domains []string

	mu  sync.Mutex
	own map[string]bool // what this server is ordering
}

// CertificateStore returns a store of certificates, as one server uses it.
func (a *App) CertificateStore() autocert.Cache { return a.newOrders() }

func (a *App) newOrders() *orders {
	return &orders{certificateStore: certificateStore{a.DB, a.Box}, domains: a.settings.ACMEDomains, own: map[string]bool{}}
}

// isCertificate reports whether a value in the store is a certificate.
func (o *orders) isCertificate(name string) bool {
	return slices.Contains(o.domains, strings.TrimSuffix(name, "+rsa"))
}

func orderName(name string) string { return "order/" + name }

// Get returns a value. If a certificate is missing, this server reserves the order, or gets
// errOrdering.
func (o *orders) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := o.certificateStore.Get(ctx, name)
	if !errors.Is(err, autocert.ErrCacheMiss) || !o.isCertificate(name) {
		return data, err
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own[name] {
		return nil, autocert.ErrCacheMiss
	}
	reserved, err := db.Write(ctx, o.db, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO acme_state (name, sealed, updated_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at WHERE acme_state.updated_at <= ?`,
			orderName(name), []byte{}, tx.Now, tx.Now.Add(-orderFor))
	})
	if err != nil {
		return nil, err
	}
	if reserved == 0 {
		return nil, errOrdering
	}
	o.own[name] = true
	// It might have been stored since it was read.
	return o.certificateStore.Get(ctx, name)
}

// Put stores a value. A certificate ends its order.
func (o *orders) Put(ctx context.Context, name string, data []byte) error {
	if err := o.certificateStore.Put(ctx, name, data); err != nil {
		return err
	}
	return o.release(ctx, name)
}

// release lets another server order the certificate, if this one was ordering it.
func (o *orders) release(ctx context.Context, name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.own[name] {
		return nil
	}
	delete(o.own, name)
	return o.Delete(ctx, orderName(name))
}

// certificate returns a certificate. A failed order doesn't keep other
// servers waiting.
func (a *App) certificate(ctx context.Context, hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c, err := a.acme.GetCertificate(hello)
	if err == nil || errors.Is(err, errOrdering) {
		return c, err
	}
	for _, name := range []string{hello.ServerName, hello.ServerName + "+rsa"} {
		if released := a.orders.release(context.WithoutCancel(ctx), name); released != nil {
			a.log.Warn("can't end the order of a certificate; other servers wait for five minutes", "err", released)
		}
	}
	return c, err
}

// certificateFor returns the certificate for a connection.
func (a *App) certificateFor(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return a.certificate(hello.Context(), hello)
}
