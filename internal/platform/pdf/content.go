package pdf

import (
	"strconv"
	"strings"
)

// Heading starts a section. It is never the last line of a page.
func (p *Page) Heading(text string) {
	p.ensureSpace(18)
	p.pdf.Ln(3.5)
	p.text("B", 11, navy)
	p.pdf.CellFormat(width, 6, clean(text), "", 1, "L", false, 0, "")
	p.hairline(rule, 0.2)
	p.pdf.Ln(2)
}

// Paragraph adds text.
func (p *Page) Paragraph(text string) {
	p.text("", 9.5, ink)
	p.pdf.MultiCell(width, line, clean(text), "", "L", false)
	p.pdf.Ln(1.8)
}

// Note adds small print.
func (p *Page) Note(text string) {
	p.text("", 8, gray)
	p.pdf.MultiCell(width, 3.9, clean(text), "", "L", false)
	p.pdf.Ln(1.5)
}

// Notice adds a legal notice in bold 10-point type, as the law requires.
func (p *Page) Notice(text string) {
	p.text("B", 10, ink)
	p.ensureSpace(float64(len(p.pdf.SplitText(clean(text), width))) * line)
	p.pdf.MultiCell(width, line, clean(text), "", "L", false)
	p.pdf.Ln(1.8)
}

// Clause is a paragraph of a contract. Its name can be empty.
type Clause struct{ Name, Text string }

// Clauses adds numbered paragraphs.
func (p *Page) Clauses(clauses ...Clause) {
	const indent = 7
	for i, c := range clauses {
		p.text("", 9.5, ink)
		if c.Name != "" {
			c.Name += ". "
		}
		if lines := p.pdf.SplitText(clean(c.Name+c.Text), width-indent); len(lines) <= 6 {
			p.ensureSpace(float64(len(lines)) * line)
		}
		p.pdf.CellFormat(indent, line, strconv.Itoa(i+1)+".", "", 0, "L", false, 0, "")
		p.pdf.SetLeftMargin(left + indent)
		p.text("B", 9.5, ink)
		p.pdf.Write(line, clean(c.Name))
		p.text("", 9.5, ink)
		p.pdf.Write(line, clean(c.Text))
		p.pdf.SetLeftMargin(left)
		p.pdf.Ln(line + 1.3)
	}
}

// Field is a labeled value. Without a value, it is a blank line to fill in.
type Field struct{ Name, Value string }

// Fields adds fields in two columns.
func (p *Page) Fields(fields ...Field) {
	const gap = 6
	column := (width - gap) / 2
	for i := 0; i < len(fields); i += 2 {
		pair := fields[i:min(i+2, len(fields))]
		height := 0.0
		for _, f := range pair {
			p.text("", 10, ink)
			height = max(height, 3.6+float64(max(1, len(p.pdf.SplitText(clean(f.Value), column))))*5+1.6)
		}
		p.ensureSpace(height)
		y := p.pdf.GetY()
		for n, f := range pair {
			x := left + float64(n)*(column+gap)
			p.pdf.SetXY(x, y)
			p.text("", 7.5, gray)
			p.pdf.CellFormat(column, 3.6, clean(f.Name), "", 2, "L", false, 0, "")
			if f.Value == "" {
				p.pdf.SetDrawColor(rule[0], rule[1], rule[2])
				p.pdf.SetLineWidth(0.2)
				p.pdf.Line(x, y+8.6, x+column, y+8.6)
				continue
			}
			p.text("", 10, ink)
			for _, l := range p.pdf.SplitText(clean(f.Value), column) {
				p.pdf.SetX(x)
				p.pdf.CellFormat(column, 5, l, "", 2, "L", false, 0, "")
			}
		}
		p.pdf.SetXY(left, y+height)
	}
	p.pdf.Ln(1)
}

// Column is a column of a table. Share is its relative width. Numbers are aligned
// to the right.
type Column struct {
	Name   string
	Share  float64
	Number bool
}

// Table adds a table. Its head is repeated on each page. The sums are the last rows,
// in bold.
func (p *Page) Table(columns []Column, rows, sums [][]string) {
	shares := 0.0
	for _, c := range columns {
		shares += c.Share
	}
	widths := make([]float64, len(columns))
	for i, c := range columns {
		widths[i] = width * c.Share / shares
	}
	p.ensureSpace(22)
	p.pdf.SetCellMargin(1.2) // for the shaded head
	defer p.pdf.SetCellMargin(0)
	p.tableHead(columns, widths)
	for _, row := range rows {
		p.tableRow(columns, widths, row, "")
	}
	for _, row := range sums {
		p.tableRow(columns, widths, row, "B")
	}
	p.pdf.Ln(2.5)
}

func (p *Page) tableHead(columns []Column, widths []float64) {
	p.text("B", 8, navy)
	p.pdf.SetFillColor(shade[0], shade[1], shade[2])
	for i, c := range columns {
		p.pdf.CellFormat(widths[i], 6, clean(c.Name), "", 0, align(c), true, 0, "")
	}
	p.pdf.Ln(6)
}

func align(c Column) string {
	if c.Number {
		return "R"
	}
	return "L"
}

// tableRow adds a row, which never breaks across pages.
func (p *Page) tableRow(columns []Column, widths []float64, row []string, style string) {
	p.text(style, 9, ink)
	cells, height := make([][]string, len(row)), 1
	for i, text := range row {
		cells[i] = p.pdf.SplitText(clean(text), widths[i])
		height = max(height, len(cells[i]))
	}
	rowHeight := float64(height)*4.4 + 1.4
	_, pageHeight := p.pdf.GetPageSize()
	if p.pdf.GetY()+rowHeight > pageHeight-bottom {
		p.pdf.AddPage()
		p.tableHead(columns, widths)
		p.text(style, 9, ink)
	}
	x, y := float64(left), p.pdf.GetY()
	for i, lines := range cells {
		for n, l := range lines {
			p.pdf.SetXY(x, y+0.7+float64(n)*4.4)
			p.pdf.CellFormat(widths[i], 4.4, l, "", 0, align(columns[i]), false, 0, "")
		}
		x += widths[i]
	}
	p.pdf.SetXY(left, y+rowHeight)
	p.hairline(rule, 0.15)
}

// Checklist adds checkboxes in two columns.
func (p *Page) Checklist(items ...string) {
	column := width / 2
	for i := 0; i < len(items); i += 2 {
		pair := items[i:min(i+2, len(items))]
		height := 0.0
		for _, item := range pair {
			p.text("", 9.5, ink)
			height = max(height, float64(len(p.pdf.SplitText(clean(item), column-10)))*line+2)
		}
		p.ensureSpace(height)
		y := p.pdf.GetY()
		for n, item := range pair {
			x := left + float64(n)*column
			p.pdf.SetDrawColor(gray[0], gray[1], gray[2])
			p.pdf.SetLineWidth(0.3)
			p.pdf.Rect(x+0.5, y+0.7, 3.2, 3.2, "D")
			for k, l := range p.pdf.SplitText(clean(item), column-10) {
				p.pdf.SetXY(x+6, y+float64(k)*line)
				p.pdf.CellFormat(column-8, line, l, "", 0, "L", false, 0, "")
			}
		}
		p.pdf.SetXY(left, y+height)
	}
	p.pdf.Ln(1.5)
}

// Signer is a signature line.
type Signer struct{ Name, Role string }

// Signatures adds signature lines, two per row, all on the same page.
func (p *Page) Signatures(signers ...Signer) {
	const rowHeight, gap = 25, 10
	column := (width - gap) / 2
	p.ensureSpace(float64((len(signers)+1)/2)*rowHeight + 14)
	p.Heading("Signatures")
	y := p.pdf.GetY()
	for i, s := range signers {
		x, row := left+float64(i%2)*(column+gap), y+float64(i/2)*rowHeight
		p.pdf.SetDrawColor(ink[0], ink[1], ink[2])
		p.pdf.SetLineWidth(0.3)
		p.pdf.Line(x, row+13, x+column-30, row+13)
		p.pdf.Line(x+column-26, row+13, x+column, row+13)
		p.text("B", 9, ink)
		p.pdf.SetXY(x, row+13.6)
		p.pdf.CellFormat(column-28, 4.2, p.fit(s.Name, column-28), "", 0, "L", false, 0, "")
		p.text("", 8, gray)
		p.pdf.SetXY(x+column-26, row+13.6)
		p.pdf.CellFormat(26, 4.2, "Date", "", 0, "L", false, 0, "")
		p.pdf.SetXY(x, row+17.8)
		p.pdf.CellFormat(column-28, 3.8, clean(s.Role), "", 0, "L", false, 0, "")
	}
	p.pdf.SetXY(left, y+float64((len(signers)+1)/2)*rowHeight)
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
