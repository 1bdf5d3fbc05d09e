package rest

import "testing"

func TestPrefersCSV(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                 false,
		"*/*":              false,
		"text/*":           false,
		"application/json": false,
		"text/html, application/xml;q=0.9, */*;q=0.8": false,
		"text/csv":                                    true,
		"Text/CSV; charset=utf-8":                     true,
		"text/csv, */*;q=0.1":                         true,
		"text/csv;q=0.5, */*;q=0.4":                   true,
		"text/csv, */*":                               false,
		"text/csv;q=0.5, */*":                         false,
		"text/csv, application/json":                  false,
		"text/csv;q=0.9, application/json":            false,
		"application/json;q=0.9,text/csv":             true,
		"text/csv;q=0.2, application/json;q=0.1, */*": true,
		"text/csv;q=0.5, application/*;q=0.4, */*":    true,
		"text/csv;q=0":                                false,
		"text/csv;q=2":                                false,
		"text/csv;q=-1":                               false,
		"text/csv;q=NaN":                              false,
		"text/csv;q=x, application/json;q=0":          false,
		"text/csvx, ;;, text/csv;q=0.3":               true,
	} {
		if got := prefersCSV([]string{accept}); got != want {
			t.Errorf("%q: got %t, want %t", accept, got, want)
		}
	}
	if !prefersCSV([]string{"application/json;q=0.5", "text/csv"}) {
		t.Error("two headers: got false, want true")
	}
}
