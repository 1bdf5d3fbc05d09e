package front

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// language is the language of the catalog. A second one would be a second file, chosen by the dealership.
const language = "en"

//go:embed words/*.json
var catalogs embed.FS

var words = sync.OnceValue(func() map[string]string {
	text, err := catalogs.ReadFile("words/" + language + ".json")
	if err != nil {
		panic(err) // the file is part of the program
	}
	all := map[string]string{}
	if err := json.Unmarshal(text, &all); err != nil {
		panic(err)
	}
	return all
})

// Say returns words of the catalog, with values where the text has %s. It panics if there are none
// with this key, which a test finds.
func Say(key string, values ...any) string {
	text, ok := words()[key]
	if !ok {
		panic("front: no words for " + key)
	}
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// Has reports whether the catalog has words for a key.
func Has(key string) bool { _, ok := words()[key]; return ok }

// Count returns the words for a number: those of key.one or key.other.
func Count(key string, n int64) string {
	if n == 1 {
		return Say(key+".one", "1")
	}
	return Say(key+".other", Number(n))
}

// Keys lists the keys of the catalog.
func Keys() []string { return slices.Sorted(maps.Keys(words())) }
