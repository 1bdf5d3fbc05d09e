package hulls

import "slipway/internal/vocab/search"

// terms are the words a hull is found by: GW-1042 by gw, 1042 and gw1042.
func (h Hull) terms() []string {
	return search.Terms(h.Make, h.Model, deref(h.Title), deref(h.StockNumber), deref(h.HIN))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// span is the range of words that a searched word stands for.
type span struct{ from, to string }

func spanOf(word string) span {
	from, to := search.Span(word)
	return span{from, to}
}
