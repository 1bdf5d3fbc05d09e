package messages

import (
	"strings"

	"slipway/internal/dealership"
)

// oneLine formats an address for the footer of an email.
func oneLine(a *dealership.Address) string {
	if a == nil {
		return ""
	}
	parts := []string{a.Line1, deref(a.Line2), a.City, strings.TrimSpace(deref(a.Region) + " " + deref(a.PostalCode)), a.Country}
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
