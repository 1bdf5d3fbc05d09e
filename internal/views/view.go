// Package views stores the views of lists that people save: filters, sort and columns under a name.
package views

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// SavedView is a view of a list under a name.
type SavedView struct {
	_ struct{} `doc:"Filters, sort and columns of a list, saved under a name." privacy:"plain" columns:"id name screen shared owner_id / query created_at version"`

	Env       auth.Env  `json:"-" db:"env"`
	ID        string    `json:"id" db:"id" doc:"Identifies the view. Starts with view_." example:"view_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OwnerID   string    `json:"owner_id" db:"owner_id" doc:"User, key or app that saved the view." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Screen    Screen    `json:"screen" db:"screen" doc:"List that the view is of."`
	Name      string    `json:"name" db:"name" doc:"Name of the view." example:"Over 90 days"`
	Query     string    `json:"query" db:"query" doc:"Filters and sort, as in the URL of the list in the console." example:"status=available&sort=-age"`
	Columns   []string  `json:"columns" db:"columns,json" nullable:"false" doc:"Columns of the list, in order. Empty for all."`
	Shared    bool      `json:"shared" db:"shared" doc:"Whether everyone at the dealership sees the view, and not only its owner."`
	CanChange bool      `json:"can_change" doc:"Whether you can change the view: you saved it, or it is shared and you are a manager." audit:"-"`
	Version   int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was saved."`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (v SavedView) Revision() int64 { return v.Version }

// Screen is a list that has views.
type Screen string

// The values.
const (
	boats        Screen = "boats"
	contactsList Screen = "contacts"
	leadsList    Screen = "leads"
	dealsList    Screen = "deals"
)

var screens = enum.Of("ViewScreen", "A list of the console that has views.", boats, contactsList, leadsList, dealsList)

func (Screen) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return screens.Describe(s)
}

// needs is the scope to see each list, and so its views.
var needs = map[Screen]auth.Scope{boats: auth.HullsRead, contactsList: auth.LeadsRead, leadsList: auth.LeadsRead, dealsList: auth.DealsRead}

// readable returns the lists that a caller can see.
func readable(p auth.Principal) []string {
	var all []string
	for screen, scope := range needs {
		if p.Can(scope) {
			all = append(all, string(screen))
		}
	}
	slices.Sort(all)
	return all
}

// SavedViewCreate is the body to save a view.
type SavedViewCreate struct {
	_ struct{} `doc:"A new view."`

	Screen  Screen   `json:"screen" doc:"List that the view is of."`
	Name    string   `json:"name" minLength:"1" maxLength:"60" doc:"Name of the view." example:"Over 90 days"`
	Query   string   `json:"query" maxLength:"1000" doc:"Filters and sort, as in the URL of the list in the console." example:"status=available&sort=-age"`
	Columns []string `json:"columns" required:"false" maxItems:"20" nullable:"false" doc:"Columns of the list, in order. Omit it for all."`
	Shared  bool     `json:"shared" required:"false" doc:"Whether everyone at the dealership sees the view. Defaults to false."`
}

// SavedViewPatch is the body to change a view.
type SavedViewPatch struct {
	_ struct{} `doc:"Changes to a view. Omitted fields keep their values."`

	Name    patch.Value[string]   `json:"name,omitzero" minLength:"1" maxLength:"60" doc:"Name of the view."`
	Query   patch.Value[string]   `json:"query,omitzero" maxLength:"1000" doc:"Filters and sort."`
	Columns patch.Value[[]string] `json:"columns,omitzero" maxItems:"20" nullable:"false" doc:"Columns of the list, in order."`
	Shared  patch.Value[bool]     `json:"shared,omitzero" doc:"Whether everyone at the dealership sees the view."`
}

func (n SavedViewCreate) view(owner string) SavedView {
	columns := n.Columns
	if columns == nil {
		columns = []string{}
	}
	return SavedView{OwnerID: owner, Screen: n.Screen, Name: n.Name, Query: n.Query, Columns: columns, Shared: n.Shared}
}

func (p SavedViewPatch) apply(v *SavedView) {
	p.Name.To(&v.Name)
	p.Query.To(&v.Query)
	p.Columns.To(&v.Columns)
	p.Shared.To(&v.Shared)
}

const longestColumn = 40

func (v SavedView) check() error {
	var bad fault.Fields
	if strings.TrimSpace(v.Name) == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	query, err := url.ParseQuery(v.Query)
	switch {
	case err != nil:
		bad.Add("query", "format", "must be a query such as status=available&sort=-age")
	case query.Has("q") && v.Screen != boats: // erasing a person would have to find the view
		bad.Add("query", "format", "must not have q, which can be the name of a person")
	}
	if slices.ContainsFunc(v.Columns, func(c string) bool { return c == "" || len(c) > longestColumn }) {
		bad.Add("columns", "too_long", "must have names of 1 to %d characters", longestColumn)
	}
	return bad.Err()
}

// seenBy reports whether a caller can see the view.
func (v SavedView) seenBy(p auth.Principal) bool {
	return (v.Shared || v.OwnerID == p.Actor.ID) && p.Can(needs[v.Screen])
}

// changedBy reports whether a caller can change the view.
func (v SavedView) changedBy(p auth.Principal) bool {
	return v.OwnerID == p.Actor.ID || v.Shared && (p.Manager || p.Can(auth.Admin))
}
