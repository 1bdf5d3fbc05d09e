package sso

import (
	"context"
	"fmt"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

const (
	// linkLifetime is how long a link to confirm an identity works.
	linkLifetime = 24 * time.Hour
	// linkPause is how long no other email is sent for the same identity.
	linkPause = 5 * time.Minute
)

// SendLinkEmail is the job that sends a user the link to confirm an identity.
type SendLinkEmail struct {
	Env          auth.Env `json:"env"`
	ConnectionID string   `json:"connection_id"`
	UserID       string   `json:"user_id"`
}

// Kind returns the name of the job.
func (SendLinkEmail) Kind() string { return "send_sso_link" }

// Lane waits for the mail server.
func (SendLinkEmail) Lane() string { return jobs.Mail }

// requestLink asks the user by email whether an identity is theirs.
func (a *API) requestLink(ctx context.Context, tx *db.Tx, c Connection, u people.User, id identity) error {
	earlier, err := findLink(ctx, tx, c.ID, u.ID)
	if err != nil && !db.IsNoRows(err) {
		return err
	}
	if err == nil && earlier.Issuer == id.Issuer && earlier.Subject == id.Subject && tx.Now.Sub(earlier.CreatedAt) < linkPause {
		return nil
	}
	if err := deleteLink(ctx, tx, c.ID, u.ID); err != nil {
		return err
	}
	err = insertLink(ctx, tx, link{
		Env: c.Env, ConnectionID: c.ID, UserID: u.ID, Issuer: id.Issuer, Subject: id.Subject, Email: u.Email, CreatedAt: tx.Now,
		ExpiresAt: tx.Now.Add(linkLifetime),
	})
	if err != nil {
		return err
	}
	return a.Jobs.Enqueue(ctx, tx, SendLinkEmail{c.Env, c.ID, u.ID}, tx.Now)
}

// SendLink sends the link. It is generated here and only its hash is stored, so that
// the job queue never contains it.
func (a *API) SendLink(ctx context.Context, job SendLinkEmail) error {
	type prepared struct {
		user       people.User
		connection Connection
		dealership dealership.Dealership
		token      string
	}
	p, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (p prepared, err error) {
		l, err := findLink(ctx, tx, job.ConnectionID, job.UserID)
		if db.IsNoRows(err) {
			return p, nil // the user was linked in the meantime
		}
		if err != nil {
			return p, err
		}
		if p.user, err = people.FindUser(ctx, tx, l.UserID); err != nil || p.user.Email != l.Email {
			return p, err
		}
		if p.connection, err = a.find(ctx, tx, l.ConnectionID); err != nil {
			return p, err
		}
		if p.dealership, err = dealership.Find(ctx, tx); err != nil {
			return p, err
		}
		p.token = token.Link(tx.Env)
		return p, setLinkToken(ctx, tx, l, p.token)
	})
	if err != nil || p.token == "" {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: p.user.Email, Token: "sso-link-" + p.token[:16],
		Subject: "Confirm that you sign in to " + p.dealership.Name + " with " + p.connection.Name,
	}, mail.Letter{
		Brand: p.dealership.Name,
		Body: fmt.Sprintf("Hello %s,\n\nSomeone signed in to %s with %s as %s.", p.user.Name, p.dealership.Name, p.connection.Name,
			p.user.Email),
		Button: mail.Button{Label: "Confirm that it was you", URL: a.URL + "/sso/links/" + p.token},
		After:  "The link works once and expires after 24 hours. If it was not you, ignore this email and tell your administrator.",
	})
}

// errLinkUsed has the same message for unknown, used, replaced and expired links.
func errLinkUsed() error {
	return fault.New(fault.KindNotFound, "The link was used, replaced or has expired.")
}

// openedLink is a link that is still valid.
type openedLink struct {
	link
	located
	user people.User
}

// openLink returns the request of a link.
func (a *API) openLink(ctx context.Context, tx *db.Tx, secret string) (o openedLink, err error) {
	o.link, err = findLinkByToken(ctx, tx, secret)
	if db.IsNoRows(err) {
		return o, errLinkUsed()
	}
	if err != nil {
		return o, err
	}
	if o.located, err = a.locate(ctx, tx, o.link.ConnectionID, ""); err != nil {
		return o, err
	}
	tx = tx.In(o.link.Env)
	if o.user, err = people.FindUser(ctx, tx, o.UserID); err != nil {
		return o, err
	}
	if o.user.Status == people.Deactivated || o.user.Email != o.Email || o.link.Issuer != o.issuer() {
		return o, errLinkUsed()
	}
	return o, nil
}
