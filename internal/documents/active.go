package documents

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strconv"
)

// maxInflated limits what is decompressed of a PDF to check it.
const maxInflated = 16 << 20

var (
	activeName = regexp.MustCompile(`/(JavaScript|JS|Launch|RichMedia)[\s/<>\[\]()%]`)
	escaped    = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
	streamAt   = regexp.MustCompile(`stream\r?\n`)
)

// problemOf returns why a PDF is not accepted, or "": it runs code or starts programs when
// it is opened, or it can't be checked. Only objects are searched. Pictures and texts are
// streams, which can't have actions and might contain the same bytes by chance.
func problemOf(pdf []byte) string {
	left := int64(maxInflated)
	for len(pdf) > 0 {
		objects, rest := pdf, []byte(nil)
		at := streamAt.FindIndex(pdf)
		if at != nil {
			objects, rest = pdf[:at[0]], pdf[at[1]:]
		}
		if isActive(objects) {
			return "contains code or starts a program. Print it to a new PDF, and send that"
		}
		if at == nil {
			return ""
		}

		body, after, _ := bytes.Cut(rest, []byte("endstream"))
		if dictionary := lastObject(objects); bytes.Contains(dictionary, []byte("/ObjStm")) {
			text, ok := inflate(dictionary, body, &left)
			if !ok {
				return "can't be checked. Print it to a new PDF, and send that"
			}
			if isActive(text) {
				return "contains code or starts a program. Print it to a new PDF, and send that"
			}
		}
		pdf = after
	}
	return ""
}

// isActive reports whether objects name an action that runs something. A name can be
// written with escapes.
func isActive(objects []byte) bool {
	plain := escaped.ReplaceAllFunc(objects, func(code []byte) []byte {
		letter, _ := strconv.ParseUint(string(code[1:]), 16, 8) // the pattern has two digits
		return []byte{byte(letter)}
	})
	return activeName.Match(append(plain, ' '))
}

// lastObject returns the end of some objects, from the last one's number.
func lastObject(objects []byte) []byte {
	if i := bytes.LastIndex(objects, []byte(" obj")); i >= 0 {
		return objects[i:]
	}
	return objects
}

// inflate returns the objects in a compressed stream. It reports false for a stream that is
// encrypted, too large or compressed in an unusual way.
func inflate(dictionary, body []byte, left *int64) (text []byte, ok bool) {
	if !bytes.Contains(dictionary, []byte("/FlateDecode")) || bytes.Contains(dictionary, []byte("/Predictor")) {
		return body, !bytes.Contains(dictionary, []byte("/Filter"))
	}
	r, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	text, err = io.ReadAll(io.LimitReader(r, *left+1))
	*left -= int64(len(text))
	return text, (err == nil || err == io.ErrUnexpectedEOF) && *left >= 0 //nolint:errorlint // exactly this error
}
