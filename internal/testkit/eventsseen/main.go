// Command eventsseen fails if a listed event type was not emitted by any test.
// Its argument is the file that the tests appended event types to, as named by
// SLIPWAY_EVENTS_SEEN. `make test` runs it after the whole suite.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"slipway/internal/app"
	"slipway/internal/platform/events"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: eventsseen file")
		os.Exit(2)
	}
	seen, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "eventsseen:", err)
		os.Exit(1)
	}
	if missing := missingTypes(app.Kinds(), string(seen)); len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "These event types are listed in the Events of their feature, but no test emits them:\n\n  %s\n\n"+
			"Add a test that causes the event, or remove the type from Events until the code emits it.\n", strings.Join(missing, "\n  "))
		os.Exit(1)
	}
}

// missingTypes returns the listed types that are not among the lines of seen.
func missingTypes(kinds []events.Kind, seen string) (missing []string) {
	lines := strings.Split(seen, "\n")
	for _, k := range kinds {
		if !slices.Contains(lines, k.Type) {
			missing = append(missing, k.Type)
		}
	}
	return missing
}
