package preview

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func mountSearch(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/search", ID: "search", Needs: auth.Either(auth.HullsRead, auth.LeadsRead, auth.DealsRead),
		Summary: "Search for anything",
		Text: "Returns up to five objects of each type that you can read. Hulls are found by make, model, title, stock number and HIN, " +
			"contacts and leads by name, company, email and phone of the contact, deals by their number, the buyer and the hull, and documents by their number. " +
			"To find deals by their buyer, you need `leads:read`, and by their hull, `hulls:read`.",
		Assist:     assist.Read,
		ForConsole: true,
	}, search)
}

// hits is how many objects of each type a search returns.
const hits = 5

// SearchQuery is what to search for.
type SearchQuery struct {
	Q string `query:"q" maxLength:"200" doc:"Words, or the start of words. All must match. Without any, nothing is found." example:"freedom"`
}

// SearchResult is what a search found.
type SearchResult struct {
	_ struct{} `doc:"What a search found, by type of object."`

	Hulls     []SearchHit `json:"hulls" nullable:"false" doc:"Hulls that match, newest first. Archived hulls are left out."`
	Contacts  []SearchHit `json:"contacts" nullable:"false" doc:"Contacts that match, newest first."`
	Leads     []SearchHit `json:"leads" nullable:"false" doc:"Leads that match, the latest activity first."`
	Deals     []SearchHit `json:"deals" nullable:"false" doc:"Deals that match: by number, then by hull, then by buyer."`
	Documents []SearchHit `json:"documents" nullable:"false" doc:"The document with this number."`
}

// SearchHit is an object that a search found.
type SearchHit struct {
	_ struct{} `doc:"An object that a search found."`

	ID     string  `json:"id" doc:"ID of the object." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Title  string  `json:"title" doc:"Name of the object, for people." example:"2024 Grady-White Freedom 235"`
	Detail *string `json:"detail" doc:"What tells it from others: a stock number, an email address or phone number, or a boat. Null if there is nothing." example:"GW-1003"`
	Status *string `json:"status" doc:"Status of the object. Null for a contact." example:"available"`
	DealID *string `json:"deal_id" doc:"Deal of a document. Null for other objects."`
}

func search(ctx context.Context, tx *db.Tx, in *SearchQuery) (SearchResult, error) {
	r := SearchResult{Hulls: []SearchHit{}, Contacts: []SearchHit{}, Leads: []SearchHit{}, Deals: []SearchHit{}, Documents: []SearchHit{}}
	if strings.TrimSpace(in.Q) == "" {
		return r, nil
	}
	caller, first := auth.From(ctx), page.Query{Limit: hits}

	var boats []hulls.Hull
	if caller.Can(auth.HullsRead) {
		p, err := hulls.List(ctx, tx, hulls.HullFilter{Query: first, Q: in.Q, LocationID: ownLocations(ctx)})
		if err != nil {
			return r, err
		}
		boats = p.Data
		for _, h := range boats {
			r.Hulls = append(r.Hulls, SearchHit{ID: h.ID, Title: boat(h), Detail: h.StockNumber, Status: new(string(h.Status))})
		}
	}
	if caller.Can(auth.LeadsRead) {
		p, err := contacts.List(ctx, tx, contacts.ContactFilter{Query: first, Q: in.Q})
		if err != nil {
			return r, err
		}
		for _, c := range p.Data {
			r.Contacts = append(r.Contacts, SearchHit{ID: c.ID, Title: c.Name(), Detail: cmp.Or(c.Email, c.Phone)})
		}
		if r.Leads, err = searchLeads(ctx, tx, in.Q, first); err != nil {
			return r, err
		}
	}
	if !caller.Can(auth.DealsRead) {
		return r, nil
	}

	var err error
	if r.Deals, err = searchDeals(ctx, tx, in.Q, boats); err != nil {
		return r, err
	}
	r.Documents, err = searchDocuments(ctx, tx, in.Q)
	return r, err
}

func searchLeads(ctx context.Context, tx *db.Tx, q string, first page.Query) ([]SearchHit, error) {
	p, err := leads.ListInbox(ctx, tx, leads.InboxFilter{LeadFilter: leads.LeadFilter{Query: first, LocationID: ownLocations(ctx)}, Q: q, Sort: "last_activity"})
	if err != nil {
		return nil, err
	}
	var ids references
	for _, l := range p.Data {
		ids.contacts, ids.hulls = append(ids.contacts, l.ContactID), appendID(ids.hulls, l.HullID)
	}
	f, err := find(ctx, tx, readable(ctx, "contact", "hull"), ids)
	if err != nil {
		return nil, err
	}

	found := []SearchHit{}
	for _, l := range p.Data {
		hit := SearchHit{ID: l.ID, Title: f.contacts[l.ContactID].Name(), Detail: l.Interest, Status: new(string(l.Status))}
		if l.HullID != nil {
			hit.Detail = cmp.Or(boatNamed(f, *l.HullID), hit.Detail)
		}
		found = append(found, hit)
	}
	return found, nil
}

// searchDeals also finds deals about archived hulls, if the caller can read hulls.
func searchDeals(ctx context.Context, tx *db.Tx, q string, boats []hulls.Hull) ([]SearchHit, error) {
	if auth.From(ctx).Can(auth.HullsRead) {
		archived, err := hulls.List(ctx, tx, hulls.HullFilter{Query: page.Query{Limit: hits}, Q: q, Status: hulls.Archived, LocationID: ownLocations(ctx)})
		if err != nil {
			return nil, err
		}
		boats = append(boats, archived.Data...)
	}
	var boatIDs []string
	for _, h := range boats {
		boatIDs = append(boatIDs, h.ID)
	}
	all, err := deals.Search(ctx, tx, q, boatIDs, hits)
	if err != nil {
		return nil, err
	}
	var ids references
	for _, d := range all {
		ids.contacts, ids.hulls = append(ids.contacts, d.BuyerID), append(ids.hulls, d.HullID)
	}
	f, err := find(ctx, tx, readable(ctx, "buyer", "hull"), ids)
	if err != nil {
		return nil, err
	}

	found := []SearchHit{}
	for _, d := range all {
		title := fmt.Sprintf("Deal %d", d.Number)
		if buyer := linked(f.contacts, d.BuyerID); buyer != nil && buyer.Name() != "" {
			title += ": " + buyer.Name()
		}
		found = append(found, SearchHit{ID: d.ID, Title: title, Detail: boatNamed(f, d.HullID), Status: new(string(d.Status))})
	}
	return found, nil
}

func searchDocuments(ctx context.Context, tx *db.Tx, q string) ([]SearchHit, error) {
	found := []SearchHit{}
	number, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(q), "#"), 10, 64)
	if err != nil {
		return found, nil //nolint:nilerr // documents are only found by number
	}
	all, err := documents.FindByNumber(ctx, tx, number)
	for _, d := range all {
		if access.CheckObjects(ctx, tx, []string{d.DealID}) != nil {
			continue
		}
		found = append(found, SearchHit{
			ID: d.ID, Title: d.Title, Detail: new(strconv.FormatInt(d.Number, 10)), Status: new(string(d.Status)), DealID: &d.DealID,
		})
	}
	return found, err
}

// ownLocations returns the locations that the caller is limited to, separated by commas, or "".
func ownLocations(ctx context.Context) string { return strings.Join(auth.From(ctx).Locations, ",") }

// readable returns the references that the caller can read.
func readable(ctx context.Context, names ...string) (some []string) {
	for _, name := range names {
		if checkExpand(ctx, []string{name}) == nil {
			some = append(some, name)
		}
	}
	return some
}

// boat returns what people call a hull.
func boat(h hulls.Hull) string { return fmt.Sprintf("%d %s %s", h.Year, h.Make, h.Model) }

// boatNamed returns what people call a hull, or nil if it was not found.
func boatNamed(f found, id string) *string {
	h := linked(f.hulls, id)
	if h == nil {
		return nil
	}
	return new(boat(*h))
}
