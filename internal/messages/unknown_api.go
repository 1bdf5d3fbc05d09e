package messages

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// mountUnknown registers the endpoints for messages that might have been sent.
func (a *API) mountUnknown(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/unknown_messages", ID: "listUnknownMessages", Needs: read,
		Summary: "List the messages that might have been sent",
		Text: "Returns messages with the status `unknown`, of all leads. Newest first. The provider received such a message, or might have, and didn't answer. " +
			"Slipway asks the provider of text messages whether it accepted the message. Mail servers can't be asked, so a user decides about an email.",
		Assist: assist.Read,
	}, a.listUnknown)
	rest.PostOK(r, rest.Route{
		Path: "/unknown_messages/{message_id}/resolve", ID: "resolveUnknownMessage", Needs: write,
		Summary: "Decide about a message that might have been sent",
		Text: "Find out whether the recipient got the message, for example in the log of the provider. `send_again` sends it with the same `Message-ID` or " +
			"`Idempotency-Key`, after the send check. If the recipient has another address now, the message is blocked with `recipient_changed`.",
		Assist: assist.Never(assist.Resolves),
	}, a.resolveUnknown)
}

func (a *API) listUnknown(ctx context.Context, tx *db.Tx, in *page.Query) (page.Page[LeadMessage], error) {
	var w db.Where
	w.And("status = 'unknown'") // as in the condition of the index
	p, err := messages.List(ctx, tx, *in, &w)
	if err != nil || auth.From(ctx).Locations == nil {
		return p, err
	}
	reached := []LeadMessage{}
	for _, m := range p.Data {
		at, err := leads.LocationOf(ctx, tx, m.LeadID)
		if err != nil {
			return p, err
		}
		if auth.From(ctx).Reaches(at) {
			reached = append(reached, m)
		}
	}
	p.Data = reached
	return p, nil
}

func (a *API) resolveUnknown(ctx context.Context, tx *db.Tx, in *struct {
	MessageID string `path:"message_id" doc:"ID of the message." example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Body      UnknownMessageResolve
}) (LeadMessage, error) {
	return rest.Change(ctx, tx, messages.FindForUpdate, in.MessageID, func(before LeadMessage, m *LeadMessage) error {
		event, err := in.Body.resolve(m, tx.Now)
		if err != nil {
			return err
		}
		if err := save(ctx, tx, before, m, event); err != nil || m.Status != Queued {
			return err
		}
		// The provider knows the message. It only goes to the address that it might have reached.
		return a.Jobs.Enqueue(ctx, tx, SendMessage{m.Env, m.ID, true, m.Channel}, tx.Now)
	})
}
