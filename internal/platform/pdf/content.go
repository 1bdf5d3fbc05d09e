package pdf

import (
	"strconv"
	"strings"
)

// Heading starts a section. It is never the last line of a page.
func (p *Page) Heading(text string) {
	lines := p.lines(11, width, span{text, true})
	e := p.document.child("H2")
	height := heightOf(lines, 6)
	p.add(item{height: height + p.tighter(2, 1.2), space: p.tighter(3.5, 2), keep: true, draw: func(y float64) {
		p.canvas.tagged(e, func() { p.column(lines, left, y, 6, navy) })
		p.canvas.tagged(nil, func() { p.canvas.line(left, y+height, left+width, 0.2, rule) })
	}})
}

// Paragraph adds text.
func (p *Page) Paragraph(text string) {
	p.block(p.document.child("P"), p.lines(9.5, width, span{text, false}), blockStyle{left, lineHeight, 1.8, ink, false})
}

// Note adds small print.
func (p *Page) Note(text string) {
	p.block(p.document.child("P"), p.lines(8, width, span{text, false}), blockStyle{left, 3.9, 1.5, gray, false})
}

// Notice adds a legal notice in bold 10-point type, as the law requires.
func (p *Page) Notice(text string) {
	p.block(p.document.child("P"), p.lines(10, width, span{text, true}), blockStyle{left, lineHeight, 1.8, ink, true})
}

// blockStyle is where and how lines of text are set.
type blockStyle struct {
	x, lineHeight, after float64
	color                color
	together             bool // all lines are on one page
}

// block adds lines of text with space after them. At least two lines stay together
// on a page, or all of them.
func (p *Page) block(e *element, lines []line, s blockStyle) {
	for i, l := range lines {
		h := rowHeight(l, s.lineHeight)
		it := item{height: h, keep: s.together || i == 0 || i == len(lines)-2, draw: func(y float64) {
			p.canvas.tagged(e, func() { p.column([]line{l}, s.x, y, s.lineHeight, s.color) })
		}}
		if i == len(lines)-1 {
			it.height, it.keep = h+s.after, false
		}
		p.add(it)
	}
}

// Clause is a paragraph of a contract. Its name can be empty.
type Clause struct{ Name, Text string }

// Clauses adds numbered paragraphs.
func (p *Page) Clauses(clauses ...Clause) {
	const indent = 7
	list := p.document.child("L")
	for i, c := range clauses {
		if c.Name != "" {
			c.Name += ". "
		}
		li := list.child("LI")
		label, body := li.child("Lbl"), li.child("LBody")
		number := p.lines(9.5, indent, span{strconv.Itoa(i+1) + ".", false})
		lines := p.lines(9.5, width-indent, span{c.Name, true}, span{c.Text, false})
		first := len(p.items)
		p.block(body, lines, blockStyle{left + indent, lineHeight, 1.3, ink, len(lines) <= 6})
		draw := p.items[first].draw
		p.items[first].draw = func(y float64) {
			p.canvas.tagged(label, func() { p.column(number, left, y, lineHeight, ink) })
			draw(y)
		}
	}
}

// Field is a labeled value. Without a value, it is a blank line to fill in.
type Field struct{ Name, Value string }

// Fields adds fields in two columns. Few fields stay together.
func (p *Page) Fields(fields ...Field) { p.fields(2, fields) }

// Columns adds fields next to each other, such as the parties of a contract: up to three in a
// row.
func (p *Page) Columns(fields ...Field) { p.fields(max(2, min(3, len(fields))), fields) }

func (p *Page) fields(columns int, fields []Field) {
	const gap, nameHeight, valueHeight = 6, 3.6, 5
	after := p.tighter(1.6, 0.5)
	column := (width - gap*float64(columns-1)) / float64(columns)
	for i := 0; i < len(fields); i += columns {
		pair := fields[i:min(i+columns, len(fields))]
		height := 0.0
		draws := make([]func(y float64), len(pair))
		for n, f := range pair {
			name, value := p.lines(7.5, column, span{f.Name, false}), p.lines(10, column, span{f.Value, false})
			e, x := p.document.child("P"), left+float64(n)*(column+gap)
			names := heightOf(name, nameHeight)
			height = max(height, names+heightOf(value, valueHeight)+after)
			draws[n] = func(y float64) {
				p.canvas.tagged(e, func() {
					p.column(name, x, y, nameHeight, gray)
					p.column(value, x, y+names, valueHeight, ink)
				})
				if strings.TrimSpace(f.Value) == "" {
					p.canvas.tagged(nil, func() { p.canvas.line(x, y+names+valueHeight, x+column, 0.2, gray) })
				}
			}
		}
		if i+columns >= len(fields) {
			height++
		}
		p.add(item{height: height, keep: len(fields) <= 6 && i+columns < len(fields), draw: func(y float64) {
			for _, draw := range draws {
				draw(y)
			}
		}})
	}
}

// Together keeps content on one page, such as what a notary signs.
func (p *Page) Together(write func()) {
	first := len(p.items)
	write()
	for i := first; i < len(p.items)-1; i++ {
		p.items[i].keep = true
	}
}

// Checklist adds checkboxes in two columns.
func (p *Page) Checklist(items ...string) {
	const indent = 6
	column := width / 2
	list := p.document.child("L")
	for i := 0; i < len(items); i += 2 {
		pair := items[i:min(i+2, len(items))]
		height := 0.0
		draws := make([]func(y float64), len(pair))
		for n, text := range pair {
			lines := p.lines(9.5, column-indent-4, span{text, false})
			e, x := list.child("LI").child("LBody"), left+float64(n)*column
			height = max(height, heightOf(lines, lineHeight)+p.tighter(2, 1))
			draws[n] = func(y float64) {
				p.canvas.tagged(nil, func() { p.canvas.box(rect{x + 0.5, y + 0.7, 3.2, 3.2}, 0.3, gray) })
				p.canvas.tagged(e, func() { p.column(lines, x+indent, y, lineHeight, ink) })
			}
		}
		if i+2 >= len(items) {
			height += 1.5
		}
		p.add(item{height: height, draw: func(y float64) {
			for _, draw := range draws {
				draw(y)
			}
		}})
	}
}

// Signer is a signature line.
type Signer struct{ Name, Role string }

// Signatures adds signature lines, two per row, all on the same page as the end of
// the text that they sign.
func (p *Page) Signatures(signers ...Signer) {
	const gap, date, nameHeight, roleHeight = 10, 26, 4.2, 3.8
	above := p.tighter(13, 10)
	column := (width - gap) / 2
	p.keepWithPrevious()
	p.Heading("Signatures")
	for i := 0; i < len(signers); i += 2 {
		pair := signers[i:min(i+2, len(signers))]
		height := 0.0
		draws := make([]func(y float64), len(pair))
		for n, s := range pair {
			name, role := p.lines(9, column-date-4, span{s.Name, true}), p.lines(8, column-date-4, span{s.Role, false})
			day := p.lines(8, date, span{"Date", false})
			e, x := p.document.child("P"), left+float64(n)*(column+gap)
			names := heightOf(name, nameHeight)
			height = max(height, above+0.6+names+heightOf(role, roleHeight)+3)
			draws[n] = func(y float64) {
				p.canvas.tagged(nil, func() {
					p.canvas.line(x, y+above, x+column-date-4, 0.3, ink)
					p.canvas.line(x+column-date, y+above, x+column, 0.3, ink)
				})
				p.canvas.tagged(e, func() {
					p.column(name, x, y+above+0.6, nameHeight, ink)
					p.column(role, x, y+above+0.6+names, roleHeight, gray)
					p.column(day, x+column-date, y+above+0.6, nameHeight, gray)
				})
			}
		}
		p.add(item{height: height, keep: i+2 < len(signers), draw: func(y float64) {
			for _, draw := range draws {
				draw(y)
			}
		}})
	}
}

// Lines joins the parts that are not empty, one per line.
func Lines(parts ...string) string {
	var lines []string
	for _, s := range parts {
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}
