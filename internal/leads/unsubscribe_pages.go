package leads

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// unsubscribePath is where the links in marketing email lead.
const unsubscribePath = "/unsubscribe/"

var (
	unsubscribePage = pages.NewPage(`
<h1>Unsubscribe</h1>
<p>Shall {{.Dealership}} send you no more marketing email?</p>
<form method="post"><button>Unsubscribe</button></form>`)
	unsubscribedPage = pages.NewPage(`<h1>You are unsubscribed</h1><p>{{.Dealership}} will send you no more marketing email.</p>`)
	brokenPage       = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)
)

// markSize is how much of the mark is in a link: enough that nobody guesses it.
const markSize = 16

// unsubscribeLink ends marketing to the recipient of a message. It is signed
// and needs no sign-in: who has the email may decide about it.
func (a *API) unsubscribeLink(tx *db.Tx, m LeadMessage) string {
	head := binary.AppendUvarint(nil, uint64(m.Env))
	head = append(head, strings.TrimPrefix(m.ID, "msg_")...)
	return strings.TrimSuffix(a.BaseURL, "/") + unsubscribePath + base64.RawURLEncoding.EncodeToString(append(head, mark(tx, head)...))
}

func mark(tx *db.Tx, head []byte) []byte {
	return tx.MAC(append([]byte("unsubscribe/"), head...))[:markSize]
}

// openLink returns the message whose link this is.
func openLink(ctx context.Context, tx *db.Tx, token string) (LeadMessage, error) {
	bad := fault.NotFound("link", "")
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= markSize {
		return LeadMessage{}, bad
	}
	head, given := raw[:len(raw)-markSize], raw[len(raw)-markSize:]
	if !hmac.Equal(given, mark(tx, head)) {
		return LeadMessage{}, bad
	}
	env, n := binary.Uvarint(head)
	if n <= 0 {
		return LeadMessage{}, bad
	}
	return findMessage(ctx, tx.In(auth.Env(env)), "msg_"+string(head[n:]))
}

// Pages serves what people see at {base_url}/unsubscribe/.
func (a *API) Pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+unsubscribePath+"{token}", a.askToUnsubscribe)
	mux.HandleFunc("POST "+unsubscribePath+"{token}", a.unsubscribe)
	return pages.Guarded(mux)
}

type unsubscription struct{ Dealership string }

// askToUnsubscribe changes nothing: programs that look for viruses follow the
// links of an email, too.
func (a *API) askToUnsubscribe(w http.ResponseWriter, r *http.Request) {
	u, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (u unsubscription, err error) {
		m, err := openLink(ctx, tx, r.PathValue("token"))
		if err != nil {
			return u, err
		}
		d, err := dealership.Find(ctx, tx.In(m.Env))
		return unsubscription{d.Name}, err
	})
	if err != nil {
		a.explain(w, r, err)
		return
	}
	unsubscribePage.Render(w, http.StatusOK, "Unsubscribe", u)
}

// unsubscribe is both the page's button and the one click of a mail reader
// (RFC 8058), whose server sends the form without asking anybody.
func (a *API) unsubscribe(w http.ResponseWriter, r *http.Request) {
	u, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (u unsubscription, err error) {
		m, err := openLink(ctx, tx, r.PathValue("token"))
		if err != nil {
			return u, err
		}
		tx = tx.In(m.Env)
		d, err := dealership.Find(ctx, tx)
		if err != nil {
			return u, err
		}
		return unsubscription{d.Name}, endMarketing(ctx, tx, m)
	})
	if err != nil {
		a.explain(w, r, err)
		return
	}
	unsubscribedPage.Render(w, http.StatusOK, "Unsubscribed", u)
}

// endMarketing revokes the consent to marketing of a message's address, unless
// that was done before.
func endMarketing(ctx context.Context, tx *db.Tx, m LeadMessage) error {
	if err := consent.Lock(ctx, tx, m.AddressHash); err != nil {
		return err
	}
	s, err := consent.StandingOf(ctx, tx, m.AddressHash, m.Channel, consent.Marketing)
	if err != nil || s.Code == consent.CodeRevoked {
		return err
	}
	request := auth.RequestFrom(ctx)
	c := &consent.Consent{
		ContactID: m.ContactID, LeadID: &m.LeadID, Direction: consent.Revoked, Channels: []consent.Channel{m.Channel}, Scope: consent.Marketing,
		CapturedAt: tx.Now, Source: new("email"), Method: new("list_unsubscribe"), Evidence: map[string]any{"message_id": m.ID},
		IP: orNil(request.IP), UserAgent: orNil(request.UserAgent),
	}
	if m.To == nil { // erased since
		c.IP, c.UserAgent = nil, nil
		return consent.AppendHashed(ctx, tx, c, m.AddressHash)
	}
	c.Bindings = []consent.ConsentBinding{{Channel: m.Channel, Address: *m.To}}
	return consent.Append(ctx, tx, c)
}

// explain tells a person what a program would be told by an error.
func (a *API) explain(w http.ResponseWriter, r *http.Request, err error) {
	n := struct{ Heading, Text string }{"This link does not work", "It may have been cut short. Reply to the email with STOP instead."}
	status := http.StatusNotFound
	if fault.KindOf(err) != fault.KindNotFound {
		a.Log.ErrorContext(r.Context(), "page failed", "path", unsubscribePath, "err", err)
		n.Heading, n.Text, status = "Something went wrong", "It is on our side. Please try again in a minute.", http.StatusServiceUnavailable
	}
	brokenPage.Render(w, status, n.Heading, n)
}
