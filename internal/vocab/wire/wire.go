// Package wire encodes and decodes the JSON of the API. Decoding is strict and
// encoding is deterministic. The package also lists the API versions.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TimeFormat is RFC 3339 in UTC with exactly three digits of milliseconds, so that
// timestamps also sort as text.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// The limits of a request. They bound the memory and the time to validate it.
const (
	maxDepth    = 32     // of nested objects and arrays
	maxMembers  = 1_000  // of an object
	maxElements = 10_000 // of an array
)

var out = json.JoinOptions(
	json.FormatNilSliceAsNull(false),
	json.Deterministic(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		text := append(enc.AvailableBuffer(), '"')
		return enc.WriteValue(append(t.UTC().AppendFormat(text, TimeFormat), '"'))
	})),
)

// Marshal encodes v.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, out) }

// MarshalHTML encodes v so that it can be embedded in the script element of a
// page: it escapes <, > and &.
func MarshalHTML(v any) ([]byte, error) { return json.Marshal(v, out, jsontext.EscapeForHTML(true)) }

// Unmarshal decodes data and rejects unknown names. Names are case-sensitive.
func Unmarshal(data []byte, v any) error {
	return json.Unmarshal(data, v, json.RejectUnknownMembers(true))
}

// Check rejects JSON that decoders interpret differently: duplicate names,
// invalid UTF-8, trailing data, NUL characters, deep nesting, and numbers, objects
// and arrays that are too large. Its errors are shown to the caller.
func Check(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if dec.StackDepth() > maxDepth {
			return fmt.Errorf("JSON is nested deeper than %d levels", maxDepth)
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return explain(err)
		}
		if err := checkSize(dec); err != nil {
			return err
		}
		switch tok.Kind() {
		case '"':
			if strings.ContainsRune(tok.String(), 0) {
				return fmt.Errorf("text at %s contains a NUL character", pointer(dec))
			}
			if isName(dec) && strings.ContainsAny(tok.String(), "\r\n") {
				return fmt.Errorf("text at %s contains a line break", pointer(dec))
			}
		case '0':
			if _, err := strconv.ParseFloat(tok.String(), 64); err != nil {
				return fmt.Errorf("number at %s is out of range", pointer(dec))
			}
		}
		if dec.StackDepth() == 0 {
			return onlyBlank(data[dec.InputOffset():])
		}
	}
}

// checkSize returns an error if the current object or array is too large. The
// decoder counts names and values of an object separately.
func checkSize(dec *jsontext.Decoder) error {
	kind, n := dec.StackIndex(dec.StackDepth())
	switch {
	case kind == '{' && n > 2*maxMembers:
		return fmt.Errorf("object at %s has more than %d members", container(dec), maxMembers)
	case kind == '[' && n > maxElements:
		return fmt.Errorf("array at %s has more than %d elements", container(dec), maxElements)
	}
	return nil
}

// container returns the path of the current object or array.
func container(dec *jsontext.Decoder) string {
	if p := string(dec.StackPointer().Parent()); p != "" {
		return p
	}
	return "the top"
}

// isName reports whether the last token is the value of a name or a subject. They
// are used in headers of email, where a line break would start another header.
// Metadata belongs to the caller.
func isName(dec *jsontext.Decoder) bool {
	kind, n := dec.StackIndex(dec.StackDepth())
	if kind != '{' || n%2 == 1 { // an element of an array, or the name of a member
		return false
	}
	path := string(dec.StackPointer())
	last := path[strings.LastIndex(path, "/")+1:]
	return (last == "name" || last == "subject" || strings.HasSuffix(last, "_name")) && !strings.Contains(path, "metadata")
}

func onlyBlank(rest []byte) error {
	if len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return errors.New("JSON is followed by trailing data")
	}
	return nil
}

// explain converts an error of the decoder to a message for the caller.
func explain(err error) error {
	where := ""
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		where = fmt.Sprintf(" at byte %d", se.ByteOffset)
		if p := string(se.JSONPointer); p != "" {
			where += " (" + p + ")"
		}
		err = se.Err
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("JSON has a duplicate name%s", where)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("JSON is incomplete")
	case err != nil && strings.Contains(err.Error(), "UTF-8"):
		return fmt.Errorf("JSON is not valid UTF-8%s", where)
	}
	return fmt.Errorf("JSON is malformed%s", where)
}

func pointer(dec *jsontext.Decoder) string {
	if p := string(dec.StackPointer()); p != "" {
		return p
	}
	return "the top"
}
