package messages

import (
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/lazy"
)

const (
	weekdays = `(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:day)`
	dates    = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?\s+\d{1,2}(?:st|nd|rd|th)?\b|\d{1,2}/\d{1,2}\b`
)

var (
	dayPattern  = lazy.Regexp(`\b(?:((?i:today|tomorrow)|` + weekdays + `)(?:,?\s+(` + dates + `))?|(` + dates + `))`)
	timePattern = lazy.Regexp(`^,?\s+(?:(?i:at|@)\s*)?(\d{1,2})(?::(\d\d))?(?:\s*(?i:(a|p)\.?m\b))?`)
	datePattern = lazy.Regexp(`^(?:(\d{1,2})/|([A-Z][a-z]{2})[a-z]*\.?\s+)(\d{1,2})`)
)

// times compares a day with a time, such as Saturday at 10, with the appointments. A time
// without am or pm is either. It never says that a time differs: a message can suggest one.
func (f facts) times(text string) (all []fact) {
	for _, day := range dayPattern().FindAllStringSubmatchIndex(text, -1) {
		rest := text[day[1]:]
		clock := timePattern().FindStringSubmatchIndex(rest)
		if clock == nil {
			continue
		}
		hour, _ := strconv.Atoi(group(rest, clock, 1))
		minute, _ := strconv.Atoi(group(rest, clock, 2))
		half := strings.ToLower(group(rest, clock, 3))
		named := strings.ContainsAny(rest[:clock[2]], "@") || strings.Contains(strings.ToLower(rest[:clock[2]]), "at")
		if !named && clock[4] < 0 && half == "" || hour > 23 || minute > 59 {
			continue // a number that isn't a time
		}
		word, date := group(text, day, 1), group(text, day, 2)+group(text, day, 3)
		all = append(all, f.planAt([]int{day[0], day[1] + clock[1]}, said{word, date, half, hour, minute}))
	}
	return all
}

// said is a time in words.
type said struct {
	day, date    string // such as Saturday, and Nov 21
	half         string // a, p or ""
	hour, minute int
}

// planAt compares a time with the appointments.
func (f facts) planAt(span []int, s said) fact {
	var near *Planned
	for i, p := range f.planned {
		if !s.isOn(p.StartsAt, f.now.In(p.StartsAt.Location())) {
			continue
		}
		if s.isAt(p.StartsAt) {
			one := at(span, effect.Matches, effect.Begin(p.What)+", "+p.StartsAt.Format("Mon, Jan 2, 3:04 PM"))
			one.planned = &f.planned[i]
			return one
		}
		near = &f.planned[i]
	}
	if near == nil {
		return at(span, effect.Unknown, "Not in the calendar")
	}
	one := at(span, effect.Unknown, effect.Begin(near.What)+" is at "+near.StartsAt.Format("3:04 PM"))
	one.planned = near
	return one
}

func (s said) isAt(t time.Time) bool {
	hour := s.hour
	switch {
	case s.half == "p" && hour < 12:
		hour += 12
	case s.half == "a" && hour == 12:
		hour = 0
	}
	if t.Minute() != s.minute {
		return false
	}
	return t.Hour() == hour || s.half == "" && hour < 12 && t.Hour() == hour+12
}

// isOn reports whether a time can be on the day. A weekday is one of a week before or after.
func (s said) isOn(t, now time.Time) bool {
	if s.date != "" {
		m := datePattern().FindStringSubmatch(s.date)
		month := m[1]
		if m[2] != "" {
			month = strconv.Itoa(int(monthOf(m[2])))
		}
		return month == strconv.Itoa(int(t.Month())) && strings.TrimLeft(m[3], "0") == strconv.Itoa(t.Day())
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	days := int(day.Sub(today).Hours() / 24)
	switch strings.ToLower(s.day) {
	case "today":
		return days == 0
	case "tomorrow":
		return days == 1
	}
	return strings.EqualFold(s.day, t.Weekday().String()) && -7 <= days && days <= 7
}

// monthOf returns the month that starts with three letters.
func monthOf(short string) time.Month {
	t, _ := time.Parse("Jan", short) // the pattern only matches months
	return t.Month()
}
