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

// ContactEvents are the events of imports of contacts.
var ContactEvents = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "contact_import.created", Doc: "A file of contacts was uploaded for import.", Object: ContactImport{}, Since: "next"},
	{Type: "contact_import.restarted", Doc: "A checked file of contacts is read again: in another way, or to import it.", Object: ContactImport{}, Since: "next"},
	{Type: "contact_import.repaired", Doc: "A row of a checked file of contacts was repaired, or what happens to a duplicate was chosen.", Object: ContactImport{}, Since: "next"},
	{Type: "contact_import.completed", Doc: "An import of contacts is complete.", Object: ContactImport{}, Since: "next"},
	{Type: "contact_import.failed", Doc: "An import of contacts failed.", Object: ContactImport{}, Since: "next"},
})
