package pdf

// Disclosure is an amount that the law requires in a box, with its explanation.
// Strong ones are larger and bold, so that they are more conspicuous than the rest.
type Disclosure struct {
	Name, Value, Text string
	Strong            bool
}

// Disclosures adds boxes next to each other, on one page. Screen readers get a
// table.
func (p *Page) Disclosures(all ...Disclosure) {
	const margin, gap, strongShare = 1.6, 1.4, 1.3
	shares := 0.0
	for _, d := range all {
		shares += shareOf(d, strongShare)
	}
	table := p.document.child("Table")
	names, values := table.child("TR"), table.child("TR")

	type box struct {
		name, value, text []line
		nameHeight        float64
		valueHeight       float64
		x, width          float64
		th, td            *element
		strong            bool
	}
	boxes := make([]box, len(all))
	x, nameArea, valueArea, textArea := float64(left), 0.0, 0.0, 0.0
	for i, d := range all {
		b := box{x: x, width: (width+gap)*shareOf(d, strongShare)/shares - gap, th: names.child("TH"), td: values.child("TD"), strong: d.Strong}
		nameSize, valueSize := 8.0, 9.5
		b.nameHeight, b.valueHeight = 4, 5.4
		if d.Strong {
			nameSize, valueSize = 11, 14
			b.nameHeight, b.valueHeight = 5, 8
		}
		inner := b.width - 2*margin
		b.name, b.value = p.lines(nameSize, inner, span{d.Name, d.Strong}), p.lines(valueSize, inner, span{d.Value, d.Strong})
		b.text = p.lines(7.5, inner, span{d.Text, false})
		nameArea, valueArea = max(nameArea, heightOf(b.name, b.nameHeight)), max(valueArea, heightOf(b.value, b.valueHeight))
		textArea = max(textArea, heightOf(b.text, 3.6))
		boxes[i], x = b, x+b.width+gap
	}

	height := nameArea + valueArea + textArea + 2*margin
	draw := func(y float64) {
		for _, b := range boxes {
			p.canvas.tagged(nil, func() {
				thickness, c := 0.2, gray
				if b.strong {
					thickness, c = 0.7, ink
				}
				p.canvas.box(rect{b.x, y, b.width, height}, thickness, c)
			})
			p.canvas.tagged(b.th, func() { p.column(b.name, b.x+margin, y+margin, b.nameHeight, ink) })
		}
		for _, b := range boxes { // in the order of reading: a row of names, then a row of values
			p.canvas.tagged(b.td, func() {
				p.column(b.value, b.x+margin, y+margin+nameArea, b.valueHeight, ink)
				p.column(b.text, b.x+margin, y+margin+nameArea+valueArea, 3.6, ink)
			})
		}
	}
	p.add(item{height: height + 2.5, draw: draw})
}

func shareOf(d Disclosure, strong float64) float64 {
	if d.Strong {
		return strong
	}
	return 1
}
