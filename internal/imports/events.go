package imports

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of imports.
var Events = events.Scoped(auth.Require(auth.HullsRead), []events.Kind{
	{Type: "import.created", Doc: "A file was uploaded for import.", Object: HullImport{}},
	{Type: "import.restarted", Doc: "A checked file is read again: with other columns or words, or to import it.", Object: HullImport{}, Since: "next"},
	{Type: "import.repaired", Doc: "A row of a checked file was repaired.", Object: HullImport{}, Since: "next"},
	{Type: "import.completed", Doc: "An import is complete.", Object: HullImport{}},
	{Type: "import.failed", Doc: "An import failed.", Object: HullImport{}},
})
