package sso

import (
	"context"
	"errors"
	"net"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// checkEvery is how often the TXT records of unverified domains are looked up.
	checkEvery = time.Hour
	// lookupTimeout is how long a DNS lookup can take.
	lookupTimeout = 10 * time.Second
)

// VerifyPending is the job that checks all unverified domains.
type VerifyPending struct{}

// Kind returns the name of the job.
func (VerifyPending) Kind() string { return "verify_pending_sso_domains" }

// VerifyDomains is the job that checks the unverified domains of a connection.
type VerifyDomains struct {
	Env          auth.Env `json:"env"`
	ConnectionID string   `json:"connection_id"`
}

// Kind returns the name of the job.
func (VerifyDomains) Kind() string { return "verify_sso_domains" }

// Lane separates the job from those that don't wait for other servers.
func (VerifyDomains) Lane() string { return jobs.Network }

func (a *API) verifyPending(ctx context.Context, _ VerifyPending) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		pending, err := listPending(ctx, tx)
		for _, job := range pending {
			if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
				return 0, err
			}
		}
		return len(pending), err
	})
	return err
}

// VerifyNow looks up the TXT records of the unverified domains of a connection.
func (a *API) VerifyNow(ctx context.Context, job VerifyDomains) error {
	c, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Connection, error) { return a.find(ctx, tx, job.ConnectionID) })
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	resolver := a.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	for _, v := range c.Verifications {
		if v.VerifiedAt != nil {
			continue
		}
		lookup, cancel := context.WithTimeout(ctx, lookupTimeout)
		records, err := resolver.LookupTXT(lookup, v.RecordName+".")
		cancel()
		if err != nil || !hasRecord(records, v.RecordValue) {
			continue // the job runs again every hour
		}
		_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
			return verifyDomain(ctx, tx, v.Domain, byDNS)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// VerifyDomainFromCommandLine lets the operator verify a domain without a TXT record.
func VerifyDomainFromCommandLine(ctx context.Context, d *db.DB, dealershipID string, mode auth.Mode, name string) (string, error) {
	name, problem := normalizeDomain(name)
	if problem != "" {
		return "", errors.New("the domain " + problem)
	}
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (string, error) {
		env, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
		if err != nil {
			return "", err
		}
		ok, err := verifyDomain(auth.InEnv(ctx, env.Env), tx.In(env.Env), name, byOperator)
		if err == nil && !ok {
			err = fault.New(fault.KindNotFound, "No SSO connection of this environment has the domain %s. Add it to domains first.", name)
		}
		return name, err
	})
}
