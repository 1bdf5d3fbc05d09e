package sheet

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"slipway/internal/vocab/enum"
)

// Encoding is how the text of a file is written as bytes.
type Encoding string

// The encodings of files.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
	Macintosh   Encoding = "macintosh"

	utf16 Encoding = "utf-16" // the bytes show which of the two it is
)

var allEncodings = enum.Of("HullImportEncoding", "Encoding of an imported file.", UTF8, UTF16LE, UTF16BE, Windows1252, Macintosh)

func (Encoding) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allEncodings.Describe(s)
}

// charsets are the encodings by the names that clients send. Latin-1 is read as
// Windows-1252, as browsers do, because it has the same letters.
var charsets = map[string]Encoding{
	"utf-8": UTF8, "utf8": UTF8,
	"utf-16": utf16, "utf16": utf16, "utf-16le": UTF16LE, "utf-16be": UTF16BE,
	"windows-1252": Windows1252, "cp1252": Windows1252, "iso-8859-1": Windows1252, "latin1": Windows1252, "us-ascii": Windows1252,
	"macintosh": Macintosh, "x-mac-roman": Macintosh,
}

// Charset returns the encoding with a name. It is "" for an empty name.
func Charset(name string) (e Encoding, ok bool) {
	if name == "" {
		return "", true
	}
	e, ok = charsets[strings.ToLower(strings.TrimSpace(name))]
	return e, ok
}

// reader decodes a file to UTF-8.
func (e Encoding) reader(r io.Reader) io.Reader {
	switch e {
	case UTF16LE:
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case UTF16BE:
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	case Windows1252:
		return charmap.Windows1252.NewDecoder().Reader(r)
	case Macintosh:
		return charmap.Macintosh.NewDecoder().Reader(r)
	}
	return r
}

// Detector finds the encoding of a file. Write the whole file to it.
type Detector struct {
	head    []byte // the first bytes
	size    int64
	zeros   [2]int64 // at even and at odd positions
	partial []byte   // the start of a character whose other bytes are not written yet
	invalid bool     // it is not UTF-8
}

// Write never fails.
func (d *Detector) Write(p []byte) (int, error) {
	if len(d.head) < 4 {
		d.head = append(d.head, p[:min(len(p), 4-len(d.head))]...)
	}
	for i, c := range p {
		if c == 0 {
			d.zeros[(d.size+int64(i))&1]++
		}
	}
	d.size += int64(len(p))

	if !d.invalid {
		text := append(d.partial, p...)
		whole := len(text) - partialRune(text)
		d.invalid = !utf8.Valid(text[:whole])
		d.partial = bytes.Clone(text[whole:])
	}
	return len(p), nil
}

// partialRune returns how many bytes at the end of a text are the start of a
// character.
func partialRune(text []byte) int {
	for n := 1; n <= min(3, len(text)); n++ {
		if end := text[len(text)-n:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Encoding returns the encoding of the file: by its byte order mark, as the client
// declared it, or by its bytes. It returns an error for workbooks that can't be read.
func (d *Detector) Encoding(declared Encoding) (Encoding, error) {
	head := string(d.head)
	switch {
	case strings.HasPrefix(head, bom[:3]):
		return UTF8, nil
	case strings.HasPrefix(head, "\xff\xfe"):
		return UTF16LE, nil
	case strings.HasPrefix(head, "\xfe\xff"):
		return UTF16BE, nil
	case d.IsWorkbook():
		return UTF8, nil // of the CSV that FromWorkbook writes
	case head == "\xd0\xcf\x11\xe0":
		return "", badFile("format", "is an Excel workbook of an old format or with a password; save it as .xlsx without a password, or as CSV, and send it again")
	case declared != "" && declared != utf16:
		return declared, nil
	}

	// Letters and digits have one zero byte in UTF-16.
	even, odd := d.zeros[0], d.zeros[1]
	switch {
	case odd > d.size/8 && odd > 10*even:
		return UTF16LE, nil
	case even > d.size/8 && even > 10*odd:
		return UTF16BE, nil
	case declared == utf16:
		return UTF16LE, nil
	case even+odd > 0: // Check rejects it
		return UTF8, nil
	case d.invalid || len(d.partial) > 0:
		return Windows1252, nil
	}
	return UTF8, nil
}
