package dealership

import (
	"context"
	"fmt"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/auth"
)

// VerifySender is the job that sends the link to verify a sender address.
type VerifySender struct {
	Env   auth.Env `json:"env"`
	Email string   `json:"email"`
}

// Kind returns the name of the job.
func (VerifySender) Kind() string { return "verify_sender" }

// Lane waits for the mail server.
func (VerifySender) Lane() string { return jobs.Mail }

// Work registers the jobs of the dealership.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.verifySender) }

func (a *API) verifySender(ctx context.Context, job VerifySender) error {
	type prepared struct{ name, link string }
	p, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (p prepared, err error) {
		d, err := Find(ctx, tx.In(job.Env))
		if err != nil || !d.Settings.Sender.isPending(job.Email) {
			return p, err
		}
		return prepared{d.Name, senderLink(tx, job.Env, job.Email, tx.Now.Add(verifySenderFor))}, nil
	})
	if err != nil || p.link == "" {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: job.Email, Token: "verify-sender-" + p.link[len(p.link)-16:],
		Subject: "Verify this address as the sender of " + p.name,
	}, mail.Letter{
		Brand:  p.name,
		Body:   fmt.Sprintf("Hello,\n\n%s wants to send email to its customers from this address.", p.name),
		Button: mail.Button{Label: "Verify this address", URL: p.link},
		After:  "The link expires after seven days. If you didn't expect this, ignore this email.",
	})
}
