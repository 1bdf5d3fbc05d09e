package webhooks

import (
	"fmt"
	"slices"

	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// readers is the rule for reading the events of each type. A type that is not
// listed can't be read.
type readers map[string]auth.Rule

func readersOf(kinds []events.Kind) readers {
	r := readers{}
	for _, k := range kinds {
		r[k.Type] = k.Read
	}
	return r
}

// allow reports whether a caller with these scopes can read events of a type.
func (r readers) allow(name string, scopes []auth.Scope) bool { return r[name].Allows(scopes) }

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
		if err := checkReadable(kinds, pattern, w.Scopes, fmt.Sprintf("events[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// redirect fails unless a caller who changes the URL can read each event that
// the webhook receives. Otherwise a caller could read any event by sending it
// to another URL.
func (w *Webhook) redirect(kinds []events.Kind, caller []auth.Scope) error {
	for _, k := range events.Readable(kinds, w.Scopes) {
		if w.subscribes(k.Type) && !k.Read.Allows(caller) {
			return fault.Forbidden("This webhook receives %s, so changing its URL requires the scope %s.", k.Type, k.Read).
				Detail("url", "scope", "requires the scope %s", k.Read)
		}
	}
	return nil
}

// checkReadable fails if a pattern matches only event types that require other
// scopes.
func checkReadable(kinds []events.Kind, pattern string, scopes []auth.Scope, field string) error {
	if len(typesOf(events.Readable(kinds, scopes), pattern)) > 0 {
		return nil
	}
	for _, k := range kinds {
		if Matches(pattern, k.Type) {
			return fault.Forbidden("The events %s require the scope %s.", pattern, k.Read).
				Detail(field, "scope", "requires the scope %s", k.Read)
		}
	}
	return nil // not an event type, which validate reports
}
