package dealership

import "slipway/internal/platform/events"

// Events are what can happen to a dealership and the people in it.
var Events = []events.Kind{
	{Type: "dealership.created", Doc: "The dealership was founded.", Object: Dealership{}},
	{Type: "dealership.updated", Doc: "The dealership's settings changed.", Object: Dealership{}},
	{Type: "location.created", Doc: "A location was added.", Object: Location{}},
	{Type: "location.updated", Doc: "A location changed.", Object: Location{}},
	{Type: "location.deleted", Doc: "A location was removed.", Object: Location{}},
	{Type: "role.created", Doc: "A role was made.", Object: Role{}},
	{Type: "role.updated", Doc: "A role changed.", Object: Role{}},
	{Type: "role.deleted", Doc: "A role was deleted.", Object: Role{}},
	{Type: "user.provisioned", Doc: "A user was provisioned.", Object: User{}},
	{Type: "user.activated", Doc: "A user accepted the invitation.", Object: User{}},
	{Type: "user.updated", Doc: "A user changed.", Object: User{}},
	{Type: "user.deactivated", Doc: "A user was deactivated.", Object: User{}},
	{Type: "user.roles_assigned", Doc: "A user got other roles.", Object: User{}},
}
