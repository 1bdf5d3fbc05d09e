package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// fontSet collects the glyphs that a document uses. The fonts of the program are
// embedded as TrueType, with glyph IDs as codes. The fonts of the operating system
// can have any format, so their glyphs are embedded as Type 3 fonts: outlines with
// the characters that they stand for.
type fontSet struct {
	prefix string                 // of the names of the resources
	own    [2]map[font.GID]string // glyphs and their characters, by the index of embedded
	others []*type3
	codes  map[codeKey]code
}

// type3 is a font of up to 255 glyphs.
type type3 struct {
	face   *font.Face
	glyphs []glyph // the code of a glyph is its index + 1
}

type codeKey struct {
	font *font.Font
	id   font.GID
	text string
}

// code is how a content stream shows a glyph.
type code struct {
	font  string // the name of the resource
	hex   string
	width float64 // in thousandths of the font size
}

// use returns the code of a glyph and marks it as used.
func (s *fontSet) use(t *typesetter, f *font.Font, g glyph) code {
	if i := slices.Index(embeddedFonts(), f); i >= 0 {
		if s.own[i] == nil {
			s.own[i] = map[font.GID]string{}
		}
		if s.own[i][g.id] == "" {
			s.own[i][g.id] = g.text
		}
		return code{fmt.Sprintf("%sF%d", s.prefix, i), fmt.Sprintf("%04X", uint16(g.id)), width1000(t.face(f), g.id)}
	}

	key := codeKey{f, g.id, g.text}
	if c, ok := s.codes[key]; ok {
		return c
	}
	face := t.face(f)
	n := slices.IndexFunc(s.others, func(o *type3) bool { return o.face == face && len(o.glyphs) < 255 })
	if n < 0 {
		n = len(s.others)
		s.others = append(s.others, &type3{face: face})
	}
	s.others[n].glyphs = append(s.others[n].glyphs, g)
	c := code{fmt.Sprintf("%sT%d", s.prefix, n), fmt.Sprintf("%02X", len(s.others[n].glyphs)), width1000(face, g.id)}
	if s.codes == nil {
		s.codes = map[codeKey]code{}
	}
	s.codes[key] = c
	return c
}

func embeddedFonts() []*font.Font { all := embedded(); return all[:] }

func width1000(face *font.Face, id font.GID) float64 {
	return float64(face.HorizontalAdvance(id)) * 1000 / float64(face.Upem())
}

// write adds the fonts to the file and returns the entries of the resources.
func (s *fontSet) write(f *file, t *typesetter) string {
	var b strings.Builder
	for i, used := range s.own {
		if used != nil {
			fmt.Fprintf(&b, "/%sF%d %s", s.prefix, i, writeTrueType(f, t, i, used))
		}
	}
	for i, o := range s.others {
		fmt.Fprintf(&b, "/%sT%d %s", s.prefix, i, o.write(f))
	}
	return b.String()
}

// writeTrueType embeds the used glyphs of a font of the program.
func writeTrueType(f *file, t *typesetter, index int, used map[font.GID]string) ref {
	face := t.face(embedded()[index])
	ids := slices.Sorted(maps.Keys(used))
	name := []string{"SLIPWA+OpenSans", "SLIPWB+OpenSans-Semibold"}[index]
	content := subset([][]byte{regular, semibold}[index], ids)
	stream := f.addStream(fmt.Sprintf("/Length1 %d", len(content)), content)

	extents, _ := face.FontHExtents()
	scale := 1000 / float64(face.Upem())
	descriptor := f.add("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[-550 -271 1204 1048]/ItalicAngle 0/Ascent %s/Descent %s"+
		"/CapHeight 714/StemV %d/FontFile2 %s>>", name, num(float64(extents.Ascender)*scale), num(float64(extents.Descender)*scale),
		80+40*index, stream)

	var widths, mapping strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&widths, "%d[%s]", id, num(width1000(face, id)))
		if used[id] != "" {
			fmt.Fprintf(&mapping, "<%04X><%s>\n", uint16(id), utf16Hex(used[id]))
		}
	}
	descendant := f.add("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"+
		"/FontDescriptor %s/DW 600/W[%s]/CIDToGIDMap/Identity>>", name, descriptor, widths.String())
	return f.add("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%s]/ToUnicode %s>>",
		name, descendant, writeUnicode(f, "<0000><FFFF>", mapping.String()))
}

// writeUnicode adds the characters of codes, so that text can be searched and
// copied.
func writeUnicode(f *file, codes, mapping string) ref {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n" + codes + "\nendcodespacerange\n")
	for lines := range slices.Chunk(strings.Split(strings.TrimSuffix(mapping, "\n"), "\n"), 100) {
		if lines[0] != "" {
			fmt.Fprintf(&b, "%d beginbfchar\n%s\nendbfchar\n", len(lines), strings.Join(lines, "\n"))
		}
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return f.addStream("", []byte(b.String()))
}

// write adds the font.
func (o *type3) write(f *file) ref {
	var procs, names, widths, mapping strings.Builder
	var all box
	for i, g := range o.glyphs {
		outline, _ := o.face.GlyphDataOutline(g.id)
		path, bounds := outlinePath(outline.Segments)
		all = all.union(bounds)
		advance := float64(o.face.HorizontalAdvance(g.id))
		stream := f.addStream("", fmt.Appendf(nil, "%s 0 %s d1\n%s", num(advance), nums(bounds[:]...), path))
		fmt.Fprintf(&procs, "/g%d %s", i+1, stream)
		fmt.Fprintf(&names, "/g%d", i+1)
		widths.WriteString(num(advance) + " ")
		if g.text != "" {
			fmt.Fprintf(&mapping, "<%02X><%s>\n", i+1, utf16Hex(g.text))
		}
	}
	scale := fmt.Sprintf("%.8f", 1/float64(o.face.Upem()))
	return f.add("<</Type/Font/Subtype/Type3/FontBBox[%s]/FontMatrix[%s 0 0 %s 0 0]/CharProcs<<%s>>"+
		"/Encoding<</Type/Encoding/Differences[1%s]>>/FirstChar 1/LastChar %d/Widths[%s]/Resources<<>>/ToUnicode %s>>",
		nums(all[:]...), scale, scale, procs.String(), names.String(), len(o.glyphs), widths.String(),
		writeUnicode(f, "<00><FF>", mapping.String()))
}

// box is left, bottom, right and top.
type box [4]float64

func (b box) union(other box) box {
	return box{min(b[0], other[0]), min(b[1], other[1]), max(b[2], other[2]), max(b[3], other[3])}
}

// outlinePath returns the path of a glyph and its bounds.
func outlinePath(segments []opentype.Segment) (path string, bounds box) {
	var b strings.Builder
	bounds = box{math.MaxInt16, math.MaxInt16, math.MinInt16, math.MinInt16}
	var x, y float64
	for i, s := range segments {
		var at []float64
		for _, p := range s.ArgsSlice() {
			at = append(at, float64(p.X), float64(p.Y))
			bounds = bounds.union(box{float64(p.X), float64(p.Y), float64(p.X), float64(p.Y)})
		}
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			if i > 0 {
				b.WriteString("h\n")
			}
			b.WriteString(nums(at...) + " m\n")
		case opentype.SegmentOpLineTo:
			b.WriteString(nums(at...) + " l\n")
		case opentype.SegmentOpQuadTo: // as a cubic curve
			b.WriteString(nums(x+2*(at[0]-x)/3, y+2*(at[1]-y)/3, at[2]+2*(at[0]-at[2])/3, at[3]+2*(at[1]-at[3])/3, at[2], at[3]) + " c\n")
		case opentype.SegmentOpCubeTo:
			b.WriteString(nums(at...) + " c\n")
		}
		x, y = at[len(at)-2], at[len(at)-1]
	}
	if len(segments) == 0 {
		return "", box{}
	}
	return b.String() + "h f\n", bounds
}

// subset returns a TrueType file in which only the used glyphs have outlines. All
// glyphs keep their IDs.
func subset(file []byte, used []font.GID) []byte {
	ld, err := opentype.NewLoader(bytes.NewReader(file))
	if err != nil {
		panic(err) // the file is part of the program
	}
	table := func(name string) []byte {
		raw, err := ld.RawTable(opentype.MustNewTag(name))
		if err != nil {
			return nil // optional
		}
		return slices.Clone(raw)
	}

	head, loca, glyf := table("head"), table("loca"), table("glyf")
	offset := func(i int) int {
		if head[51] == 0 { // short offsets
			return 2 * int(binary.BigEndian.Uint16(loca[2*i:]))
		}
		return int(binary.BigEndian.Uint32(loca[4*i:]))
	}
	count := int(binary.BigEndian.Uint16(table("maxp")[4:]))
	keep := map[int]bool{0: true}
	var visit func(id int)
	visit = func(id int) {
		keep[id] = true
		for _, part := range components(glyf[offset(id):offset(id+1)]) {
			if !keep[part] {
				visit(part)
			}
		}
	}
	for _, id := range used {
		visit(int(id))
	}

	var outlines []byte
	offsets := binary.BigEndian.AppendUint32(nil, 0)
	for id := range count {
		if keep[id] {
			outlines = append(outlines, glyf[offset(id):offset(id+1)]...)
			for len(outlines)%4 != 0 {
				outlines = append(outlines, 0)
			}
		}
		offsets = binary.BigEndian.AppendUint32(offsets, uint32(len(outlines)))
	}
	head[51] = 1 // long offsets
	clear(head[8:12])

	tables := map[string][]byte{"head": head, "loca": offsets, "glyf": outlines}
	for _, name := range []string{"hhea", "maxp", "hmtx", "cvt ", "fpgm", "prep"} {
		if raw := table(name); raw != nil {
			tables[name] = raw
		}
	}
	return sfnt(tables)
}

// components returns the glyphs that a composite glyph consists of.
func components(outline []byte) []int {
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	const wordArgs, scaled, more, scaledXY, matrix = 0x1, 0x8, 0x20, 0x40, 0x80
	var ids []int
	for at := 10; ; {
		flags := binary.BigEndian.Uint16(outline[at:])
		ids = append(ids, int(binary.BigEndian.Uint16(outline[at+2:])))
		at += 6
		if flags&wordArgs != 0 {
			at += 2
		}
		switch {
		case flags&scaled != 0:
			at += 2
		case flags&scaledXY != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			return ids
		}
	}
}

// sfnt writes the tables as a TrueType file.
func sfnt(tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	power := 0
	for 1<<(power+1) <= len(names) {
		power++
	}
	out := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{len(names), 16 << power, power, 16 * (len(names) - 1<<power)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}

	var content []byte
	for _, name := range names {
		data := tables[name]
		length := len(data)
		for len(data)%4 != 0 {
			data = append(data, 0)
		}
		var sum uint32
		for i := 0; i < len(data); i += 4 {
			sum += binary.BigEndian.Uint32(data[i:])
		}
		out = append(out, name...)
		for _, v := range []uint32{sum, uint32(12 + 16*len(names) + len(content)), uint32(length)} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		content = append(content, data...)
	}
	return append(out, content...)
}
