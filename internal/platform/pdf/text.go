package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
)

// em is the size at which text is shaped, so that lengths are thousandths of the
// font size.
const em = 1000

// span is text in one style.
type span struct {
	text string
	bold bool
}

// line is one line of shaped text, from left to right.
type line struct {
	runs  []run
	width float64 // in millimeters
	size  float64 // in points
}

// run is a part of a line in one font.
type run struct {
	font   *font.Font
	glyphs []glyph
	text   string // in the order of reading
	plain  bool   // each glyph has its characters, so readers find the text by themselves
}

// glyph is a shaped character. Lengths are thousandths of the font size.
type glyph struct {
	id              font.GID
	text            string // the characters of the cluster, for its first glyph
	advance, dx, dy float64
}

// typesetter shapes text and breaks it into lines. It is not safe for concurrent
// use.
type typesetter struct {
	shaper  shaping.HarfbuzzShaper
	split   shaping.Segmenter
	wrapper shaping.LineWrapper
	faces   map[*font.Font]*font.Face
	missing *Unprintable // the first character without a glyph
}

// lines breaks text into lines that are at most width millimeters wide. The size is
// in points. A line break in the text starts a new line.
func (t *typesetter) lines(size, width float64, spans ...span) []line {
	var all []line
	var paragraph []span
	for _, s := range spans {
		parts := strings.Split(clean(s.text), "\n")
		for i, part := range parts {
			if i > 0 {
				all = append(all, t.wrap(size, width, paragraph)...)
				paragraph = nil
			}
			paragraph = append(paragraph, span{part, s.bold})
		}
	}
	return append(all, t.wrap(size, width, paragraph)...)
}

// wrap breaks a paragraph into lines.
func (t *typesetter) wrap(size, width float64, spans []span) []line {
	var text []rune
	var starts []int
	for _, s := range spans {
		starts = append(starts, len(text))
		text = append(text, []rune(s.text)...)
	}
	if strings.TrimSpace(string(text)) == "" {
		return []line{{size: size}}
	}

	direction := directionOf(string(text))
	var runs []shaping.Output
	for i, s := range spans {
		in := shaping.Input{
			Text: text, RunStart: starts[i], RunEnd: starts[i] + len([]rune(s.text)), Direction: direction, Size: fixed.I(em),
			Language: language.NewLanguage("en"),
		}
		if in.RunStart == in.RunEnd {
			continue
		}
		for _, part := range slices.Clone(t.split.Split(in, anyFace{t.face(embedded()[0])})) {
			for _, one := range t.byFont(part, s.bold) {
				runs = append(runs, t.shaper.Shape(one))
			}
		}
	}

	limit := fixed.Int26_6(math.Floor(width / (size * millimeter) * em * 64))
	wrapped, _ := t.wrapper.WrapParagraphF(shaping.WrapConfig{Direction: direction}, limit, text, shaping.NewSliceIterator(runs))
	all := make([]line, 0, len(wrapped))
	for _, l := range wrapped {
		all = append(all, t.line(size, text, l))
	}
	return all
}

// anyFace returns one face for all text. byFont selects the fonts later, because
// a character and its marks must have the same font.
type anyFace struct{ face *font.Face }

func (a anyFace) ResolveFace(rune) *font.Face { return a.face }

// directionOf returns the direction of a paragraph. Its first letter decides it.
func directionOf(text string) di.Direction {
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		switch p.Class() {
		case bidi.L:
			return di.DirectionLTR
		case bidi.R, bidi.AL:
			return di.DirectionRTL
		}
	}
	return di.DirectionLTR
}

// byFont splits a run of one script into parts of one font each.
func (t *typesetter) byFont(in shaping.Input, bold bool) []shaping.Input {
	var parts []shaping.Input
	for i := in.RunStart; i < in.RunEnd; {
		end := min(clusterEnd(in.Text, i), in.RunEnd)
		f, ok := pick(in.Text[i:end], bold)
		if !ok && t.missing == nil {
			t.missing = &Unprintable{Text: string(in.Text), Char: string(in.Text[i:end])}
		}

		face := t.face(f)
		last := len(parts) - 1
		isSpace := end == i+1 && in.Text[i] == ' '
		if last >= 0 && (parts[last].Face == face || isSpace) {
			parts[last].RunEnd = end
		} else {
			part := in
			part.RunStart, part.RunEnd, part.Face = i, end, face
			part.FontFeatures = []shaping.FontFeature{{Tag: opentype.MustNewTag("liga"), Value: 0}} // every letter can be searched
			parts = append(parts, part)
		}
		i = end
	}
	return parts
}

// face returns the face of a font. Faces have caches, so each document has its own.
func (t *typesetter) face(f *font.Font) *font.Face {
	if t.faces == nil {
		t.faces = map[*font.Font]*font.Face{}
	}
	if t.faces[f] == nil {
		t.faces[f] = font.NewFace(f)
	}
	return t.faces[f]
}

// line converts a line of the wrapper.
func (t *typesetter) line(size float64, text []rune, wrapped shaping.Line) line {
	wrapped = slices.Clone(wrapped)
	slices.SortFunc(wrapped, func(a, b shaping.Output) int { return cmp.Compare(a.VisualIndex, b.VisualIndex) })
	l := line{size: size}
	for _, out := range wrapped {
		r := run{
			font: out.Face.Font, text: string(text[out.Runes.Offset : out.Runes.Offset+out.Runes.Count]), plain: true,
		}
		cluster := -1
		for _, g := range out.Glyphs {
			one := glyph{id: g.GlyphID, advance: float(g.Advance), dx: float(g.XOffset), dy: float(g.YOffset)}
			if g.TextIndex() != cluster {
				cluster = g.TextIndex()
				one.text = string(text[cluster : cluster+g.RunesCount()])
			}
			// Readers reorder text from right to left themselves, and would reverse the text of a run.
			r.plain = r.plain && (g.GlyphsCount() == 1 || out.Direction == di.DirectionRTL)
			if one.id == 0 && t.missing == nil {
				t.missing = &Unprintable{Text: string(text), Char: one.text}
			}
			r.glyphs = append(r.glyphs, one)
			l.width += one.advance * size / em * millimeter
		}
		l.runs = append(l.runs, r)
	}
	return l
}

func float(v fixed.Int26_6) float64 { return float64(v) / 64 }

// hasOtherFonts reports whether the line has fonts of the operating system. They
// can be taller.
func (l line) hasOtherFonts() bool {
	return slices.ContainsFunc(l.runs, func(r run) bool { return r.font != embedded()[0] && r.font != embedded()[1] })
}
