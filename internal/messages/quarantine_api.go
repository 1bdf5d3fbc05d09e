package messages

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/page"
)

// mountQuarantine registers the endpoints for messages of new senders that wait.
func (a *API) mountQuarantine(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/quarantined_messages", ID: "listQuarantinedMessages", Needs: read,
		Summary: "List the messages in quarantine",
		Text: "Returns messages of new senders that wait for a user. Newest first. If more new senders than `settings.inbound.new_senders_per_hour` of the dealership write in an hour, " +
			"the messages of the others go to the quarantine and create no lead. Opt-outs always take effect.",
		Assist: assist.Read,
	}, a.listQuarantined)
	rest.PostOK(r, rest.Route{
		Path: "/quarantined_messages/{message_id}/release", ID: "releaseQuarantinedMessage", Needs: write,
		Summary: "Release a message from quarantine",
		Text:    "Records the message as if it arrived now, with the time that it was received. It creates a contact and a lead, unless the sender has a lead by now.",
		Assist:  assist.Never(assist.Resolves),

		NoIfMatch: true,
	}, a.release)
	rest.Delete(r, rest.Route{
		Path: "/quarantined_messages/{message_id}", ID: "deleteQuarantinedMessage", Needs: write,
		Summary: "Delete a message in quarantine",
		Text:    "Deletes the message permanently.",
		Assist:  assist.Never(assist.Deletes),

		NoIfMatch: true,
	}, a.deleteQuarantined)
}

// byQuarantined is a request for one message in quarantine.
type byQuarantined struct {
	MessageID string `path:"message_id" doc:"ID of the message." example:"qtn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listQuarantined(ctx context.Context, tx *db.Tx, in *page.Query) (page.Page[QuarantinedMessage], error) {
	return quarantined.List(ctx, tx, *in, &db.Where{})
}

func (a *API) release(ctx context.Context, tx *db.Tx, in *byQuarantined) (InboundMessage, error) {
	m, err := quarantined.FindForUpdate(ctx, tx, in.MessageID)
	if err != nil {
		return InboundMessage{}, err
	}
	if err := quarantined.Delete(ctx, tx, m.ID); err != nil {
		return InboundMessage{}, err
	}

	if err := consent.Lock(ctx, tx, m.AddressHash); err != nil {
		return InboundMessage{}, err
	}
	last, err := lastBodyTo(ctx, tx, m.AddressHash)
	if err != nil {
		return InboundMessage{}, err
	}
	r, err := a.place(ctx, tx, arrival{m.incoming(), classify(m.Channel, m.Body, invites(last)), last, true})
	return r.message(), err
}

func (a *API) deleteQuarantined(ctx context.Context, tx *db.Tx, in *byQuarantined) (rest.None, error) {
	m, err := quarantined.FindForUpdate(ctx, tx, in.MessageID)
	if err != nil {
		return rest.None{}, err
	}
	if err := quarantined.Delete(ctx, tx, m.ID); err != nil {
		return rest.None{}, err
	}
	return rest.None{}, audit.Record(ctx, tx, "quarantined_message.deleted", m.ID, map[string][2]any{"channel": {string(m.Channel), nil}})
}
