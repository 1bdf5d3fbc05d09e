package pdf

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"golang.org/x/text/unicode/norm"
)

//go:embed fonts/OpenSans-Regular.ttf
var regular []byte

//go:embed fonts/OpenSans-Semibold.ttf
var semibold []byte

// embedded are the fonts of the program, parsed once.
var embedded = sync.OnceValue(func() [2]*font.Font {
	var all [2]*font.Font
	for i, file := range [][]byte{regular, semibold} {
		face, err := font.ParseTTF(bytes.NewReader(file))
		if err != nil {
			panic(err) // the files are part of the program
		}
		all[i] = face.Font
	}
	return all
})

// folders are where operating systems store fonts.
var folders = []string{
	"/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", `C:\Windows\Fonts`,
}

// systemFont is a font of the operating system. Its file is read when it is used
// for the first time.
type systemFont struct {
	path  string
	index int // in a collection
	cmap  font.Cmap
	load  func() (*font.Font, error)
}

// system are the fonts for text that the fonts of the program don't have.
var system = sync.OnceValue(func() []systemFont { return scan(folders) })

// scan finds the fonts in folders. It only reads which characters they have.
func scan(folders []string) []systemFont {
	var paths []string
	for _, folder := range folders {
		// A folder that can't be read has no fonts.
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && slices.Contains([]string{".ttf", ".otf", ".ttc"}, strings.ToLower(filepath.Ext(path))) {
				paths = append(paths, path)
			}
			return nil
		})
	}
	slices.SortFunc(paths, func(a, b string) int {
		if n := preference(a) - preference(b); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})

	var all []systemFont
	for _, path := range paths {
		all = append(all, readFont(path)...)
	}
	return all
}

// preference sorts the fonts: plain Noto Sans first, because it matches the text
// around it, and decorated styles last.
func preference(path string) int {
	name, rank := strings.ToLower(filepath.Base(path)), 0
	for _, style := range []string{"bold", "italic", "oblique", "mono", "thin", "light", "black", "medium", "condensed", "emoji", "kufi"} {
		if strings.Contains(name, style) {
			rank += 8
		}
	}
	switch {
	case strings.HasPrefix(name, "notosans") && strings.Contains(name, "regular"):
	case strings.HasPrefix(name, "noto"):
		rank++
	case strings.Contains(name, "sans"):
		rank += 2
	default:
		rank += 3
	}
	return rank
}

// readFont reads which characters the fonts of a file have. A file that is invalid
// or has no outlines has no fonts.
func readFont(path string) []systemFont {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	loaders, err := opentype.NewLoaders(file)
	if err != nil {
		return nil
	}

	var all []systemFont
	for i, ld := range loaders {
		hasOutlines := false
		for _, name := range []string{"glyf", "CFF ", "CFF2"} {
			hasOutlines = hasOutlines || ld.HasTable(opentype.MustNewTag(name))
		}
		raw, err := ld.RawTable(opentype.MustNewTag("cmap"))
		if err != nil || !hasOutlines {
			continue
		}
		table, _, err := tables.ParseCmap(raw)
		if err != nil {
			continue
		}
		cmap, _, err := font.ProcessCmap(table, tables.FPNone)
		if err != nil {
			continue
		}
		f := systemFont{path: path, index: i, cmap: cmap}
		f.load = sync.OnceValues(f.open)
		all = append(all, f)
	}
	return all
}

func (s systemFont) open() (*font.Font, error) {
	content, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	loaders, err := opentype.NewLoaders(bytes.NewReader(content))
	if err != nil || s.index >= len(loaders) {
		return nil, fmt.Errorf("font %s has changed: %w", s.path, err)
	}
	return font.NewFont(loaders[s.index])
}

// pick returns the first font that has all characters of a cluster, which is a
// character with its marks. bold only applies to the fonts of the program.
func pick(cluster []rune, bold bool) (*font.Font, bool) {
	own := embedded()[0]
	if bold {
		own = embedded()[1]
	}
	if covers(own.Cmap, cluster) {
		return own, true
	}
	for _, s := range system() {
		if !covers(s.cmap, cluster) {
			continue
		}
		if f, err := s.load(); err == nil {
			return f, true
		}
	}
	return own, false
}

func covers(cmap font.Cmap, cluster []rune) bool {
	for _, r := range cluster {
		if ignorable(r) {
			continue
		}
		if glyph, ok := cmap.Lookup(r); !ok || glyph == 0 {
			return false
		}
	}
	return true
}

// ignorable reports whether a character has no glyph and only changes how others
// are joined.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// clusterEnd returns where the cluster that starts at i ends.
func clusterEnd(text []rune, i int) int {
	for i++; i < len(text) && (unicode.Is(unicode.M, text[i]) || ignorable(text[i])); i++ {
	}
	return i
}

// clean prepares text for printing. It composes accents, and removes invisible
// characters, and symbols that no font has, such as emoji. Letters are never removed.
func clean(s string) string {
	var out []rune
	text := []rune(norm.NFC.String(strings.ToValidUTF8(s, "")))
	for i := 0; i < len(text); {
		end := clusterEnd(text, i)
		cluster := slices.DeleteFunc(text[i:end:end], isInvisible)
		i = end
		switch {
		case len(cluster) == 0:
		case cluster[0] == '\n':
			out = append(out, '\n')
		case unicode.IsControl(cluster[0]) || unicode.Is(unicode.Z, cluster[0]):
			out = append(out, ' ')
		case isSymbol(cluster[0]):
			if _, ok := pick(cluster, false); ok {
				out = append(out, cluster...)
			}
		default:
			out = append(out, cluster...)
		}
	}
	return string(out)
}

// isInvisible reports whether a character has no glyph. Some of them change the
// direction of the text around them, so that a contract would read differently
// than it is stored. The joiners are part of the spelling of some languages.
func isInvisible(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && r != nonJoiner && r != joiner
}

func isSymbol(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk, unicode.Co, unicode.Cs) || ignorable(r) || !unicode.In(r, unicode.L, unicode.M, unicode.N,
		unicode.P, unicode.S, unicode.Z, unicode.Cc)
}

// Unprintable is the error if no font has a character of a text.
type Unprintable struct {
	Text string
	Char string
}

func (u *Unprintable) Error() string {
	return fmt.Sprintf("no font has %s (%U)", u.Char, []rune(u.Char))
}

// Check returns an Unprintable error if no font has a character of the text.
func Check(text string) error {
	runes := []rune(clean(text))
	for i := 0; i < len(runes); {
		end := clusterEnd(runes, i)
		if cluster := runes[i:end]; cluster[0] != '\n' {
			if _, ok := pick(cluster, false); !ok {
				return &Unprintable{Text: text, Char: string(cluster)}
			}
		}
		i = end
	}
	return nil
}
