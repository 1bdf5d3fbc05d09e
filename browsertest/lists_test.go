package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A large inventory opens like a small one. The list stops growing after a while, so that the
// browser stays fast, and search finds the rest.
func TestLongList(t *testing.T) {
	t.Parallel()
	const boats = 1_000
	s := working(t, testkit.OnSQLite(t))
	var file strings.Builder
	file.WriteString("Stock #,HIN,Manufacturer,Model,Year,LOA,Asking Price,Location\n")
	location := s.Test.Location()
	for n := range boats {
		fmt.Fprintf(&file, "SN-%05d,GRT%05dB324,Grady-White,Freedom 235,2024,23.5,124900,%s\n", n, n, location)
	}
	var imported struct{ ID, State string }
	s.Test.Post("/v1/hull_imports", testkit.File{Type: "text/csv", Bytes: []byte(file.String())}, 202, &imported)
	b := ownerAt(t, s, "boats/import")
	assert.Eventually(t, "the end of the import", func() bool {
		s.Test.Get("/v1/hull_imports/"+imported.ID, 200, &imported)
		return imported.State != "queued" && imported.State != "running"
	})
	assert.Equal(t, imported.State, "completed")

	b.open("boats", "")
	b.read("Grady-White Freedom 235")
	const scroll = `(() => {
		const list = document.querySelector("main .scroll");
		list.scrollTop = list.scrollHeight;
		return document.querySelectorAll("main tbody tr").length >= %d;
	})()`
	b.until(fmt.Sprintf(scroll, 500), "500 boats")
	b.read("These are the first 500.")
	assert.Equal(t, evaluate[int](b, `document.querySelectorAll("main tbody tr").length`), 500, "boats that are shown")
	b.button("Show more")
	b.until(fmt.Sprintf(scroll, 550), "more boats")

	b.open("boats?q=SN-00007", "")
	b.until(`document.querySelectorAll("main tbody tr").length === 1`, "one boat")
}
