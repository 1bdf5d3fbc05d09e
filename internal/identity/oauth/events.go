package oauth

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of apps and installs.
var Events = events.Scoped(auth.Require(auth.Admin), []events.Kind{
	{Type: "app.created", Doc: "An OAuth app was created.", Object: App{}, Since: "next"},
	{Type: "app.updated", Doc: "An OAuth app was changed.", Object: App{}, Since: "next"},
	{Type: "app.secret_rotated", Doc: "The client secret of an OAuth app was rotated.", Object: App{}, Since: "next"},
	{Type: "app.deleted", Doc: "An OAuth app was deleted.", Object: App{}, Since: "next"},
	{Type: "app.installed", Doc: "An app was installed in this environment.", Object: Install{}, Since: "next"},
	{Type: "app.reauthorized", Doc: "A user allowed more scopes to an installed app.", Object: Install{}, Since: "next"},
	{Type: "app.uninstalled", Doc: "An app was uninstalled, or deleted by its publisher.", Object: Install{}, Since: "next"},
})
