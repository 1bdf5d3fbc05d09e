package storefront

import (
	"context"
	_ "embed"
	"net/http"
	"net/url"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

//go:embed pages/thanks.html
var thanksBody string

//go:embed pages/general.html
var generalBody string

var (
	thanksPage  = front.NewPage(thanksBody, parts)
	generalPage = front.NewPage(generalBody, parts, askParts)
)

// errFlood is the answer to a network that sends too many forms.
var errFlood = fault.New(fault.KindRateLimited, "That was a lot at once. Wait a minute and try again.")

// askPlace is what the stamp of the form is bound to.
func (v visit) askPlace(h *hulls.Hull) string {
	if h == nil {
		return "ask/" + v.ChannelID
	}
	return "ask/" + v.ChannelID + "/" + h.ID
}

// newAsk returns the form about a boat, or about none. It is nil for a sold boat.
func (a *API) newAsk(ctx context.Context, v visit, h *hulls.Hull) (*askForm, error) {
	f := &askForm{
		Action: v.home() + "ask", Heading: front.Say("ask.any"), Want: wantAnswer, Privacy: null.Text(v.PrivacyURL),
		TextConsent: front.Say("legal.consent.sms", v.name()), EmailConsent: front.Say("legal.consent.email", v.name()), Basis: front.Say("legal.basis.any"),
		Stamp: a.bots().Stamp(v.askPlace(h)), page: v.origin + v.home() + "ask",
	}
	if h == nil {
		return f, nil
	}
	if isSold(*h) {
		return nil, nil //nolint:nilnil // a sold boat has no form
	}
	f.Action, f.Heading, f.Choices, f.Basis, f.page = v.page(*h)+"/ask", front.Say("ask"), true, front.Say("legal.basis"), v.origin+v.page(*h)
	f.Town, f.boat, f.zone = v.location(*h).Name, h, zoneNamed(v.zone(*h))
	var err error
	if v.SeaTrials != nil && h.Status != hulls.SalePending && !h.Status.IsComing() {
		f.Minutes = v.SeaTrials.DurationMinutes
		f.Slots, err = v.slots(ctx, *h)
	}
	return f, err
}

// slots returns the free times for a sea trial of a boat.
func (v visit) slots(ctx context.Context, h hulls.Hull) ([]slot, error) {
	busy, err := appointments.Between(ctx, v.tx, appointments.AppointmentFilter{
		StartsAfter: v.tx.Now.Add(-24 * time.Hour), StartsBefore: v.tx.Now.AddDate(0, 0, slotDays+1),
	})
	if err != nil {
		return nil, err
	}
	active, err := activeOf(ctx, v.tx, v.SeaTrials.UserIDs)
	if err != nil {
		return nil, err
	}
	trials := *v.SeaTrials
	trials.UserIDs = active
	return trials.slots(v.tx.Now, zoneNamed(v.zone(h)), h.ID, busy), nil
}

// showAsk shows the form about no boat.
func (a *API) showAsk(ctx context.Context, v visit, _ *http.Request) (reply, error) {
	f, err := a.newAsk(ctx, v, nil)
	return v.general(f, http.StatusOK), err
}

func (v visit) general(f *askForm, status int) reply {
	s := v.shell(front.Say("ask.any"), "ask")
	s.Canonical, s.CacheControl, s.Scripts, s.Body = v.origin+v.home()+"ask", "private, no-cache", []string{"form.js"}, f
	return reply{page: generalPage, shell: s, status: status}
}

// asked is the boat of a form, if it is about one.
func (v visit) asked(ctx context.Context, r *http.Request) (*hulls.Hull, error) {
	ref := r.PathValue("boat")
	if ref == "" {
		return nil, nil //nolint:nilnil // it is about no boat
	}
	h, _, err := v.boat(ctx, ref)
	if err == nil && isSold(h) {
		err = errPage
	}
	return &h, err
}

// sendAsk creates a lead from the form, with its consents and its appointment.
func (a *API) sendAsk(ctx context.Context, v visit, r *http.Request) (reply, error) {
	h, err := v.asked(ctx, r)
	if err != nil {
		return reply{}, err
	}
	f, err := a.newAsk(ctx, v, h)
	if err != nil {
		return reply{}, err
	}
	done, err := a.receive(ctx, v, f, r.PostForm)
	switch {
	case err != nil:
		return reply{}, err
	case !done:
		return a.again(ctx, v, h, f)
	}
	return v.thanks(f), nil
}

// receive checks a form and stores what it asks for. It is done unless the form has to be shown again,
// with its errors.
func (a *API) receive(ctx context.Context, v visit, f *askForm, sent url.Values) (done bool, err error) {
	place, by := v.askPlace(f.boat), auth.RequestFrom(ctx)
	verdict := a.bots().Check(front.Sent{Place: place, Stamp: sent.Get("stamp"), Work: sent.Get("work"), Trap: sent.Get(front.Trap), Address: by.IP})
	f.by = visitor{by.IP, by.UserAgent}
	f.read(sent)
	switch verdict {
	case front.Flood:
		return false, errFlood
	case front.Bot:
		return true, nil
	case front.Stale:
		f.Problem = front.Say("stale")
		return false, nil
	case front.Person:
	}

	f.check()
	if len(f.Errors) > 0 {
		return false, nil
	}
	first, err := once(ctx, v.tx, fingerprint(place, sent))
	if err != nil || !first {
		return true, err
	}
	err = a.create(ctx, v, f)
	if fault.KindOf(err) == fault.KindUnprocessable { // such as an email address that only looks like one
		return false, fault.BadRequest("The form has a value that can't be stored.").WithCause(err)
	}
	return true, err
}

// create stores what the form asks for.
func (a *API) create(ctx context.Context, v visit, f *askForm) error {
	contact, boat, h := f.contact(), "", f.boat
	n := leads.LeadCreate{
		Contact: patch.Null[contacts.ContactCreate]{Set: true, V: &contact}, Source: "web", SourceDetail: new(front.Say("lead.source", v.name())),
		Consents: f.consents(), Metadata: f.metadata(),
	}
	if h != nil {
		boat, n.HullID = h.Name(), &h.ID
	}
	n.Message = new(f.message(boat))
	l, err := leads.Create(ctx, v.tx, n)
	if err != nil || f.chosen == nil {
		return err
	}
	_, err = a.Appointments.Book(ctx, v.tx, appointments.AppointmentCreate{
		Kind: appointments.SeaTrial, LeadID: &l.ID, ContactID: &l.ContactID, HullID: &h.ID, UserID: &f.chosen.user, LocationID: h.LocationID,
		StartsAt: f.chosen.Value, DurationMinutes: &v.SeaTrials.DurationMinutes, Notes: new(front.Say("lead.trial.note")),
	})
	return err
}

// again shows the form with what was sent.
func (a *API) again(ctx context.Context, v visit, h *hulls.Hull, f *askForm) (reply, error) {
	if h == nil {
		return v.general(f, http.StatusUnprocessableEntity), nil
	}
	out, err := a.boat(ctx, v, *h, boatParts{form: f})
	out.status, out.shell.CacheControl, out.shell.NoIndex = http.StatusUnprocessableEntity, "", true
	return out, err
}

// thanks says what happens next, and what was agreed.
func (v visit) thanks(f *askForm) reply {
	view := struct {
		Title, Back, Home string
		Lines             []string
	}{Home: v.home()}
	view.Title, view.Lines = f.thanks(v.name())
	if f.boat != nil {
		view.Back = v.page(*f.boat)
	}
	s := v.shell(front.Say("thanks.title"), "ask")
	s.NoIndex, s.Body = true, view
	return reply{page: thanksPage, shell: s, status: http.StatusOK}
}
