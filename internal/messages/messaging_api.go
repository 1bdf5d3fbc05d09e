package messages

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/platform/db"
	"slipway/internal/platform/providers"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
)

// Messaging is whether messages can be sent.
type Messaging struct {
	_ struct{} `doc:"Whether messages can be sent."`

	SMS   MessagingChannel `json:"sms" doc:"Text messages."`
	Email MessagingChannel `json:"email" doc:"Email."`
}

// MessagingChannel is whether the provider of a channel answers.
type MessagingChannel struct {
	_ struct{} `doc:"Whether the provider of a channel answers."`

	FailingSince *time.Time `json:"failing_since" doc:"When the provider stopped answering. Null if it answers, or if nothing was sent for a while."`
	TriedAt      *time.Time `json:"tried_at" doc:"When Slipway last tried. Null if the provider answers."`
	Waiting      int64      `json:"waiting" doc:"Number of messages that are sent as soon as the provider answers. Without messages that are scheduled for later." example:"0"`
}

// mountMessaging registers the endpoint for the state of the providers.
func (a *API) mountMessaging(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/messaging", ID: "getMessaging", Needs: read,
		Summary: "Show whether messages can be sent",
		Text: "If a provider doesn't answer three times in a row, Slipway stops sending to it and tries one message again after 30 seconds, " +
			"and then less often, up to every five minutes. The other messages wait and are sent when it answers.",
		Assist: assist.Read,
	}, a.messaging)
}

func (a *API) messaging(ctx context.Context, tx *db.Tx, _ *struct{}) (m Messaging, err error) {
	outages, err := providers.Outages(ctx, tx)
	if err != nil {
		return m, err
	}
	for channel, state := range map[consent.Channel]*MessagingChannel{consent.SMS: &m.SMS, consent.Email: &m.Email} {
		if state.Waiting, err = countWaiting(ctx, tx, channel); err != nil {
			return m, err
		}
		for _, o := range outages {
			if (o.Provider == MailServer) == (channel == consent.Email) {
				state.FailingSince, state.TriedAt = &o.Since, &o.TriedAt
			}
		}
	}
	return m, nil
}
