package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// file is the PDF as a list of objects.
type file struct {
	base    int // how many objects the file has already
	objects [][]byte
}

// ref refers to an object.
type ref int

func (r ref) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

// reserve returns a number for an object that is set later.
func (f *file) reserve() ref {
	f.objects = append(f.objects, nil)
	return ref(f.base + len(f.objects))
}

func (f *file) set(r ref, format string, args ...any) {
	f.objects[int(r)-f.base-1] = fmt.Appendf(nil, format, args...)
}

func (f *file) add(format string, args ...any) ref {
	r := f.reserve()
	f.set(r, format, args...)
	return r
}

// addStream adds compressed data. dict has the entries besides the length and the
// filter.
func (f *file) addStream(dict string, data []byte) ref {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data) // a buffer doesn't fail
	_ = z.Close()
	r := f.reserve()
	head := fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>\nstream\n", dict, b.Len())
	f.objects[int(r)-f.base-1] = append(append([]byte(head), b.Bytes()...), "\nendstream"...)
	return r
}

// bytes returns the file with its table of objects.
func (f *file) bytes(catalog, info ref) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, o := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n", i+1)
		b.Write(o)
		b.WriteString("\nendobj\n")
	}

	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(f.objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %s/Info %s>>\nstartxref\n%d\n%%%%EOF\n", len(f.objects)+1, catalog, info, start)
	return b.Bytes()
}

// utf16Hex returns text as hexadecimal UTF-16.
func utf16Hex(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String()
}

// textString returns text as a string of the PDF.
func textString(s string) string { return "<FEFF" + utf16Hex(s) + ">" }

func dateString(t time.Time) string {
	zone := t.Format("-0700")
	return "(D:" + t.Format("20060102150405") + zone[:3] + "'" + zone[3:] + "')"
}

// num formats a number with up to three decimal places.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func nums(all ...float64) string {
	parts := make([]string, len(all))
	for i, v := range all {
		parts[i] = num(v)
	}
	return strings.Join(parts, " ")
}
