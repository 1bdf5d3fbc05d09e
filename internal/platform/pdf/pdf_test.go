package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var issued = time.Date(2026, 11, 15, 10, 30, 0, 0, time.UTC)

// Any input can be rendered, and always produces the same bytes.
func TestRenderAnyText(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", " ", "\n\n", "\t\x00", "日本語の名前", "🚤🚤🚤", "مركب", "é̀", "\ufeff", strings.Repeat("W", 90),
	}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		write := func(p *Page) {
			p.Heading(a)
			p.Paragraph(b)
			p.Note(a)
			p.Notice(b)
			p.Clauses(Clause{a, b}, Clause{"", a})
			p.Fields(Field{a, b}, Field{b, a}, Field{a, ""})
			p.Table([]Column{{a, 3, false}, {b, 1, true}}, [][]string{{a, b}, {b, a}}, [][]string{{b, b}})
			p.Checklist(a, b, a)
			p.Signatures(Signer{a, b}, Signer{b, a}, Signer{a, a})
		}
		h := Head{Issuer: a, Address: []string{b, a}, Title: b, Number: "doc_1", Issued: issued}
		first, pages, err := Render(h, write)
		if err != nil || pages < 1 || !bytes.HasPrefix(first, []byte("%PDF-")) {
			t.Fatalf("got %d pages, %v; want a PDF of at least one", pages, err)
		}
		if again, _, err := Render(h, write); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("other bytes %v; want no error, first = %v", err, again)
		}
	})
}

// A long table continues on the next pages.
func TestTableBreaks(t *testing.T) {
	var rows [][]string
	for i := range 480 {
		rows = append(rows, []string{fmt.Sprint(i), "text"})
	}
	_, pages, err := Render(Head{Issuer: "A", Title: "B", Number: "doc_1", Issued: issued}, func(p *Page) {
		p.Table([]Column{{"No.", 1, false}, {"Text", 4, false}}, rows, nil)
	})
	if err != nil || pages < 10 || pages > 20 {
		t.Errorf("got %d pages, %v; want no error, pages >= 10, pages <= 20", pages, err)
	}
}
