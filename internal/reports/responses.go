package reports

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"slipway/internal/leads"
)

// ResponsesReport is how fast the leads of a period got their first response.
type ResponsesReport struct {
	_ struct{} `doc:"How fast the leads of a period got their first response."`

	Covers
	Total     ResponseTimes      `json:"total" doc:"All leads of the report."`
	Sources   []ResponseSource   `json:"sources" nullable:"false" doc:"Response times by source, most leads first."`
	Locations []ResponseLocation `json:"locations" nullable:"false" doc:"Response times by location with its goal, most leads first. Leads without a location are not listed."`
	Owners    []ResponseOwner    `json:"owners" nullable:"false" doc:"Response times by user, most leads first. At most 100. Leads without an owner are not listed."`
	Hours     []ResponseHour     `json:"hours" nullable:"false" doc:"Response times by the hour of the day in which leads were created."`
}

// ResponseTimes are the response times of several leads.
type ResponseTimes struct {
	_ struct{} `doc:"Response times to several leads."`

	Leads         int64  `json:"leads" doc:"Number of leads." example:"40"`
	Answered      int64  `json:"answered" doc:"Leads with a response."`
	Unanswered    int64  `json:"unanswered" doc:"Leads without a response."`
	Overdue       int64  `json:"overdue" doc:"Leads without a response that are open and older than an hour."`
	Awaiting      int64  `json:"awaiting" doc:"Leads that wait for an answer of the dealership now, the first or a later one."`
	WithinMinutes int64  `json:"within_5_minutes" doc:"Leads with a response within 5 minutes."`
	WithinHour    int64  `json:"within_1_hour" doc:"Leads with a response within an hour."`
	WithinDay     int64  `json:"within_1_day" doc:"Leads with a response within 24 hours."`
	MedianSeconds *int64 `json:"median_seconds" doc:"Median of the response times in seconds. Null if no lead has a response." example:"2520"`
	P90Seconds    *int64 `json:"p90_seconds" doc:"Time within which 90% of the answered leads got their response, in seconds. Null if no lead has a response." example:"21600"`
}

// ResponseSource is the response times of a source.
type ResponseSource struct {
	_ struct{} `doc:"Response times to leads of one source."`

	Source leads.Source `json:"source" doc:"How the leads reached the dealership."`
	ResponseTimes
}

// ResponseOwner is the response times of a user.
type ResponseOwner struct {
	_ struct{} `doc:"Response times of one user."`

	OwnerID string `json:"owner_id" doc:"User who works the leads." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ResponseTimes
}

// ResponseLocation is the response times of a location.
type ResponseLocation struct {
	_ struct{} `doc:"Response times to leads of one location, compared with its goal."`

	LocationID  string `json:"location_id" doc:"Location that works the leads." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	GoalMinutes *int64 `json:"goal_minutes" doc:"Within how many minutes the location wants to answer. Null if it has no goal." example:"15"`
	WithinGoal  *int64 `json:"within_goal" doc:"Leads with a response within the goal. Null if there is no goal." example:"31"`
	ResponseTimes
}

// ResponseHour is the response times of an hour of the day.
type ResponseHour struct {
	_ struct{} `doc:"Response times to leads of one hour of the day."`

	Hour int64 `json:"hour" doc:"Hour of the day, from 0 to 23." example:"14"`
	ResponseTimes
}

// maxOwners is how many users the report lists.
const maxOwners = 100

// answeredLead is a lead with its first response.
type answeredLead struct {
	ID         string    `db:"id"`
	Source     string    `db:"source"`
	OwnerID    *string   `db:"owner_id"`
	LocationID *string   `db:"location_id"`
	Status     string    `db:"status"`
	CreatedAt  time.Time `db:"created_at"`

	Turn         leads.Turn `db:"turn"`
	SnoozedUntil *time.Time `db:"snoozed_until"`

	answeredAt time.Time // zero if there is none
}

// answer is the first message, call or visit of a lead.
type answer struct {
	ID string    `db:"id"`
	At time.Time `db:"at"`
}

// seconds returns the response time. A call before the lead was recorded counts as
// immediate.
func (l answeredLead) seconds() (int64, bool) {
	if l.answeredAt.IsZero() {
		return 0, false
	}
	return max(0, int64(l.answeredAt.Sub(l.CreatedAt)/time.Second)), true
}

// timing collects the response times of several leads.
type timing struct {
	ResponseTimes
	seconds []int64
}

func (t *timing) add(l answeredLead, now time.Time) {
	t.Leads++
	if l.Turn == leads.Us && (l.SnoozedUntil == nil || !l.SnoozedUntil.After(now)) {
		t.Awaiting++
	}
	s, ok := l.seconds()
	if !ok {
		t.Unanswered++
		if l.Status != "converted" && l.Status != "lost" && now.Sub(l.CreatedAt) > time.Hour {
			t.Overdue++
		}
		return
	}
	t.Answered++
	t.seconds = append(t.seconds, s)
	if s <= 5*60 {
		t.WithinMinutes++
	}
	if s <= 60*60 {
		t.WithinHour++
	}
	if s <= 24*60*60 {
		t.WithinDay++
	}
}

func (t *timing) times() ResponseTimes {
	t.MedianSeconds, t.P90Seconds = rank(t.seconds, 50), rank(t.seconds, 90)
	return t.ResponseTimes
}

// within counts the leads with a response within this many seconds.
func (t *timing) within(seconds int64) (n int64) {
	for _, s := range t.seconds {
		if s <= seconds {
			n++
		}
	}
	return n
}

// responses builds the report.
func responses(p period, all []answeredLead, answers []answer, goals map[string]int64) ResponsesReport {
	first := make(map[string]time.Time, len(answers))
	for _, a := range answers {
		if at, ok := first[a.ID]; !ok || a.At.Before(at) {
			first[a.ID] = a.At
		}
	}
	var total timing
	sources, owners, places := map[string]*timing{}, map[string]*timing{}, map[string]*timing{}
	var hours [24]timing
	at := func(m map[string]*timing, key string) *timing {
		if m[key] == nil {
			m[key] = &timing{}
		}
		return m[key]
	}
	for _, l := range all {
		l.answeredAt = first[l.ID]
		total.add(l, p.now)
		at(sources, l.Source).add(l, p.now)
		if l.OwnerID != nil {
			at(owners, *l.OwnerID).add(l, p.now)
		}
		if l.LocationID != nil {
			at(places, *l.LocationID).add(l, p.now)
		}
		hours[l.CreatedAt.In(p.zone).Hour()].add(l, p.now)
	}

	r := ResponsesReport{Covers: p.Covers, Total: total.times(), Sources: []ResponseSource{}, Owners: []ResponseOwner{}, Locations: []ResponseLocation{}}
	for _, s := range mostFirst(sources) {
		r.Sources = append(r.Sources, ResponseSource{Source: leads.Source(s), ResponseTimes: sources[s].times()})
	}
	for _, o := range mostFirst(owners)[:min(maxOwners, len(owners))] {
		r.Owners = append(r.Owners, ResponseOwner{OwnerID: o, ResponseTimes: owners[o].times()})
	}
	for _, id := range mostFirst(places) {
		one := ResponseLocation{LocationID: id}
		if goal, ok := goals[id]; ok {
			one.GoalMinutes, one.WithinGoal = &goal, new(places[id].within(goal*60))
		}
		one.ResponseTimes = places[id].times()
		r.Locations = append(r.Locations, one)
	}
	for h := range hours {
		r.Hours = append(r.Hours, ResponseHour{Hour: int64(h), ResponseTimes: hours[h].times()})
	}
	return r
}

// mostFirst returns the keys with the most leads first.
func mostFirst(m map[string]*timing) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b].Leads, m[a].Leads), cmp.Compare(a, b))
	})
}

func (r ResponsesReport) sheets() []sheet {
	columns := []string{"leads", "answered", "unanswered", "overdue", "awaiting", "within_5_minutes", "within_1_hour", "within_1_day", "median_seconds",
		"p90_seconds"}
	cells := func(t ResponseTimes) []string {
		return []string{number(t.Leads), number(t.Answered), number(t.Unanswered), number(t.Overdue), number(t.Awaiting), number(t.WithinMinutes),
			number(t.WithinHour), number(t.WithinDay), optionalNumber(t.MedianSeconds), optionalNumber(t.P90Seconds)}
	}
	sources := sheet{name: "sources", columns: append([]string{"source"}, columns...)}
	for _, s := range r.Sources {
		sources.add(append([]string{string(s.Source)}, cells(s.ResponseTimes)...)...)
	}
	owners := sheet{name: "owners", columns: append([]string{"owner_id"}, columns...)}
	for _, o := range r.Owners {
		owners.add(append([]string{o.OwnerID}, cells(o.ResponseTimes)...)...)
	}
	hours := sheet{name: "hours", columns: append([]string{"hour"}, columns...)}
	for _, h := range r.Hours {
		hours.add(append([]string{number(h.Hour)}, cells(h.ResponseTimes)...)...)
	}
	return []sheet{sources, owners, hours}
}
