package hulls

import (
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/search"
)

// terms returns the search terms of a hull. GW-1042 has gw, 1042 and gw1042.
func (h Hull) terms() []string {
	return search.Terms(h.Make, h.Model, null.Text(h.Title), null.Text(h.StockNumber), null.Text(h.HIN))
}

// span is the range of terms that a search word matches.
type span struct{ from, to string }

func spanOf(word string) span {
	from, to := search.Span(word)
	return span{from, to}
}
