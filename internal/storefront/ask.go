package storefront

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/appointments"
	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/null"
)

// What a visitor can ask for.
const (
	wantAnswer = "ask"
	wantTrial  = "trial"
	wantTrade  = "trade"
)

// askForm is the form, as it is shown and as it is sent.
type askForm struct {
	Action, Heading, Problem, Town, Privacy       string
	Choices                                       bool // about a boat
	Slots                                         []slot
	Minutes                                       int64
	Want, Slot                                    string
	Name, Email, Phone, Message                   string
	TradeYear, TradeMake, TradeModel, TradePayoff string
	ByText, ByEmail                               bool
	TextConsent, EmailConsent, Basis              string // the exact words
	Stamp                                         string
	Errors                                        map[string]string

	page   string      // address of the page about the boat
	host   string      // address of the page of another website that has the form, or ""
	boat   *hulls.Hull // nil if it is about none
	by     visitor
	zone   *time.Location
	chosen *slot // the time of a sea trial, if it was asked for and is free
}

// slot is a time for a sea trial.
type slot struct {
	Value, Time, Day string
	Chosen           bool

	at   time.Time
	user string // who is free
}

const longestMessage = 5000

// read fills in what was sent. Fields of another choice are left out.
func (f *askForm) read(sent url.Values) {
	get := func(name string, most int) string {
		s := strings.TrimSpace(sent.Get(name))
		if utf8.RuneCountInString(s) > most {
			s = string([]rune(s)[:most])
		}
		return s
	}
	f.Want = wantAnswer
	if w := sent.Get("want"); f.Choices && (w == wantTrade || w == wantTrial && len(f.Slots) > 0) {
		f.Want = w
	}
	f.Name, f.Email, f.Phone, f.Message = get("name", 100), get("email", 254), get("phone", 40), get("message", longestMessage)
	f.ByText, f.ByEmail = sent.Get("consent_sms") == "yes", sent.Get("consent_email") == "yes"
	f.TradeYear, f.TradeMake, f.TradeModel, f.TradePayoff = get("trade_year", 4), get("trade_make", 100), get("trade_model", 100), get("trade_payoff", 15)
	f.Slot = get("slot", 40)
	for i := range f.Slots {
		f.Slots[i].Chosen = f.Slots[i].Value == f.Slot
	}
}

// check finds the chosen time, and fills in the errors.
func (f *askForm) check() {
	f.Errors = map[string]string{}
	if f.Name == "" {
		f.Errors["name"] = front.Say("wrong.name")
	}
	if _, ok := contacts.Email(f.Email); !ok {
		f.Errors["email"] = front.Say("wrong.email")
	}
	switch _, ok := contacts.ParseAddress(consent.SMS, f.Phone); {
	case f.Phone != "" && !ok:
		f.Errors["phone"] = front.Say("wrong.phone")
	case f.Phone == "" && f.ByText:
		f.Errors["phone"] = front.Say("wrong.phone.missing")
	}
	if year, err := strconv.Atoi(f.TradeYear); f.Want == wantTrade && f.TradeYear != "" && (err != nil || year < 1900 || year > 2100) {
		f.Errors["trade_year"] = front.Say("wrong.year")
	}
	if f.Want != wantTrial {
		return
	}
	for i := range f.Slots {
		if f.Slots[i].Chosen {
			f.chosen = &f.Slots[i]
			return
		}
	}
	f.Errors["slot"] = front.Say("wrong.slot")
	if at, err := time.Parse(time.RFC3339, f.Slot); err == nil && f.Slot != "" {
		f.Errors["slot"] = front.Say("wrong.slot.taken", front.Clock(at.In(f.zone)))
	}
}

// message is what the lead wrote, in one text. It is never empty: who sends the form asks for an
// answer.
func (f *askForm) message(boat string) string {
	var parts []string
	switch {
	case f.chosen != nil:
		parts = append(parts, front.Say("lead.trial", boat, f.chosen.Day+", "+f.chosen.Time))
	case f.Want == wantTrade:
		parts = append(parts, front.Say("lead.trade", strings.Join(strings.Fields(f.TradeYear+" "+f.TradeMake+" "+f.TradeModel), " "), boat))
		if owed := number(f.TradePayoff, mostDollars); owed > 0 {
			parts = append(parts, front.Say("lead.owed", front.Cents(int64(owed*100))))
		}
	case f.Message == "" && boat != "":
		parts = append(parts, front.Say("lead.ask", boat))
	case f.Message == "":
		parts = append(parts, front.Say("lead.any"))
	}
	if f.Message != "" {
		parts = append(parts, f.Message)
	}
	return strings.Join(parts, "\n\n")
}

// contact returns who sent the form. The last word of a name is the last name.
func (f *askForm) contact() contacts.ContactCreate {
	first, last := f.Name, ""
	if i := strings.LastIndexByte(f.Name, ' '); i > 0 {
		first, last = strings.TrimSpace(f.Name[:i]), f.Name[i+1:]
	}
	return contacts.ContactCreate{FirstName: &first, LastName: null.From(last), Email: &f.Email, Phone: null.From(f.Phone)}
}

// consentVersion names the words of the boxes. Change it together with legal.consent.* in the
// catalog.
const consentVersion = "web-2026-11-19"

// visitor is who sends a form, for the evidence.
type visitor struct{ ip, browser string }

// consents returns the boxes that were checked, with their evidence.
func (f *askForm) consents() (all []consent.ConsentCreate) {
	add := func(channel consent.Channel, box, text string) {
		all = append(all, consent.ConsentCreate{
			Channels: []consent.Channel{channel}, Scope: consent.Marketing, Direction: consent.Granted, Basis: new(consent.ExpressWritten),
			ConsentText: &text, ConsentTextVersion: new(consentVersion), Source: new("web_form"), SourceURL: new(cmp.Or(f.host, f.page)), Method: new("checkbox"),
			IP: null.From(f.by.ip), UserAgent: null.From(f.by.browser),
			Evidence: map[string]any{"form": "website_inquiry", "box": box, "checked_in_advance": false, "required": false, "page": cmp.Or(f.host, f.page), "boat_page": f.page},
		})
	}
	if f.ByText {
		add(consent.SMS, "consent_sms", f.TextConsent)
	}
	if f.ByEmail {
		add(consent.Email, "consent_email", f.EmailConsent)
	}
	return all
}

// metadata is what the lead keeps about the form.
func (f *askForm) metadata() map[string]string {
	all := map[string]string{"page": f.page, "form_basis": f.Basis}
	if f.host != "" && len(f.host) <= 500 {
		all["host_page"] = f.host
	}
	return all
}

// thanks says what happens next, and what was agreed.
func (f *askForm) thanks(dealer string) (title string, lines []string) {
	title, lines = front.Say("thanks.plain"), []string{front.Say("thanks.answer", dealer)}
	if first, _, _ := strings.Cut(f.Name, " "); first != "" {
		title = front.Say("thanks", first)
	}
	if f.chosen != nil {
		lines = append(lines, front.Say("thanks.trial", f.chosen.Day, f.chosen.Time, f.Town))
	}
	switch {
	case f.ByText && f.ByEmail:
		return title, append(lines, front.Say("thanks.both"))
	case f.ByText:
		return title, append(lines, front.Say("thanks.sms"))
	case f.ByEmail:
		return title, append(lines, front.Say("thanks.email"))
	}
	return title, append(lines, front.Say("thanks.none"))
}

// fingerprint is the same if a form is sent again with the same content.
func fingerprint(place string, sent url.Values) string {
	sum := sha256.Sum256([]byte(place + "\n" + withoutWork(sent).Encode()))
	return hex.EncodeToString(sum[:])
}

func withoutWork(sent url.Values) url.Values {
	out := url.Values{}
	for name, values := range sent {
		if name != "work" {
			out[name] = values
		}
	}
	return out
}

const (
	mostSlots  = 6
	slotDays   = 14
	slotNotice = 12 * time.Hour
)

// slots returns the next times at which someone and the boat are free. Busy are the appointments of
// these days.
func (s WebsiteSeaTrials) slots(now time.Time, zone *time.Location, hullID string, busy []appointments.ScheduleEntry) (all []slot) {
	length := time.Duration(s.DurationMinutes) * time.Minute
	day := now.In(zone)
	for d := range slotDays {
		date := day.AddDate(0, 0, d)
		if !s.opensOn(date.Weekday()) {
			continue
		}
		for _, t := range s.Times {
			at, err := time.ParseInLocation("2006-01-02 15:04", date.Format(time.DateOnly)+" "+t, zone)
			if err != nil || at.Format("15:04") != t || at.Before(now.Add(slotNotice)) { // clocks can skip a time
				continue
			}
			if user := s.freeUser(at, at.Add(length), hullID, busy); user != "" {
				all = append(all, slot{Value: at.UTC().Format(time.RFC3339), Time: front.Clock(at), Day: front.Weekday(at), at: at, user: user})
			}
			if len(all) == mostSlots {
				return all
			}
		}
	}
	return all
}

func (s WebsiteSeaTrials) opensOn(day time.Weekday) bool {
	number := int64(day)
	if day == time.Sunday {
		number = 7
	}
	for _, d := range s.Weekdays {
		if d == number {
			return true
		}
	}
	return false
}

// freeUser returns the first user who is free while the boat is, or "".
func (s WebsiteSeaTrials) freeUser(from, to time.Time, hullID string, busy []appointments.ScheduleEntry) string {
	taken := map[string]bool{}
	for _, b := range busy {
		if b.Status != appointments.Scheduled || !b.StartsAt.Before(to) || !b.EndsAt.After(from) {
			continue
		}
		if b.HullID != nil && *b.HullID == hullID {
			return ""
		}
		taken[b.UserID] = true
	}
	for _, id := range s.UserIDs {
		if !taken[id] {
			return id
		}
	}
	return ""
}
