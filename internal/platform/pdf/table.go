package pdf

// Column is a column of a table. Share is its relative width. Numbers are aligned
// to the right.
type Column struct {
	Name   string
	Share  float64
	Number bool
}

const cellMargin, cellHeight = 1.2, 4.4

// Rows are the rows of a table, with sums below them in bold.
type Rows struct{ Rows, Sums [][]string }

// Table adds a table. Its head is repeated on each page. A small table stays on one
// page.
func (p *Page) Table(columns []Column, groups ...Rows) {
	shares := 0.0
	for _, c := range columns {
		shares += c.Share
	}
	widths := make([]float64, len(columns))
	names := make([]string, len(columns))
	for i, c := range columns {
		widths[i], names[i] = width*c.Share/shares, c.Name
	}

	table, first := p.document.child("Table"), len(p.items)
	head := p.tableHead(table, columns, widths, names)
	p.add(head)
	head.draw = p.tableHead(nil, columns, widths, names).draw // repeated as decoration
	for _, g := range groups {
		for i, row := range g.Rows {
			it := p.tableRow(table.child("TR"), columns, widths, row, false)
			it.repeat = &head
			it.keep = i == len(g.Rows)-1 && len(g.Sums) > 0 // sums are not alone on a page
			p.add(it)
		}
		for i, row := range g.Sums {
			it := p.tableRow(table.child("TR"), columns, widths, row, true)
			it.repeat, it.keep = &head, i < len(g.Sums)-1
			p.add(it)
		}
	}
	last := len(p.items) - 1
	p.items[last].height += 2.5
	if small := p.items[first:last]; len(small) <= 6 {
		for i := range small {
			small[i].keep = true
		}
	}
}

func (p *Page) tableHead(table *element, columns []Column, widths []float64, names []string) item {
	var row *element
	if table != nil {
		row = table.child("TR")
	}
	cells := make([][]line, len(names))
	elements := make([]*element, len(names))
	height := 0.0
	for i, name := range names {
		cells[i] = p.lines(8, widths[i]-2*cellMargin, span{name, true})
		height = max(height, heightOf(cells[i], 4)+2)
		if row != nil {
			elements[i] = row.child("TH")
		}
	}
	return item{height: height, keep: true, draw: func(y float64) {
		p.canvas.tagged(nil, func() { p.canvas.fill(left, y, width, height, shade) })
		p.drawCells(cellRow{elements, columns, widths, cells}, y+1, 4, navy)
	}}
}

// tableRow returns a row, which never breaks across pages.
func (p *Page) tableRow(row *element, columns []Column, widths []float64, texts []string, bold bool) item {
	cells := make([][]line, len(texts))
	elements := make([]*element, len(texts))
	height := 0.0
	for i, text := range texts {
		cells[i] = p.lines(9, widths[i]-2*cellMargin, span{text, bold})
		height = max(height, heightOf(cells[i], cellHeight)+p.tighter(1.4, 0.8))
		elements[i] = row.child("TD")
	}
	return item{height: height, draw: func(y float64) {
		p.drawCells(cellRow{elements, columns, widths, cells}, y+0.7, cellHeight, ink)
		p.canvas.tagged(nil, func() { p.canvas.line(left, y+height, left+width, 0.15, rule) })
	}}
}

// cellRow has the cells of a row, in the order of its columns.
type cellRow struct {
	elements []*element
	columns  []Column
	widths   []float64
	cells    [][]line
}

func (p *Page) drawCells(row cellRow, y, height float64, c color) {
	x := float64(left)
	for i, lines := range row.cells {
		p.canvas.tagged(row.elements[i], func() {
			at := y
			for _, l := range lines {
				h, start := rowHeight(l, height), x+cellMargin
				if row.columns[i].Number {
					start = x + row.widths[i] - cellMargin - l.width
				}
				p.canvas.text(l, start, at+baseline(h, l.size), c)
				at += h
			}
		})
		x += row.widths[i]
	}
}
