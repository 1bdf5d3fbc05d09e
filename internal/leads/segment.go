package leads

import (
	"slices"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/fault"
)

// SegmentFilter selects leads, for messages to many people.
type SegmentFilter struct {
	_ struct{} `doc:"Which leads belong to a segment. A lead must meet all conditions that are set." privacy:"plain"`

	Statuses         []Status          `json:"statuses" required:"false" nullable:"false" maxItems:"10" uniqueItems:"true" doc:"Leads in one of these statuses. Defaults to the open ones: new, contacted, qualified and working."`
	Sources          []Source          `json:"sources" required:"false" nullable:"false" maxItems:"20" uniqueItems:"true" doc:"Leads from one of these sources."`
	BoatClasses      []hulls.BoatClass `json:"boat_classes" required:"false" nullable:"false" maxItems:"50" uniqueItems:"true" doc:"Leads about a boat of one of these classes."`
	LocationIDs      []string          `json:"location_ids" required:"false" nullable:"false" maxItems:"50" uniqueItems:"true" doc:"Leads that one of these locations works."`
	BudgetMinUSD     *int64            `json:"budget_min_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Leads who can spend at least this much, in whole US dollars. Leads without a budget are left out." example:"80000"`
	BudgetMaxUSD     *int64            `json:"budget_max_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Leads who can be satisfied with this much, in whole US dollars. Leads without a budget are left out." example:"130000"`
	NoContactForDays *int64            `json:"no_contact_for_days" required:"false" minimum:"1" maximum:"3650" doc:"Leads that no one has worked on, and who have not written, for at least this many days." example:"30"`
	ContactInDays    *int64            `json:"contact_in_days" required:"false" minimum:"1" maximum:"3650" doc:"Leads that someone has worked on, or who have written, in this many days." example:"365"`
}

// Normalized returns the filter with empty lists for those that are not set.
func (f SegmentFilter) Normalized() SegmentFilter {
	f.Statuses, f.Sources = append([]Status{}, f.Statuses...), append([]Source{}, f.Sources...)
	f.BoatClasses, f.LocationIDs = append([]hulls.BoatClass{}, f.BoatClasses...), append([]string{}, f.LocationIDs...)
	return f
}

// Check validates what the schema can't express.
func (f SegmentFilter) Check(bad *fault.Fields) {
	if f.BudgetMinUSD != nil && f.BudgetMaxUSD != nil && *f.BudgetMinUSD > *f.BudgetMaxUSD {
		bad.Add("filter.budget_min_usd", "maximum", "must be at most budget_max_usd")
	}
	if f.NoContactForDays != nil && f.ContactInDays != nil && *f.NoContactForDays >= *f.ContactInDays {
		bad.Add("filter.contact_in_days", "minimum", "must be more than no_contact_for_days")
	}
}

// statuses returns the statuses of the leads.
func (f SegmentFilter) statuses() []Status {
	if len(f.Statuses) > 0 {
		return f.Statuses
	}
	return open
}

// idleSince returns the latest and the earliest last contact, or zero times.
func (f SegmentFilter) idleSince(now time.Time) (latest, earliest time.Time) {
	if f.NoContactForDays != nil {
		latest = now.AddDate(0, 0, -int(*f.NoContactForDays))
	}
	if f.ContactInDays != nil {
		earliest = now.AddDate(0, 0, -int(*f.ContactInDays))
	}
	return latest, earliest
}

// isAbout reports whether the boat of a lead has one of the classes.
func (f SegmentFilter) isAbout(l Lead, boats map[string]hulls.Hull) bool {
	if len(f.BoatClasses) == 0 {
		return true
	}
	if l.HullID == nil {
		return false
	}
	class := boats[*l.HullID].BoatClass
	return class != nil && slices.Contains(f.BoatClasses, *class)
}
