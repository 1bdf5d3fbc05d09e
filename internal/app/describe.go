package app

import (
	"log/slog"
	"net/http"
	"sync"

	"slipway/internal/console"
	"slipway/internal/description"
	"slipway/internal/identity"
	"slipway/internal/platform/rest"
	"slipway/internal/webhooks"
)

// Described returns the documents of the API. It doesn't need a database.
var Described = sync.OnceValue(func() *description.Documents { return description.Of(Routes()) })

// Routes mounts the features without a database.
func Routes() *rest.Router {
	f := &features{identity: &identity.API{}, webhooks: webhooks.API{Kinds: Kinds()}}
	return rest.New(rest.Config{Log: slog.New(slog.DiscardHandler)}, f.all()...)
}

// redirect sends people who open the server's address, or what they try first, to the
// right page.
func redirect(r *rest.Router) {
	r.Handle("/", http.RedirectHandler(console.Path, http.StatusFound))
	for _, path := range []string{"/sign-in", "/signin", "/login"} { // what people try first
		r.Handle(path, http.RedirectHandler(r.AuthURL+"/sign-in", http.StatusFound))
	}
}
