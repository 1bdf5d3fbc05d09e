// Package pdf renders documents on US Letter pages with a header and a footer. It
// has the building blocks of contracts, such as clauses, tables and signature
// lines. The same content always produces the same bytes.
//
// It writes the PDF itself, because text in all scripts needs shaped glyphs, and
// screen readers need a tagged structure.
package pdf

import (
	"bytes"
	"fmt"
	"image"
	"time"
)

// Head is the content of headers and footers.
type Head struct {
	Issuer  string   // the dealership
	Address []string // lines of the issuer's address
	Logo    []byte   // a PNG or JPEG image, or nil
	Title   string
	Number  string    // for people, printed below the title and on each page
	ID      string    // printed on each page
	Issued  time.Time // in the issuer's time zone
}

// Page collects content from top to bottom. Content that doesn't fit continues on
// the next page.
type Page struct {
	typesetter
	canvas   canvas
	head     Head
	document *element
	items    []item
	tight    bool // less space, so that the end is not alone on a page
}

// tighter returns the usual space, or less.
func (p *Page) tighter(usual, less float64) float64 {
	if p.tight {
		return less
	}
	return usual
}

// item is content that is never split, such as a line of a paragraph.
type item struct {
	height float64
	space  float64         // above it, unless it is at the top of a page
	keep   bool            // on the same page as the next item
	draw   func(y float64) // y is the top of the item
	repeat *item           // the head of a table, repeated at the top of a page
}

const (
	left, right, top, bottom = 19, 19, 16, 20 // margins, in millimeters
	width                    = pageWidth - left - right
	lineHeight               = 4.6
)

var (
	ink   = color{28, 32, 38}
	navy  = color{22, 56, 92}
	gray  = color{92, 100, 110}
	rule  = color{200, 206, 213}
	shade = color{238, 242, 246}
)

// Render creates the PDF and counts its pages. It returns an Unprintable error if
// no font has a character of the content.
func Render(h Head, write func(p *Page)) (pdf []byte, pages int, err error) {
	p, err := draw(h, "", write)
	if err != nil {
		return nil, 0, err
	}
	return p.canvas.file(h, p.document), len(p.canvas.pages), nil
}

// draw draws the pages, with less space if the document then needs fewer pages. The prefix is
// for the names of fonts.
func draw(h Head, prefix string, write func(p *Page)) (*Page, error) {
	p, err := drawWith(&Page{head: h, document: &element{tag: "Document"}}, prefix, write)
	if err != nil || len(p.canvas.pages) == 1 || len(p.canvas.pages) > 5 {
		return p, err
	}
	tight, err := drawWith(&Page{head: h, document: &element{tag: "Document"}, tight: true}, prefix, write)
	if err != nil || len(tight.canvas.pages) >= len(p.canvas.pages) {
		return p, err
	}
	return tight, nil
}

func drawWith(p *Page, prefix string, write func(p *Page)) (_ *Page, err error) {
	h := p.head
	p.canvas.types, p.canvas.fonts.prefix = &p.typesetter, prefix
	if h.Logo != nil {
		if p.canvas.logo, _, err = image.Decode(bytes.NewReader(h.Logo)); err != nil {
			return nil, fmt.Errorf("logo of %s: %w", h.ID, err)
		}
	}

	first := p.header()
	write(p)
	broken := paginate(p.items, first.height)
	for i, items := range broken {
		p.canvas.addPage()
		y := float64(top)
		if i == 0 {
			first.draw(y)
			y += first.height
		} else {
			y += p.laterHeader(y)
		}
		p.footer(i+1, len(broken))
		for n, it := range items {
			if n > 0 {
				y += it.space
			} else if it.repeat != nil {
				it.repeat.draw(y)
				y += it.repeat.height
			}
			it.draw(y)
			y += it.height
		}
	}
	if p.missing != nil {
		return nil, p.missing
	}
	return p, nil
}

// laterHeaderHeight is the height of the header of all pages but the first.
const laterHeaderHeight = 10

// paginate distributes items on pages. Items that belong together stay together
// unless they are taller than a page.
func paginate(items []item, firstHeader float64) [][]item {
	const full = pageHeight - top - bottom
	pages := [][]item{nil}
	remaining := full - firstHeader
	for len(items) > 0 {
		group, height := 1, items[0].height
		for group < len(items) && items[group-1].keep {
			height += items[group].space + items[group].height
			group++
		}

		last := len(pages) - 1
		fits := height <= remaining
		if len(pages[last]) > 0 {
			fits = items[0].space+height <= remaining
		}
		if !fits && len(pages[last]) > 0 {
			pages, last, remaining = append(pages, nil), last+1, full-laterHeaderHeight
			if items[0].repeat != nil {
				remaining -= items[0].repeat.height
			}
			fits = height <= remaining
		}
		if !fits { // taller than a page
			group = 1
		}
		for i, it := range items[:group] {
			if len(pages[last]) > 0 {
				remaining -= it.space
			}
			remaining -= items[i].height
			pages[last] = append(pages[last], it)
		}
		items = items[group:]
	}
	return pages
}

// keepWithPrevious keeps the next item on the same page as the last lines before
// it. More than that would leave the page before half empty.
func (p *Page) keepWithPrevious() {
	const enough = 8.0
	height := 0.0
	for i := len(p.items) - 1; i >= 0 && height < enough; i-- {
		p.items[i].keep = true
		height += p.items[i].height + p.items[i].space
	}
}

// add adds an item.
func (p *Page) add(it item) { p.items = append(p.items, it) }

// baseline returns where the baseline of a line is in a row of a height.
func baseline(height, size float64) float64 { return height/2 + 0.34*size*millimeter }

// rowHeight returns the height of a line. Other scripts need more.
func rowHeight(l line, usual float64) float64 {
	if l.hasOtherFonts() {
		return usual * 1.2
	}
	return usual
}

// column draws lines below each other.
func (p *Page) column(lines []line, x, y, height float64, c color) {
	for _, l := range lines {
		h := rowHeight(l, height)
		p.canvas.text(l, x, y+baseline(h, l.size), c)
		y += h
	}
}

func heightOf(lines []line, height float64) float64 {
	sum := 0.0
	for _, l := range lines {
		sum += rowHeight(l, height)
	}
	return sum
}

// header returns the header of the first page: the issuer, its logo and address,
// and the title.
func (p *Page) header() item {
	const column = width * 0.55
	issuer := p.lines(15, column-4, span{p.head.Issuer, true})
	var address []line
	for _, l := range p.head.Address {
		address = append(address, p.lines(8, width-column, span{l, false})...)
	}
	title := p.lines(19, width, span{p.head.Title, true})
	number := p.lines(8.5, width, span{fmt.Sprintf("%s, issued %s", p.head.Number, p.head.Issued.Format("January 2, 2006")), false})
	titleElement, numberElement := p.document.child("H1"), p.document.child("P")

	logoWidth, logoHeight := 0.0, 0.0
	if p.canvas.logo != nil {
		b := p.canvas.logo.Bounds()
		logoHeight = min(15, 60*float64(b.Dy())/float64(b.Dx()))
		logoWidth = logoHeight * float64(b.Dx()) / float64(b.Dy())
	}
	name := heightOf(issuer, 7)
	block := max(logoHeight+name+2, heightOf(address, 3.9)+1.5, 9)
	height := block + 7 + heightOf(title, 8.5) + heightOf(number, 5) + 3

	return item{height: height, draw: func(y float64) {
		p.canvas.tagged(nil, func() {
			if p.canvas.logo != nil {
				p.canvas.picture(left, y, logoWidth, logoHeight)
			}
			start := y
			if logoHeight > 0 {
				start += logoHeight + 1
			}
			p.column(issuer, left, start, 7, navy)
			for i, l := range address {
				p.canvas.text(l, left+width-l.width, y+float64(i)*3.9+baseline(3.9, 8), gray)
			}
			p.canvas.line(left, y+block, left+width, 0.7, navy)
		})
		y += block + 7
		p.canvas.tagged(titleElement, func() { p.column(title, left, y, 8.5, ink) })
		y += heightOf(title, 8.5)
		p.canvas.tagged(numberElement, func() { p.column(number, left, y, 5, gray) })
	}}
}

// laterHeader draws the header of all pages but the first.
func (p *Page) laterHeader(y float64) float64 {
	title := p.lines(8, width*0.6, span{p.head.Title, false})[0]
	issuer := p.lines(8, width*0.4, span{p.head.Issuer, false})[0]
	p.canvas.tagged(nil, func() {
		p.canvas.text(title, left, y+baseline(lineHeight, 8), gray)
		p.canvas.text(issuer, left+width-issuer.width, y+baseline(lineHeight, 8), gray)
		p.canvas.line(left, y+lineHeight+0.6, left+width, 0.2, rule)
	})
	return laterHeaderHeight
}

func (p *Page) footer(page, total int) {
	const y = pageHeight - 14
	number := p.lines(7.5, width*0.8, span{p.head.Number + "  ·  " + p.head.ID, false})[0]
	pages := p.lines(7.5, width*0.2, span{fmt.Sprintf("Page %d of %d", page, total), false})[0]
	p.canvas.tagged(nil, func() {
		p.canvas.line(left, y, left+width, 0.2, rule)
		p.canvas.text(number, left, y+1.5+baseline(4, 7.5), gray)
		p.canvas.text(pages, left+width-pages.width, y+1.5+baseline(4, 7.5), gray)
	})
}
