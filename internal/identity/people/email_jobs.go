package people

import (
	"context"
	"fmt"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// confirmEmailFor is how long a new email address can be confirmed.
const confirmEmailFor = 7 * 24 * time.Hour

// ConfirmEmail is the job that sends a user the link to confirm a new email address.
type ConfirmEmail struct {
	Env    auth.Env `json:"env"`
	UserID string   `json:"user_id"`
}

// Kind returns the name of the job.
func (ConfirmEmail) Kind() string { return "confirm_email" }

// Lane waits for the mail server.
func (ConfirmEmail) Lane() string { return jobs.Mail }

// AnnounceEmail is the job that tells a user at the old address about the new
// one. It has both addresses, because the new one could be confirmed first.
type AnnounceEmail struct {
	Env    auth.Env `json:"env"`
	UserID string   `json:"user_id"`
	Old    string   `json:"old"`
	New    string   `json:"new"`
	Token  string   `json:"token"` // of the message
}

// Kind returns the name of the job.
func (AnnounceEmail) Kind() string { return "announce_email" }

// Lane waits for the mail server.
func (AnnounceEmail) Lane() string { return jobs.Mail }

// confirmEmail sends the link to the new address. As for an invitation, the link
// is generated here, only its hash is stored, and it replaces earlier links.
func (a *API) confirmEmail(ctx context.Context, job ConfirmEmail) error {
	type prepared struct {
		user       User
		dealership dealership.Dealership
		token      string
	}
	p, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (p prepared, err error) {
		if p.user, err = FindUserForUpdate(ctx, tx, job.UserID); err != nil || p.user.PendingEmail == nil {
			return p, err
		}
		if p.dealership, err = dealership.Find(ctx, tx); err != nil {
			return p, err
		}

		if _, err := endEmailChanges(ctx, tx, p.user); err != nil {
			return p, err
		}
		p.token = token.Link(job.Env)
		return p, insertEmailChange(ctx, tx, emailChange{
			Env: job.Env, Hash: token.Hash(p.token), UserID: p.user.ID, Email: *p.user.PendingEmail,
			CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(confirmEmailFor),
		})
	})
	if err != nil || p.token == "" {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: *p.user.PendingEmail, Token: "email-change-" + p.token[:16],
		Subject: "Confirm your new email address for " + p.dealership.Name,
	}, mail.Letter{
		Brand:  p.dealership.Name,
		Body:   fmt.Sprintf("Hello %s,\n\n%s has changed your email address on Slipway to this one.", p.user.Name, p.dealership.Name),
		Button: mail.Button{Label: "Confirm this address", URL: a.AuthURL + "/email_changes/" + p.token},
		After:  "Until then, sign in with your old address. The link works once and expires after seven days.",
	})
}

// announceEmail tells the user about the change at the old address.
func (a *API) announceEmail(ctx context.Context, job AnnounceEmail) error {
	type prepared struct {
		user       User
		dealership dealership.Dealership
	}
	p, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (p prepared, err error) {
		if p.user, err = FindUser(ctx, tx, job.UserID); err != nil {
			return p, err
		}
		p.dealership, err = dealership.Find(ctx, tx)
		return p, err
	})
	if err != nil {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: job.Old, Token: "email-notice-" + job.Token,
		Subject: "Your email address for " + p.dealership.Name + " is about to change",
	}, mail.Letter{
		Brand: p.dealership.Name,
		Body: fmt.Sprintf("Hello %s,\n\n%s has requested to change your email address on Slipway to %s. "+
			"The change takes effect when the new address is confirmed.\n\nIf you didn't expect this, contact your dealership.",
			p.user.Name, p.dealership.Name, job.New),
	})
}
