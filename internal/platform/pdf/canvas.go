package pdf

import (
	"bytes"
	"fmt"
	"image"
	"math"

	// The formats of logos.
	_ "image/jpeg"
	_ "image/png"
)

// millimeter is the length of a point in millimeters.
const millimeter = 25.4 / 72

const (
	pageWidth  = 215.9 // US Letter, in millimeters
	pageHeight = 279.4
)

// color is red, green and blue.
type color [3]int

func (c color) operator(name string) string {
	return nums(float64(c[0])/255, float64(c[1])/255, float64(c[2])/255) + " " + name + "\n"
}

// canvas draws on pages. Positions are millimeters from the left and from the top.
type canvas struct {
	types  *typesetter
	fonts  fontSet
	pages  []*bytes.Buffer
	marks  []int // how many each page has
	logo   image.Image
	hasPic bool
}

func (c *canvas) addPage() {
	c.pages = append(c.pages, &bytes.Buffer{})
	c.marks = append(c.marks, 0)
}

func (c *canvas) write(format string, args ...any) {
	fmt.Fprintf(c.pages[len(c.pages)-1], format, args...)
}

// tagged draws the content of an element. Without an element, the content is only
// decoration.
func (c *canvas) tagged(e *element, draw func()) {
	page := len(c.pages) - 1
	if e == nil {
		c.write("/Artifact BMC\n")
	} else {
		m := mark{page, c.marks[page]}
		c.marks[page]++
		e.marks = append(e.marks, m)
		c.write("/%s<</MCID %d>>BDC\n", e.tag, m.id)
	}
	draw()
	c.write("EMC\n")
}

func points(mm float64) float64 { return mm / millimeter }

// text draws a line with its baseline at y.
func (c *canvas) text(l line, x, y float64, ink color) {
	c.write("%s", ink.operator("rg"))
	at := points(x)
	for _, r := range l.runs {
		if !r.plain {
			c.write("/Span<</ActualText%s>>BDC\n", textString(r.text))
		}
		at = c.run(r, l.size, at, points(pageHeight-y))
		if !r.plain {
			c.write("EMC\n")
		}
	}
}

// run draws a run and returns where it ends.
func (c *canvas) run(r run, size, x, y float64) float64 {
	c.write("BT\n")
	current, open := "", false
	var pen, raised float64 // where the next glyph would be, in points from x and y
	target := 0.0
	for _, g := range r.glyphs {
		code := c.fonts.use(c.types, r.font, g)
		dx, dy := target+g.dx*size/em, g.dy*size/em
		if code.font != current || dy != raised {
			if open {
				c.write("]TJ\n")
			}
			if code.font != current {
				c.write("/%s %s Tf\n", code.font, num(size))
			}
			c.write("1 0 0 1 %s Tm\n[", nums(x+dx, y+dy))
			current, open, pen, raised = code.font, true, dx, dy
		}
		if gap := (pen - dx) / size * 1000; math.Abs(gap) > 0.5 {
			c.write("%s", num(math.Round(gap)))
			pen = dx
		}
		c.write("<%s>", code.hex)
		pen += code.width * size / 1000
		target += g.advance * size / em
	}
	if open {
		c.write("]TJ\n")
	}
	c.write("ET\n")
	return x + target
}

// line draws a horizontal line.
func (c *canvas) line(x1, y, x2, thickness float64, ink color) {
	c.write("%s%s w %s m %s l S\n", ink.operator("RG"), num(points(thickness)), nums(points(x1), points(pageHeight-y)),
		nums(points(x2), points(pageHeight-y)))
}

func (c *canvas) fill(x, y, w, h float64, ink color) {
	c.write("%s%s re f\n", ink.operator("rg"), nums(points(x), points(pageHeight-y-h), points(w), points(h)))
}

// rect is a rectangle on a page.
type rect struct{ x, y, w, h float64 }

func (c *canvas) box(r rect, thickness float64, ink color) {
	c.write("%s%s w %s re S\n", ink.operator("RG"), num(points(thickness)),
		nums(points(r.x), points(pageHeight-r.y-r.h), points(r.w), points(r.h)))
}

// picture draws the logo.
func (c *canvas) picture(x, y, w, h float64) {
	c.hasPic = true
	c.write("q %s 0 0 %s %s cm /Logo Do Q\n", num(points(w)), num(points(h)), nums(points(x), points(pageHeight-y-h)))
}

// writeLogo adds the logo to the file, with its transparency.
func writeLogo(f *file, img image.Image) ref {
	b := img.Bounds()
	var rgb, alpha []byte
	opaque := true
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, a := img.At(x, y).RGBA()
			if a > 0 { // the colors are multiplied by the transparency
				r, g, bl = r*0xFFFF/a, g*0xFFFF/a, bl*0xFFFF/a
			}
			rgb = append(rgb, byte(r>>8), byte(g>>8), byte(bl>>8))
			alpha = append(alpha, byte(a>>8))
			opaque = opaque && a == 0xFFFF
		}
	}
	size := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8", b.Dx(), b.Dy())
	mask := ""
	if !opaque {
		mask = "/SMask " + f.addStream(size+"/ColorSpace/DeviceGray", alpha).String()
	}
	return f.addStream(size+"/ColorSpace/DeviceRGB"+mask, rgb)
}

// file builds the PDF.
func (c *canvas) file(h Head, document *element) []byte {
	f := &file{}
	catalog, tree, root := f.reserve(), f.reserve(), f.reserve()
	pages := c.writePages(f, tree, 0)
	f.set(tree, "<</Type/Pages/Count %d/Kids[%s]>>", len(pages), list(pages))
	parents := writeElements(f, document, root, pages)
	parentTree := f.add("<</Nums[%s]>>", numberTree(parents, 0))
	f.set(root, "<</Type/StructTreeRoot/K[%s]/ParentTree %s/ParentTreeNextKey %d>>", document.ref, parentTree, len(pages))
	f.set(catalog, "<</Type/Catalog/Pages %s/Lang(en-US)/MarkInfo<</Marked true>>/StructTreeRoot %s"+
		"/ViewerPreferences<</DisplayDocTitle true>>>>", tree, root)
	info := f.add("<</Title%s/Author%s/Creator(Slipway)/Producer(Slipway)/CreationDate%s/ModDate%s>>",
		textString(clean(h.Title+" "+h.Number)), textString(clean(h.Issuer)), dateString(h.Issued), dateString(h.Issued))
	return f.bytes(catalog, info)
}

// writePages adds the pages with their fonts and the logo. key is the number of the
// first page in the structure.
func (c *canvas) writePages(f *file, tree ref, key int) []ref {
	resources := f.reserve()
	pages := make([]ref, len(c.pages))
	for i, content := range c.pages {
		stream := f.addStream("", content.Bytes())
		pages[i] = f.add("<</Type/Page/Parent %s/MediaBox[0 0 612 792]/Resources %s/Contents %s/StructParents %d/Tabs/S>>",
			tree, resources, stream, key+i)
	}
	images := ""
	if c.hasPic {
		images = fmt.Sprintf("/XObject<</Logo %s>>", writeLogo(f, c.logo))
	}
	f.set(resources, "<</Font<<%s>>%s>>", c.fonts.write(f, c.types), images)
	return pages
}
