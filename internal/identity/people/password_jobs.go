package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// ForgotPassword is the job that finds the users who forgot their password. A job
// does it, so that the request takes the same time for unknown addresses.
type ForgotPassword struct {
	Email string    `json:"email"`
	Mode  auth.Mode `json:"mode"` // "" for both
}

// Kind returns the name of the job.
func (ForgotPassword) Kind() string { return "forgot_password" }

// SendResetLink is the job that sends a user the link to set a new password.
type SendResetLink struct {
	Env    auth.Env `json:"env"`
	UserID string   `json:"user_id"`
}

// Kind returns the name of the job.
func (SendResetLink) Kind() string { return "send_reset_link" }

// Lane waits for the mail server.
func (SendResetLink) Lane() string { return jobs.Mail }

// PasswordNotice is the job that tells a user that the password was changed.
type PasswordNotice struct {
	Env     auth.Env `json:"env"`
	UserID  string   `json:"user_id"`
	Version int64    `json:"version"` // of the user, so that each change is one message
}

// Kind returns the name of the job.
func (PasswordNotice) Kind() string { return "password_notice" }

// Lane waits for the mail server.
func (PasswordNotice) Lane() string { return jobs.Mail }

// RequestReset sends a link to set a new password, if a user has this email address.
// The result is the same if no user has it.
func (a *API) RequestReset(ctx context.Context, email string, mode auth.Mode) error {
	email = strings.ToLower(strings.TrimSpace(email))
	if taken := a.Resets.TakeAddress("address", auth.RequestFrom(ctx).IP, 10, time.Minute); taken.Wait > 0 {
		return fault.New(fault.KindRateLimited, "Too many requests for a new password. Retry after the time in Retry-After.").
			RetryIn(taken.Wait)
	}
	// No error: the user already got several links, and the last one works.
	if taken := a.Resets.Take("account "+string(mode)+" "+email, 3, 10*time.Minute); taken.Wait > 0 {
		return nil
	}

	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, a.Jobs.Enqueue(ctx, tx, ForgotPassword{email, mode}, tx.Now)
	})
	return err
}

// enqueueResetLinks enqueues a link for each user with an email address.
func (a *API) enqueueResetLinks(ctx context.Context, job ForgotPassword) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		found, err := FindCandidates(ctx, tx, job.Email, job.Mode, "")
		if err != nil {
			return struct{}{}, err
		}
		for _, c := range found {
			err = errors.Join(err, a.Jobs.Enqueue(ctx, tx, SendResetLink{c.Env, c.ID}, tx.Now))
		}
		return struct{}{}, err
	})
	return err
}

func (a *API) sendResetLink(ctx context.Context, job SendResetLink) error {
	l, err := a.prepareLink(ctx, job.UserID, resetLink, func(u User) bool { return u.Status == Active && u.SSOSubject == nil })
	if err != nil || l.token == "" {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: l.user.Email, Token: "reset-" + l.token[:16],
		Subject: "Set a new password for " + l.dealership.Name + " on Slipway",
	}, mail.Letter{
		Brand: l.dealership.Name,
		Body: fmt.Sprintf("Hello %s,\n\nYou asked for a new password for your %s account at %s.",
			l.user.Name, l.dealership.Mode, l.dealership.Name),
		Button: mail.Button{Label: "Set a new password", URL: a.AuthURL + "/password/reset/" + l.token},
		After: "The link works once and expires after one hour. If you didn't ask for it, ignore this email. " +
			"Your password stays the same.",
	})
}

func (a *API) sendPasswordNotice(ctx context.Context, job PasswordNotice) error {
	type recipient struct {
		user       User
		dealership dealership.Dealership
	}
	r, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (r recipient, err error) {
		if r.user, err = FindUser(ctx, tx, job.UserID); err != nil {
			return r, err
		}
		r.dealership, err = dealership.Find(ctx, tx)
		return r, err
	})
	if err != nil {
		return err
	}

	return mail.SendLetter(ctx, a.Mail, mail.Message{
		From: a.MailFrom, To: r.user.Email, Token: fmt.Sprintf("password-%s-%d", r.user.ID, job.Version),
		Subject: "Your password for " + r.dealership.Name + " was changed",
	}, mail.Letter{
		Brand: r.dealership.Name,
		Body: fmt.Sprintf("Hello %s,\n\nYour password for the %s account at %s was changed, and all your sessions were ended.\n\n"+
			"If this wasn't you, set a new password and tell an administrator of your dealership.",
			r.user.Name, r.dealership.Mode, r.dealership.Name),
		Button: mail.Button{Label: "Set a new password", URL: a.AuthURL + "/password/forgot"},
	})
}
