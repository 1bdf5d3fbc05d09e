package messages

import (
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/vocab/null"
)

// oneLine formats an address for the footer of an email.
func oneLine(a *dealership.Address) string {
	if a == nil {
		return ""
	}
	parts := []string{a.Line1, null.Text(a.Line2), a.City, strings.TrimSpace(null.Text(a.Region) + " " + null.Text(a.PostalCode)), a.Country}
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
