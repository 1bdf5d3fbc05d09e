package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/pdftext"
	"strings"
	"testing"
	"time"

	reader "github.com/ledongthuc/pdf"
	"pgregory.net/rapid"
)

var issued = time.Date(2026, 11, 15, 10, 30, 0, 0, time.UTC)

// Any input is rendered or rejected, and always produces the same bytes.
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
			p.Table([]Column{{a, 3, false}, {b, 1, true}}, Rows{[][]string{{a, b}, {b, a}}, [][]string{{b, b}}}, Rows{Rows: [][]string{{a, a}}})
			p.Checklist(a, b, a)
			p.Signatures(Signer{a, b}, Signer{b, a}, Signer{a, a})
		}
		h := Head{Issuer: a, Address: []string{b, a}, Title: b, Number: "Document 1", ID: "doc_1", Issued: issued}
		first, pages, err := Render(h, write)
		if unprintable := new(Unprintable); errors.As(err, &unprintable) {
			if Check(a) == nil && Check(b) == nil {
				t.Fatalf("got %v, but both texts can be printed", err)
			}
			return
		}
		if err != nil || pages < 1 || !bytes.HasPrefix(first, []byte("%PDF-")) {
			t.Fatalf("got %d pages, %v; want a PDF of at least one", pages, err)
		}
		if again, _, err := Render(h, write); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("other bytes %v; want no error, first = %v", err, again)
		}
	})
}

func head() Head {
	return Head{Issuer: "A", Title: "B", Number: "Document 1", ID: "doc_1", Issued: issued}
}

// A long table continues on the next pages.
func TestTableBreaks(t *testing.T) {
	var rows [][]string
	for i := range 480 {
		rows = append(rows, []string{fmt.Sprint(i), "text"})
	}
	_, pages, err := Render(head(), func(p *Page) {
		p.Table([]Column{{"No.", 1, false}, {"Text", 4, false}}, Rows{Rows: rows})
	})
	if err != nil || pages < 10 || pages > 20 {
		t.Errorf("got %d pages, %v; want no error, pages >= 10, pages <= 20", pages, err)
	}
}

// However much text there is, signatures are on a page with some of it.
func TestSignaturesAreNotAlone(t *testing.T) {
	for n := range 90 {
		p := &Page{document: &element{}}
		for i := range n {
			p.Paragraph(fmt.Sprintf("Line %d.", i))
		}
		before := len(p.items)
		p.Signatures(Signer{"Ann Bell", "Buyer"}, Signer{"Joe Bell", "Co-buyer"}, Signer{"Bay Boats", "Dealer"})
		pages := paginate(p.items, 40)
		signatures := len(p.items) - before
		if last := pages[len(pages)-1]; n > 0 && len(last) < min(signatures+2, len(p.items)) {
			t.Errorf("%d lines: got %d items on the last page, want %d signatures and more", n, len(last), signatures)
		}
	}
}

// Only the last lines move to the page of the signatures. The section before them stays if
// it fits, so that the page is not half empty.
func TestSectionStaysBeforeSignatures(t *testing.T) {
	const header = 40
	for n := range 40 {
		p := &Page{document: &element{}}
		for range n {
			p.Paragraph("Filler.")
		}
		p.Heading("Products")
		p.Table([]Column{{Name: "Product", Share: 1}}, Rows{Rows: [][]string{{"GAP"}, {"Gelcoat"}, {"Theft"}, {"Key"}}})
		height := 0.0
		for _, it := range p.items {
			height += it.space + it.height
		}
		section := len(p.items)
		p.Paragraph("The buyer may cancel a product. The unearned part of its price will be refunded. If it was financed, " +
			"the refund is paid to the lender and reduces the loan balance.")
		p.Signatures(Signer{"Ann Bell", "Buyer"}, Signer{"Joe Bell", "Co-buyer"}, Signer{"Bay Boats", "Dealer"})
		if pages := paginate(p.items, header); height <= pageHeight-top-bottom-header && len(pages[0]) < section {
			t.Errorf("%d paragraphs: got %d of %d items on the first page, want the whole section, which fits", n, len(pages[0]), section)
		}
	}
}

// Lines are never wider than their column, whatever the script.
func TestLinesFit(t *testing.T) {
	var set typesetter
	for _, text := range []string{
		"Zoë Núñez-Łukasiewicz and Jérôme O’Brien-Featherstonehaugh", strings.Repeat("W", 200), "王小明 田中太郎 김민준",
		"محمد عبد الله الأحمد شركة القوارب", "יוסף בן-דוד", "สมชาย ใจดี", "राजेश कुमार श्रीवास्तव",
	} {
		if Check(text) != nil {
			continue // the server has no font for it
		}
		for _, l := range set.lines(9, 30, span{text, true}) {
			if l.width > 30.01 {
				t.Errorf("%s: got a line of %.2f mm, want at most 30", text, l.width)
			}
		}
	}
}

// Text can be copied from the file, with accents and without ligatures.
func TestTextCanBeCopied(t *testing.T) {
	const want = "Zoë Núñez-Łukasiewicz’s office: €1,234.50 – affidavit, Αθήνα, Київ"
	content, _, err := Render(head(), func(p *Page) { p.Paragraph(want) })
	if err != nil {
		t.Fatal(err)
	}
	if text := pdftext.Of(t, content); !strings.Contains(text, want) {
		t.Errorf("got %q, want it to contain %q", text, want)
	}
}

// withFonts replaces the fonts of the operating system during a test.
func withFonts(t *testing.T, fonts ...systemFont) {
	was := system
	system = func() []systemFont { return fonts }
	t.Cleanup(func() { system = was })
}

// Without a font, text is rejected. Symbols are left out.
func TestCheck(t *testing.T) {
	withFonts(t)
	for text, want := range map[string]string{
		"Zoë Łukasz":      "",
		"Ву̀к Καραγιάννη": "",
		"e\u0301":         "", // composed
		"Ann 🚤 Bell":      "",
		"王小明":             "王",
		"Ann محمد":        "م",
		"สมชาย":           "ส",
		"राजेश":           "रा",
		"":                "",
		"a\u202eb":        "",
	} {
		u := new(Unprintable)
		if err := Check(text); (want != "") != errors.As(err, &u) || u.Char != want {
			t.Errorf("Check(%q) = %v, want it to reject %q", text, err, want)
		}
		_, _, err := Render(head(), func(p *Page) { p.Signatures(Signer{text, "Buyer"}) })
		if (err != nil) != (want != "") {
			t.Errorf("Render(%q) = %v, want an error only for %q", text, err, want)
		}
	}
	assert.Equal(t, clean("Ann\u202e 🚤Bell\x00\u00a0!"), "Ann Bell  !")
}

// The outlines of glyphs of other fonts are embedded, with their characters.
func TestOtherFonts(t *testing.T) {
	var o type3
	var set typesetter
	o.face = set.face(embedded()[0])
	for _, l := range set.lines(10, 100, span{"Åg", false}) {
		for _, r := range l.runs {
			o.glyphs = append(o.glyphs, r.glyphs...)
		}
	}
	f := &file{}
	font := string(f.objects[o.write(f)-1])
	for _, want := range []string{"/Subtype/Type3", "/CharProcs<</g1 1 0 R/g2 2 0 R>>", "/LastChar 2", "/ToUnicode"} {
		if !strings.Contains(font, want) {
			t.Errorf("got %s, want it to contain %s", font, want)
		}
	}
	outline, _ := o.face.GlyphDataOutline(o.glyphs[1].id)
	path, bounds := outlinePath(outline.Segments)
	if !strings.HasSuffix(path, "h f\n") || bounds[1] >= 0 || bounds[3] <= 0 || math.IsInf(bounds[0], 0) {
		t.Errorf("got the path %q in %v, want a closed path that descends below the line", path, bounds)
	}
}

// Plain fonts come first, and colored or bold ones last.
func TestPreference(t *testing.T) {
	names := []string{"NotoSansCJK-Bold.ttc", "DejaVuSans.ttf", "NotoSansThai-Regular.ttf", "wqy.ttc", "NotoSerifThai-Regular.ttf",
		"DejaVuSansMono-BoldOblique.ttf"}
	slices.SortStableFunc(names, func(a, b string) int { return preference(a) - preference(b) })
	want := "[NotoSansThai-Regular.ttf NotoSerifThai-Regular.ttf DejaVuSans.ttf wqy.ttc NotoSansCJK-Bold.ttc DejaVuSansMono-BoldOblique.ttf]"
	assert.Equal(t, fmt.Sprint(names), want)
}

// Pages are added at the end. The file starts with the original bytes, and reads as
// one document.
func TestAppend(t *testing.T) {
	original, pages, err := Render(head(), func(p *Page) { p.Paragraph("The contract.") })
	if err != nil {
		t.Fatal(err)
	}
	content, err := Append(original, head(), func(p *Page) { p.Paragraph("The signatures.") })
	if err != nil || !bytes.HasPrefix(content, original) {
		t.Fatalf("got %v, want a file that starts with the original", err)
	}
	r, err := reader.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil || r.NumPage() != pages+1 {
		t.Fatalf("got %d pages, %v; want %d", r.NumPage(), err, pages+1)
	}
	for i, want := range []string{"The contract.", "The signatures."} {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("page %d: got %q, %v; want it to contain %q", i+1, text, err, want)
		}
	}

	if _, err := Append([]byte("%PDF-1.7"), head(), func(p *Page) { p.Paragraph("x") }); err == nil {
		t.Error("got no error for a damaged file, want one")
	}
}
