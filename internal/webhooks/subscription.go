package webhooks

import (
	"fmt"
	"slices"

	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// catalog has the kind of each event type. Events of a type that is not listed can't
// be read.
type catalog map[string]events.Kind

func catalogOf(kinds []events.Kind) catalog {
	c := catalog{}
	for _, k := range kinds {
		c[k.Type] = k
	}
	return c
}

// allow reports whether a webhook can receive events of a type.
func (c catalog) allow(name string, w Webhook) bool {
	return c[name].ReadableBy(w.Scopes, w.APIVersion)
}

// subscribe sets the scopes of the webhook to those of the caller who sets its
// events. It fails for an event type that the caller can't read. A pattern can
// include such types. Their events are not delivered.
func (w *Webhook) subscribe(kinds []events.Kind, caller []auth.Scope) error {
	w.Scopes = []auth.Scope{}
	for _, s := range auth.Scopes {
		used := slices.ContainsFunc(kinds, func(k events.Kind) bool { return k.Read.Names(s.Scope) })
		if used && slices.Contains(caller, s.Scope) {
			w.Scopes = append(w.Scopes, s.Scope)
		}
	}

	for i, pattern := range w.Events {
		if err := checkReadable(kinds, pattern, w.Scopes, w.APIVersion, fmt.Sprintf("events[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// redirect fails unless a caller who changes the URL can read each event that
// the webhook receives. Otherwise a caller could read any event by sending it
// to another URL.
func (w *Webhook) redirect(kinds []events.Kind, caller []auth.Scope) error {
	for _, k := range events.Readable(kinds, w.Scopes, w.APIVersion) {
		if w.subscribes(k.Type) && !k.Read.Allows(caller) {
			return fault.Forbidden("This webhook receives %s, so changing its URL requires the scope %s.", k.Type, k.Read).
				Detail("url", "scope", "requires the scope %s", k.Read)
		}
	}
	return nil
}

// checkReadable fails if a pattern matches only event types that require other
// scopes, or that a later version added.
func checkReadable(kinds []events.Kind, pattern string, scopes []auth.Scope, v, field string) error {
	if len(typesOf(events.Readable(kinds, scopes, v), pattern)) > 0 {
		return nil
	}
	for _, k := range kinds {
		if Matches(pattern, k.Type) && k.Since > v {
			return fault.New(fault.KindUnprocessable, "The events %s were added in version %s of the API. The request uses %s.", pattern, k.Since, v).
				Detail(field, "version", "was added in version %s of the API", k.Since)
		}
		if Matches(pattern, k.Type) {
			return fault.Forbidden("The events %s require the scope %s.", pattern, k.Read).
				Detail(field, "scope", "requires the scope %s", k.Read)
		}
	}
	return nil // not an event type, which validate reports
}
