package templates

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the templates.
type API struct{ DB *db.DB }

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Campaigns).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/message_templates", ID: "listMessageTemplates", Needs: read, AllLocations: true,
		Summary: "List message templates, newest first",
		Text:    "Campaigns and follow-up plans copy the text of a template.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/message_templates", ID: "createMessageTemplate", Needs: write, AllLocations: true,
		Summary: "Create a message template",
		Text:    "The places {first_name}, {last_name}, {boat}, {seller} and {dealership} become the values of each recipient. `{first_name|there}` has other words for people without a first name.",
		Assist:  assist.Never(assist.Settings),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/message_templates/{template_id}", ID: "getMessageTemplate", Needs: read, AllLocations: true,
		Summary: "Retrieve a message template",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(p, rest.Route{
		Path: "/message_templates/{template_id}", ID: "updateMessageTemplate", Needs: write, AllLocations: true,
		Summary: "Update a message template",
		Text:    "Campaigns and plans keep the text that they copied.",
		Assist:  assist.Never(assist.Settings),
	}, a.update)
	rest.Delete(p, rest.Route{
		Path: "/message_templates/{template_id}", ID: "deleteMessageTemplate", Needs: write, AllLocations: true,
		Summary: "Delete a message template",
		Text:    "Campaigns and plans keep the text that they copied.",
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
	a.mountSnippets(r)
}

// ByTemplate is the path parameter of a template.
type ByTemplate struct {
	TemplateID string `path:"template_id" example:"tpl_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the template."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[MessageTemplate], error) {
	return list(ctx, tx, in.Query)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body MessageTemplateCreate }) (MessageTemplate, error) {
	t := in.Body.template()
	if err := t.check(); err != nil {
		return t, err
	}
	err := insert(ctx, tx, &t)
	return t, err
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByTemplate) (MessageTemplate, error) {
	return Find(ctx, tx, in.TemplateID)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByTemplate
	Body MessageTemplatePatch
}) (MessageTemplate, error) {
	return rest.Change(ctx, tx, Find, in.TemplateID, func(before MessageTemplate, t *MessageTemplate) error {
		if err := in.Body.apply(t); err != nil {
			return err
		}
		return save(ctx, tx, before, t)
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByTemplate) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, Find, in.TemplateID, func(t MessageTemplate, _ *MessageTemplate) error {
		return remove(ctx, tx, t)
	})
	return none, err
}
