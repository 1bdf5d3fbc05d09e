package people

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of users and roles.
var Events = events.Scoped(auth.Require(auth.Admin), []events.Kind{
	{Type: "role.created", Doc: "A role was created.", Object: Role{}},
	{Type: "role.updated", Doc: "A role changed.", Object: Role{}},
	{Type: "role.deleted", Doc: "A role was deleted.", Object: Role{}},
	{Type: "user.provisioned", Doc: "A user was created.", Object: User{}},
	{Type: "user.activated", Doc: "A user accepted the invitation.", Object: User{}},
	{Type: "user.updated", Doc: "A user changed.", Object: User{}},
	{Type: "user.deactivated", Doc: "A user was deactivated.", Object: User{}},
	{Type: "user.roles_assigned", Doc: "The roles of a user changed.", Object: User{}},
})
