package preview

import (
	"context"
	"strconv"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

func mountNames(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/names", ID: "listNames", Needs: auth.Require(auth.Admin), AllLocations: true,
		Summary: "List the names of objects",
		Text: "Returns what people call these objects: boats, contacts, leads, deals, documents, users, roles, API keys and locations, as far as you can read them. " +
			"Other objects and those that no longer exist are left out. Use it to show the audit log and events.",
		Assist:     assist.Read,
		ForConsole: true,
	}, listNames)
}

// NamesQuery is the query of the names.
type NamesQuery struct {
	IDs string `query:"ids" maxLength:"6000" doc:"IDs of at most 100 objects, separated by commas." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// Names are the names of objects.
type Names struct {
	_ struct{} `doc:"What people call objects."`

	Data []ObjectName `json:"data" nullable:"false" doc:"The names, in the order of the IDs."`
}

// ObjectName is what people call an object.
type ObjectName struct {
	_ struct{} `doc:"What people call an object."`

	ID   string `json:"id" doc:"ID of the object." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name string `json:"name" doc:"Name of the object, for people." example:"2024 Grady-White Freedom 235"`
}

// mostNames is how many names a request returns.
const mostNames = 100

func listNames(ctx context.Context, tx *db.Tx, in *NamesQuery) (Names, error) {
	out := Names{Data: []ObjectName{}}
	byNoun := map[string][]string{}
	ids := strings.Split(in.IDs, ",")
	if len(ids) > mostNames {
		return out, fault.BadRequest("ids has more than %d IDs.", mostNames).Detail("ids", "maximum", "must have at most %d IDs", mostNames)
	}
	for _, id := range ids {
		noun, _, _ := strings.Cut(id, "_")
		byNoun[noun] = append(byNoun[noun], id)
	}
	names, err := namesOf(ctx, tx, byNoun)
	for _, id := range ids {
		if name := names[id]; name != "" {
			out.Data = append(out.Data, ObjectName{ID: id, Name: name})
		}
	}
	return out, err
}

// namesOf returns the names that the caller can read, by ID.
func namesOf(ctx context.Context, tx *db.Tx, ids map[string][]string) (map[string]string, error) {
	names, caller := map[string]string{}, auth.From(ctx)
	if err := nameDeals(ctx, tx, names, ids["deal"]); err != nil {
		return names, err
	}
	if caller.Can(auth.HullsRead) && len(ids["hull"]) > 0 {
		all, err := hulls.FindAll(ctx, tx, ids["hull"])
		if err != nil {
			return names, err
		}
		for id, h := range all {
			names[id] = h.Name()
		}
	}
	if caller.Can(auth.LeadsRead) {
		if err := nameContacts(ctx, tx, names, ids["con"], ids["lead"]); err != nil {
			return names, err
		}
	}
	users, err := people.FindListed(ctx, tx, ids["usr"])
	if err != nil {
		return names, err
	}
	for id, u := range users {
		names[id] = u.Name
	}
	if err := nameOffice(ctx, tx, names, ids); err != nil {
		return names, err
	}
	return names, nameDocuments(ctx, tx, names, ids["doc"])
}

// nameOffice names locations, roles and API keys. There are few of them.
func nameOffice(ctx context.Context, tx *db.Tx, names map[string]string, ids map[string][]string) error {
	kinds := map[string]func(id string) (string, error){
		"loc": func(id string) (string, error) {
			l, err := dealership.FindLocation(ctx, tx, id)
			return l.Name, err
		},
		"role": func(id string) (string, error) {
			r, err := people.FindRole(ctx, tx, id)
			return r.Name, err
		},
		"key": func(id string) (string, error) {
			k, err := access.FindKey(ctx, tx, id)
			return k.Name, err
		},
	}
	for noun, find := range kinds {
		for _, id := range ids[noun] {
			name, err := find(id)
			if err != nil && fault.KindOf(err) != fault.KindNotFound {
				return err
			}
			names[id] = name
		}
	}
	return nil
}

// nameDocuments names documents by their kind and number. Their title can name the buyer.
func nameDocuments(ctx context.Context, tx *db.Tx, names map[string]string, ids []string) error {
	if len(ids) == 0 || !auth.From(ctx).Can(auth.DealsRead) {
		return nil
	}
	all, err := documents.FindAll(ctx, tx, ids)
	for _, d := range all {
		names[d.ID] = strings.ReplaceAll(string(d.Kind), "_", " ") + " " + strconv.FormatInt(d.Number, 10)
	}
	return err
}

// nameContacts names contacts, and leads by their contact.
func nameContacts(ctx context.Context, tx *db.Tx, names map[string]string, ids, leadIDs []string) error {
	of := map[string]string{}
	for _, id := range leadIDs {
		l, err := leads.Find(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			continue
		}
		if err != nil {
			return err
		}
		of[id], ids = l.ContactID, append(ids, l.ContactID)
	}
	if len(ids) == 0 {
		return nil
	}
	all, err := contacts.FindAll(ctx, tx, ids)
	for id, c := range all {
		names[id] = c.Called()
	}
	for lead, contact := range of {
		names[lead] = names[contact]
	}
	return err
}

// nameDeals names deals by their number and boat.
func nameDeals(ctx context.Context, tx *db.Tx, names map[string]string, ids []string) error {
	if len(ids) == 0 || !auth.From(ctx).Can(auth.DealsRead) {
		return nil
	}
	all, err := deals.FindAll(ctx, tx, ids)
	if err != nil {
		return err
	}
	var boats []string
	for _, d := range all {
		boats = append(boats, d.HullID)
	}
	byID := map[string]hulls.Hull{}
	if len(boats) > 0 && auth.From(ctx).Can(auth.HullsRead) {
		if byID, err = hulls.FindAll(ctx, tx, boats); err != nil {
			return err
		}
	}
	for id, d := range all {
		names[id] = "deal " + strconv.FormatInt(d.Number, 10)
		if h, ok := byID[d.HullID]; ok {
			names[id] += ", " + h.Name()
		}
	}
	return nil
}
