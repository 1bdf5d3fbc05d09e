package dealership

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/pages"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// sendersPath is the path of the links that verify a sender address.
	sendersPath = "/senders/"
	// verifySenderFor is how long a link works.
	verifySenderFor = 7 * 24 * time.Hour
)

var (
	senderPage = pages.NewPage(`
<h1>Verify a sender address</h1>
<p>Can {{.Dealership}} send email from <strong>{{.Email}}</strong>?</p>
<form method="post"><button>Verify</button></form>`)
	senderVerifiedPage = pages.NewPage(`
<h1>The address is verified</h1>
<p>{{.Dealership}} now sends email from <strong>{{.Email}}</strong>.</p>`)
	senderErrorPage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)
)

// isPending reports whether an address is set and not verified.
func (s Sender) isPending(email string) bool {
	return s.Email != nil && *s.Email == email && !s.EmailVerified
}

// senderLink returns a signed link that verifies an address. It stops working when
// the dealership sets another address, because the signature includes it.
func senderLink(tx *db.Tx, env auth.Env, email string, expires time.Time) string {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(env)), uint64(expires.Unix()))
	return site.Of(tx).URL + sendersPath + base64.RawURLEncoding.EncodeToString(append(head, senderMAC(tx, head, email)...))
}

func senderMAC(tx *db.Tx, head []byte, email string) []byte {
	return site.Of(tx).MAC(append(append([]byte("sender/"), head...), email...))
}

// findBySenderLink returns the dealership of a link that is valid for its address.
func findBySenderLink(ctx context.Context, tx *db.Tx, token string) (Dealership, error) {
	bad := fault.New(fault.KindNotFound, "This link does not exist.")
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return Dealership{}, bad
	}
	env, n := binary.Uvarint(raw)
	if n <= 0 {
		return Dealership{}, bad
	}
	expires, m := binary.Uvarint(raw[n:])
	if m <= 0 || tx.Now.Unix() >= int64(expires) {
		return Dealership{}, bad
	}

	d, err := Find(ctx, tx.In(auth.Env(env)))
	if err != nil {
		return d, err
	}
	if email := d.Settings.Sender.Email; email == nil || !hmac.Equal(raw[n+m:], senderMAC(tx, raw[:n+m], *email)) {
		return d, bad
	}
	return d, nil
}

// pages serves the pages at {base_url}/senders/.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+sendersPath+"{token}", a.showSender)
	mux.HandleFunc("POST "+sendersPath+"{token}", a.acceptSender)
	return pages.Guarded(mux)
}

type senderView struct{ Dealership, Email string }

func viewOf(d Dealership) senderView { return senderView{d.Name, *d.Settings.Sender.Email} }

// showSender changes nothing, because virus scanners also follow the links in an
// email.
func (a *API) showSender(w http.ResponseWriter, r *http.Request) {
	d, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (Dealership, error) {
		return findBySenderLink(ctx, tx, r.PathValue("token"))
	})
	if err != nil {
		a.showSenderError(w, r, err)
		return
	}
	senderPage.Render(w, http.StatusOK, "Verify a sender address", viewOf(d))
}

func (a *API) acceptSender(w http.ResponseWriter, r *http.Request) {
	d, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (Dealership, error) {
		d, err := findBySenderLink(ctx, tx, r.PathValue("token"))
		if err != nil || d.Settings.Sender.EmailVerified {
			return d, err
		}

		before, tx := d, tx.In(d.Env)
		d.Settings.Sender.EmailVerified = true
		if err := dealerships.Save(ctx, tx, &d); err != nil {
			return d, err
		}
		ctx = auth.With(ctx, auth.Principal{Env: d.Env, Mode: d.Mode, DealershipID: d.ID, Actor: auth.System})
		return d, events.Emit(ctx, tx, "dealership.updated", d.ID, events.Change{Before: before, After: d})
	})
	if err != nil {
		a.showSenderError(w, r, err)
		return
	}
	senderVerifiedPage.Render(w, http.StatusOK, "Address verified", viewOf(d))
}

func (a *API) showSenderError(w http.ResponseWriter, r *http.Request, err error) {
	n := struct{ Heading, Text string }{"This link doesn't work", "It has expired, or the dealership has set another address."}
	status := http.StatusNotFound
	if fault.KindOf(err) != fault.KindNotFound {
		a.Log.ErrorContext(r.Context(), "page failed", "path", sendersPath, "err", err)
		n.Heading, n.Text, status = "Something went wrong", "This is an error on our side. Try again in a minute.", http.StatusServiceUnavailable
	}
	senderErrorPage.Render(w, status, n.Heading, n)
}
