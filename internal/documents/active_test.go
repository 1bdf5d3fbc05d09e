package documents

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func compressed(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func stream(dictionary, body string) string {
	return fmt.Sprintf("7 0 obj\n<< %s /Length %d >>\nstream\r\n%s\nendstream\nendobj\n", dictionary, len(body), body)
}

func TestActivePDF(t *testing.T) {
	const start = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
	const code, unknown = "contains code", "can't be checked"
	for name, c := range map[string]struct{ pdf, want string }{
		"plain":                   {start, ""},
		"opens a page":            {start + "3 0 obj << /OpenAction [2 0 R /Fit] >> endobj", ""},
		"script":                  {start + "3 0 obj << /S /JavaScript /JS (app.alert(1)) >> endobj", code},
		"script at the end":       {start + "3 0 obj << /S /JavaScript", code},
		"escaped":                 {start + "3 0 obj << /S /Java#53cript >> endobj", code},
		"launch":                  {start + "3 0 obj << /S/Launch/F (calc.exe) >> endobj", code},
		"name that starts alike":  {start + "3 0 obj << /JSON true /Launcher 1 >> endobj", ""},
		"bytes of a picture":      {start + stream("/Subtype /Image", "x /JS (1) y"), ""},
		"after a picture":         {start + stream("/Subtype /Image", "x") + "8 0 obj << /JS (1) >> endobj", code},
		"in compressed objects":   {start + stream("/Type /ObjStm /Filter /FlateDecode", compressed("1 0 << /S /JavaScript >>")), code},
		"compressed, harmless":    {start + stream("/Type /ObjStm /Filter /FlateDecode", compressed("1 0 << /S /GoTo >>")), ""},
		"compressed as something": {start + stream("/Type /ObjStm /Filter /LZWDecode", "abc"), unknown},
		"compressed and broken":   {start + stream("/Type /ObjStm /Filter /FlateDecode", "abc"), unknown},
		"objects as they are":     {start + stream("/Type /ObjStm", "1 0 << /JS (1) >>"), code},
		"too large":               {start + stream("/Type /ObjStm /Filter /FlateDecode", compressed(strings.Repeat(" ", maxInflated+1))), unknown},
	} {
		got := problemOf([]byte(c.pdf))
		if c.want == "" {
			assert.Equal(t, got, "", name)
		} else {
			assert.Contains(t, got, c.want, name)
		}
	}
}

func FuzzActivePDF(f *testing.F) {
	f.Add([]byte("%PDF-1.7\n1 0 obj\n<< /S /JavaScript >>\nendobj\n"))
	f.Add([]byte(stream("/Type /ObjStm /Filter /FlateDecode", compressed("1 0 << /S /GoTo >>"))))
	f.Fuzz(func(_ *testing.T, pdf []byte) { problemOf(pdf) })
}
