package messages

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
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// unsubscribePath is the path of the links in marketing email.
const unsubscribePath = "/unsubscribe/"

var (
	unsubscribePage = pages.NewPage(`
<h1>Unsubscribe</h1>
<p>Unsubscribe from marketing email from {{.Dealership}}?</p>
<form method="post"><button>Unsubscribe</button></form>`)
	unsubscribedPage = pages.NewPage(`<h1>You are unsubscribed</h1><p>{{.Dealership}} won't send you any more marketing email.</p>`)
	errorPage        = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)
)

// macSize is the length of the signature in a link. It is long enough that it
// can't be guessed.
const macSize = 16

// linkTo returns a signed link for the recipient of a message. It works without a
// sign-in, and only at its path.
func linkTo(tx *db.Tx, path string, m LeadMessage) string {
	head := binary.AppendUvarint(nil, uint64(m.Env))
	head = append(head, strings.TrimPrefix(m.ID, "msg_")...)
	return site.Of(tx).URL + path + base64.RawURLEncoding.EncodeToString(append(head, linkMAC(tx, path, head)...))
}

func linkMAC(tx *db.Tx, path string, head []byte) []byte {
	return site.Of(tx).MAC(append([]byte(strings.TrimPrefix(path, "/")), head...))[:macSize]
}

// noLink is the error for a link that doesn't work, whatever the reason.
func noLink() *fault.Error { return fault.New(fault.KindNotFound, "This link does not exist.") }

// findByLink returns the message of a link.
func findByLink(ctx context.Context, tx *db.Tx, path, token string) (LeadMessage, error) {
	bad := noLink()
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= macSize {
		return LeadMessage{}, bad
	}
	head, given := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(given, linkMAC(tx, path, head)) {
		return LeadMessage{}, bad
	}
	env, n := binary.Uvarint(head)
	if n <= 0 {
		return LeadMessage{}, bad
	}
	return messages.Find(ctx, tx.In(auth.Env(env)), "msg_"+string(head[n:]))
}

// pages serves the pages at {base_url}/unsubscribe/.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+unsubscribePath+"{token}", a.askToUnsubscribe)
	mux.HandleFunc("POST "+unsubscribePath+"{token}", a.unsubscribe)
	return pages.Guarded(mux)
}

type unsubscription struct{ Dealership string }

// askToUnsubscribe changes nothing, because virus scanners also follow the links
// in an email.
func (a *API) askToUnsubscribe(w http.ResponseWriter, r *http.Request) {
	u, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (u unsubscription, err error) {
		m, err := findByLink(ctx, tx, unsubscribePath, r.PathValue("token"))
		if err != nil {
			return u, err
		}
		d, err := dealership.Find(ctx, tx.In(m.Env))
		return unsubscription{d.Name}, err
	})
	if err != nil {
		a.renderError(w, r, err)
		return
	}
	unsubscribePage.Render(w, http.StatusOK, "Unsubscribe", u, pages.At(u.Dealership, ""))
}

// unsubscribe handles the button of the page and one-click unsubscribe in mail
// clients (RFC 8058).
func (a *API) unsubscribe(w http.ResponseWriter, r *http.Request) {
	u, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (u unsubscription, err error) {
		m, err := findByLink(ctx, tx, unsubscribePath, r.PathValue("token"))
		if err != nil {
			return u, err
		}
		tx = tx.In(m.Env)
		d, err := dealership.Find(ctx, tx)
		if err != nil {
			return u, err
		}
		err = revokeMarketing(ctx, tx, m)
		return unsubscription{d.Name}, err
	})
	if err != nil {
		a.renderError(w, r, err)
		return
	}
	unsubscribedPage.Render(w, http.StatusOK, "Unsubscribed", u, pages.At(u.Dealership, ""))
}

// revokeMarketing revokes the marketing consent of a message's address, unless
// it is already revoked.
func revokeMarketing(ctx context.Context, tx *db.Tx, m LeadMessage) error {
	if err := consent.Lock(ctx, tx, m.AddressHash); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, m.AddressHash); err != nil {
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
		IP: null.From(request.IP), UserAgent: null.From(request.UserAgent), ByPerson: true,
	}
	if m.To == nil { // the contact was erased
		c.IP, c.UserAgent = nil, nil
		return consent.AppendHashed(ctx, tx, c, m.AddressHash)
	}
	c.Bindings = []consent.ConsentBinding{{Channel: m.Channel, Address: *m.To}}
	return consent.Append(ctx, tx, c)
}

// renderError shows an error as a page.
func (a *API) renderError(w http.ResponseWriter, r *http.Request, err error) {
	n := struct{ Heading, Text string }{"This link doesn't work", "It might be incomplete. Reply to the email with STOP instead."}
	status := http.StatusNotFound
	if fault.KindOf(err) != fault.KindNotFound {
		a.Log.ErrorContext(r.Context(), "page failed", "path", rest.SafePath(r.URL.Path), "err", err)
		n.Heading, n.Text, status = "Something went wrong", "This is an error on our side. Try again in a minute.", http.StatusServiceUnavailable
	}
	errorPage.Render(w, status, n.Heading, n)
}
