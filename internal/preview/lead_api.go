package preview

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func mountLeads(r *rest.Router) {
	read := auth.Require(auth.LeadsRead)
	rest.Get(r, rest.Route{
		Path: "/leads", ID: "listLeadsV2", Needs: read,
		Summary: "List leads, newest first or by last activity",
		Text: "Returns the leads that match all filters. With a session, `owner_id=me` lists the leads of your own user. " +
			"The cursors of `sort=last_activity` are positions and not IDs, and only work with the same `sort`.",
		Assist: assist.Never(assist.Twin),
	}, listLeads)
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}", ID: "getLeadV2", Needs: read,
		Summary: "Retrieve a lead",
		Text:    "Returns the lead with its current score, and what you expand.",
		Assist:  assist.Never(assist.Twin),
	}, getLead)
}

// PreviewLead is a lead in the shape of the preview.
type PreviewLead struct {
	Resource[leads.Lead, leadLinks]
}

type leadLinks struct {
	Contact     *contacts.Contact     `json:"contact,omitempty" doc:"The contact, if you expand it."`
	Hull        *hulls.Hull           `json:"hull,omitempty" doc:"The hull, if you expand it and the lead has one."`
	Owner       *people.DirectoryUser `json:"owner,omitempty" doc:"The owner, if you expand it and there is one."`
	LastMessage *messages.LeadMessage `json:"last_message,omitempty" doc:"The last message to or from the lead, if you expand it and there is one."`
}

// ExpandLead selects the references of a lead to expand.
type ExpandLead struct {
	Expand []string `query:"expand" enum:"contact,hull,owner,last_message" doc:"References to return as objects, separated by commas. You need the scope to read them."`
}

// expandLeads wraps leads and adds what is expanded.
func expandLeads(ctx context.Context, tx *db.Tx, names []string, all []leads.Lead) ([]PreviewLead, error) {
	var ids references
	for _, l := range all {
		ids.leads, ids.contacts = append(ids.leads, l.ID), append(ids.contacts, l.ContactID)
		ids.hulls, ids.users = appendID(ids.hulls, l.HullID), appendID(ids.users, l.OwnerID)
	}
	f, err := find(ctx, tx, names, ids)
	if err != nil {
		return nil, err
	}

	out := []PreviewLead{}
	for _, l := range all {
		links := leadLinks{Contact: linked(f.contacts, l.ContactID), LastMessage: linked(f.messages, l.ID)}
		if l.HullID != nil {
			links.Hull = linked(f.hulls, *l.HullID)
		}
		if l.OwnerID != nil {
			links.Owner = linked(f.users, *l.OwnerID)
		}
		out = append(out, PreviewLead{Resource[leads.Lead, leadLinks]{l, links}})
	}
	return out, nil
}

func listLeads(ctx context.Context, tx *db.Tx, in *struct {
	leads.InboxFilter
	ExpandLead
}) (page.Page[PreviewLead], error) {
	if err := checkExpand(ctx, in.Expand); err != nil {
		return page.Page[PreviewLead]{}, err
	}
	p, err := leads.ListInbox(ctx, tx, in.InboxFilter)
	if err != nil {
		return page.Page[PreviewLead]{}, err
	}
	out := pageOf(p, func(leads.Lead) PreviewLead { return PreviewLead{} })
	out.Data, err = expandLeads(ctx, tx, in.Expand, p.Data)
	return out, err
}

func getLead(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	ExpandLead
}) (PreviewLead, error) {
	if err := checkExpand(ctx, in.Expand); err != nil {
		return PreviewLead{}, err
	}
	l, err := leads.Find(ctx, tx, in.LeadID)
	if err != nil {
		return PreviewLead{}, err
	}
	out, err := expandLeads(ctx, tx, in.Expand, []leads.Lead{l})
	if err != nil {
		return PreviewLead{}, err
	}
	return out[0], nil
}
