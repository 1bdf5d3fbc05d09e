package dealership

import (
	"fmt"
	"strings"

	"slipway/internal/vocab/fault"
)

// defaultLostReasons are the reasons until the dealership lists its own.
var defaultLostReasons = []string{
	"Bought elsewhere", "Price", "Financing declined", "Stopped responding", "Only looking", "Keeps the old boat", "We don't have the boat",
}

const longestReason = 100

// checkReasons checks that each reason is a short text, and different from the others.
func checkReasons(bad *fault.Fields, reasons []string) {
	seen := map[string]bool{}
	for i, r := range reasons {
		at, name := fmt.Sprintf("settings.lost_reasons[%d]", i), strings.ToLower(strings.TrimSpace(r))
		switch {
		case name == "":
			bad.Add(at, "too_short", "must not be blank")
		case len(r) > longestReason:
			bad.Add(at, "too_long", "must have at most %d characters", longestReason)
		case seen[name]:
			bad.Add(at, "duplicate", "is in the list twice")
		}
		seen[name] = true
	}
}
