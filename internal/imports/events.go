package imports

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of imports.
var Events = events.Scoped(auth.Require(auth.HullsRead), []events.Kind{
	{Type: "import.created", Doc: "A file was uploaded for import.", Object: HullImport{}},
	{Type: "import.completed", Doc: "An import is complete.", Object: HullImport{}},
	{Type: "import.failed", Doc: "An import failed.", Object: HullImport{}},
})
