package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	got := Terms("Grady-White", "Bénéteau's", "GW-1042", "", "grady", strings.Repeat("x", 50))
	want := []string{"1042", "beneteau", "beneteaus", "grady", "gradywhite", "gw", "gw1042", "s", "white", strings.Repeat("x", 40)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A search word matches itself and, if it has two letters or more, terms that start with it.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		word, term string
		found      bool
	}{
		{"bell", "bell", true},
		{"bell", "bellamy", true},
		{"bell", "bellé", true},
		{"bell", "bel", false},
		{"bell", "belm", false},
		{"b", "b", true},
		{"b", "bell", false},
		{strings.Repeat("x", 50), strings.Repeat("x", 40), true},
	} {
		from, to := Span(c.word)
		if found := c.term >= from && c.term < to; found != c.found {
			t.Errorf("%s finds %s: got %t, want %v", c.word, c.term, found, c.found)
		}
	}
}
