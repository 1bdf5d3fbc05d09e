package people

import (
	"context"
	"fmt"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
)

// inviteFor is how long an invitation can be accepted.
const inviteFor = 7 * 24 * time.Hour

// Work registers the jobs of this package.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.invite)
	jobs.On(q, a.confirmEmail)
	jobs.On(q, a.announceEmail)
}

// invite sends a user the link to set a password. The link is generated here and
// only its hash is stored, so that the job queue never contains it. It replaces
// earlier links, which might have been sent to a mistyped address. The user is
// locked, so that a change of the address cancels this link or comes first.
func (a *API) invite(ctx context.Context, job Invite) error {
	type prepared struct {
		user       User
		dealership dealership.Dealership
		token      string
	}
	p, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (p prepared, err error) {
		if p.user, err = FindUserForUpdate(ctx, tx, job.UserID); err != nil || p.user.Status != Invited {
			return p, err
		}
		if p.dealership, err = dealership.Find(ctx, tx); err != nil {
			return p, err
		}

		if _, err := endInvitations(ctx, tx, p.user); err != nil {
			return p, err
		}
		p.token = newLink()
		return p, insertInvitation(ctx, tx, invitation{
			Env: job.Env, Hash: hashLink(p.token), UserID: p.user.ID, CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(inviteFor),
		})
	})
	if err != nil || p.token == "" {
		return err
	}

	return a.Mail.Send(ctx, mail.Message{
		From: a.MailFrom, To: p.user.Email, Token: "invitation-" + p.token[:16],
		Subject: "You are invited to " + p.dealership.Name + " on Slipway",
		Text: fmt.Sprintf("Hello %s,\n\n%s has invited you to Slipway. Set your password here:\n\n%s/invitations/%s\n\n"+
			"The link works once and expires after seven days.\n", p.user.Name, p.dealership.Name, a.AuthURL, p.token),
	})
}
