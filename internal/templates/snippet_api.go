package templates

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

func (a *API) mountSnippets(r *rest.Router) {
	p := r.Family(family.Leads).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/snippets", ID: "listSnippets", Needs: read, AllLocations: true,
		Summary: "List message snippets, newest first",
		Assist:  assist.Read,
	}, a.listSnippets)
	rest.PostCreated(p, rest.Route{
		Path: "/snippets", ID: "createSnippet", Needs: write, AllLocations: true,
		Summary: "Create a message snippet",
		Text:    "A short text that people insert while they write to a lead. You can have at most 100.",
		Assist:  assist.Never(assist.Settings),
	}, a.createSnippet)
	rest.Patch(p, rest.Route{
		Path: "/snippets/{snippet_id}", ID: "updateSnippet", Needs: write, AllLocations: true,
		Summary: "Update a message snippet",
		Assist:  assist.Never(assist.Settings),
	}, a.updateSnippet)
	rest.Delete(p, rest.Route{
		Path: "/snippets/{snippet_id}", ID: "deleteSnippet", Needs: write, AllLocations: true,
		Summary: "Delete a message snippet",
		Assist:  assist.Never(assist.Deletes),
	}, a.deleteSnippet)
	rest.Get(p, rest.Route{
		Path: "/leads/{lead_id}/snippets", ID: "getLeadSnippets", Needs: read,
		Summary: "Retrieve the snippets, filled in for a lead",
		Text: "Returns the final texts: with the first name of the contact, and the name, price, picture and page of the boat. The page is the `listing_url` of a website channel that shows the boat. " +
			"A sentence that needs a value that is missing is left out. Nothing is sent: send the text with sendLeadMessage, which checks the consent.",
		Assist: assist.Read,
	}, a.leadSnippets)
}

// BySnippet is the path parameter of a snippet.
type BySnippet struct {
	SnippetID string `path:"snippet_id" example:"snip_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the snippet."`
}

func (a *API) listSnippets(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[MessageSnippet], error) {
	return listSnippets(ctx, tx, in.Query)
}

func (a *API) createSnippet(ctx context.Context, tx *db.Tx, in *struct{ Body MessageSnippetCreate }) (MessageSnippet, error) {
	s := in.Body.snippet()
	if err := s.check(); err != nil {
		return s, err
	}
	err := insertSnippet(ctx, tx, &s)
	return s, err
}

func (a *API) updateSnippet(ctx context.Context, tx *db.Tx, in *struct {
	BySnippet
	Body MessageSnippetPatch
}) (MessageSnippet, error) {
	return rest.Change(ctx, tx, findSnippet, in.SnippetID, func(before MessageSnippet, s *MessageSnippet) error {
		in.Body.apply(s)
		if err := s.check(); err != nil {
			return err
		}
		return saveSnippet(ctx, tx, before, s)
	})
}

func (a *API) deleteSnippet(ctx context.Context, tx *db.Tx, in *BySnippet) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, findSnippet, in.SnippetID, func(s MessageSnippet, _ *MessageSnippet) error {
		return removeSnippet(ctx, tx, s)
	})
	return none, err
}

func (a *API) leadSnippets(ctx context.Context, tx *db.Tx, in *leads.ByLead) (LeadSnippets, error) {
	return snippetsFor(ctx, tx, in.LeadID)
}
