// Package pdf renders documents on US Letter pages with a header and a footer. It
// has the building blocks of contracts, such as clauses, tables and signature
// lines. The same content always produces the same bytes.
package pdf

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
)

// Head is the content of headers and footers.
type Head struct {
	Issuer  string   // the dealership
	Address []string // lines of the issuer's address
	Title   string
	Number  string    // ID of the document, printed on each page
	Issued  time.Time // in the issuer's time zone
}

// Page adds content from top to bottom. Content that doesn't fit continues on the
// next page.
type Page struct {
	pdf   *fpdf.Fpdf
	head  Head
	total int // number of pages, known in the second pass
}

//go:embed fonts/OpenSans-Regular.ttf
var regular []byte

//go:embed fonts/OpenSans-Semibold.ttf
var semibold []byte

const (
	left, right, top, bottom = 19, 19, 16, 20 // margins, in millimeters
	width                    = 215.9 - left - right
	line                     = 4.6 // the height of a line of text
	family                   = "OpenSans"
)

// color is red, green and blue.
type color [3]int

var (
	ink   = color{28, 32, 38}
	navy  = color{22, 56, 92}
	gray  = color{104, 112, 122}
	rule  = color{200, 206, 213}
	shade = color{238, 242, 246}
)

// Render creates the PDF and counts its pages. It calls write twice, because the
// footer contains the number of pages.
func Render(h Head, write func(p *Page)) (pdf []byte, pages int, err error) {
	draft := newPage(h, 0)
	write(draft)
	pages = draft.pdf.PageNo()
	p := newPage(h, pages)
	write(p)
	var b bytes.Buffer
	if err := p.pdf.Output(&b); err != nil {
		return nil, 0, fmt.Errorf("render %s: %w", h.Number, err)
	}
	return b.Bytes(), pages, nil
}

func newPage(h Head, total int) *Page {
	f := fpdf.New("P", "mm", "Letter", "")
	p := &Page{pdf: f, head: h, total: total}
	f.SetCatalogSort(true) // the output must not depend on the order of Go maps
	f.SetCreationDate(h.Issued)
	f.SetModificationDate(h.Issued)
	f.SetTitle(clean(h.Title+" "+h.Number), true)
	f.SetAuthor(clean(h.Issuer), true)
	f.SetCreator("Slipway", true)
	f.AddUTF8FontFromBytes(family, "", regular)
	f.AddUTF8FontFromBytes(family, "B", semibold)
	f.SetMargins(left, top, right)
	f.SetCellMargin(0) // text aligns with the lines
	f.SetAutoPageBreak(true, bottom)
	f.SetHeaderFunc(p.header)
	f.SetFooterFunc(p.footer)
	f.AddPage()
	return p
}

// header shows the issuer and the title on the first page, and one line on others.
func (p *Page) header() {
	f := p.pdf
	margin := f.GetCellMargin()
	f.SetCellMargin(0)
	defer f.SetCellMargin(margin)
	if f.PageNo() > 1 {
		p.text("", 8, gray)
		f.CellFormat(width/2, line, clean(p.head.Title), "", 0, "L", false, 0, "")
		f.CellFormat(width/2, line, clean(p.head.Issuer), "", 1, "R", false, 0, "")
		p.hairline(rule, 0.2)
		f.Ln(4)
		return
	}
	p.text("B", 15, navy)
	f.CellFormat(width*0.55, 7.5, p.fit(p.head.Issuer, width*0.55), "", 0, "L", false, 0, "")
	y := f.GetY()
	p.text("", 8, gray)
	for i, l := range p.head.Address {
		f.SetXY(left+width*0.55, y+float64(i)*3.9)
		f.CellFormat(width*0.45, 3.9, clean(l), "", 0, "R", false, 0, "")
	}
	f.SetXY(left, max(y+9, y+float64(len(p.head.Address))*3.9+1.5))
	p.hairline(navy, 0.7)
	f.Ln(7)
	p.text("B", 19, ink)
	f.MultiCell(width, 8.5, clean(p.head.Title), "", "L", false)
	p.text("", 8.5, gray)
	f.CellFormat(width, 5, fmt.Sprintf("Document %s, issued %s", p.head.Number, p.head.Issued.Format("January 2, 2006")), "", 1, "L",
		false, 0, "")
	f.Ln(3)
}

func (p *Page) footer() {
	f := p.pdf
	margin := f.GetCellMargin()
	f.SetCellMargin(0)
	defer f.SetCellMargin(margin)
	f.SetY(-14)
	p.hairline(rule, 0.2)
	f.Ln(1.5)
	p.text("", 7.5, gray)
	f.CellFormat(width/2, 4, p.head.Number, "", 0, "L", false, 0, "")
	f.CellFormat(width/2, 4, fmt.Sprintf("Page %d of %d", f.PageNo(), p.total), "", 0, "R", false, 0, "")
}

// hairline draws a line across the page.
func (p *Page) hairline(c color, thickness float64) {
	p.pdf.SetDrawColor(c[0], c[1], c[2])
	p.pdf.SetLineWidth(thickness)
	p.pdf.Line(left, p.pdf.GetY(), left+width, p.pdf.GetY())
}

func (p *Page) text(style string, size float64, c color) {
	p.pdf.SetFont(family, style, size)
	p.pdf.SetTextColor(c[0], c[1], c[2])
}

// fit shortens text that is wider than its cell.
func (p *Page) fit(s string, w float64) string {
	r := []rune(clean(s))
	if p.pdf.GetStringWidth(string(r)) <= w-2 {
		return string(r)
	}
	for len(r) > 0 && p.pdf.GetStringWidth(string(r)+"…") > w-2 {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// ensureSpace starts a new page if this one has less space left.
func (p *Page) ensureSpace(height float64) {
	_, pageHeight := p.pdf.GetPageSize()
	if p.pdf.GetY()+height > pageHeight-bottom {
		p.pdf.AddPage()
	}
}

// clean replaces characters that the font doesn't have: control characters and
// characters outside of the Basic Multilingual Plane.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r):
			return ' '
		case r > 0xFFFF || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, s)
}
