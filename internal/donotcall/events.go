package donotcall

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of do-not-call lists.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "do_not_call_list.created", Doc: "A do-not-call list was uploaded.", Object: DoNotCallList{}, Since: "next"},
	{Type: "do_not_call_list.deleted", Doc: "A do-not-call list was deleted.", Object: DoNotCallList{}, Since: "next"},
})
