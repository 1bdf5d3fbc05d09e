package imports

import "slipway/internal/platform/events"

// Events are the events of imports.
var Events = []events.Kind{
	{Type: "import.created", Doc: "A file was taken to be imported.", Object: HullImport{}},
	{Type: "import.completed", Doc: "An import is done.", Object: HullImport{}},
	{Type: "import.failed", Doc: "An import was given up, and changed nothing more.", Object: HullImport{}},
}
