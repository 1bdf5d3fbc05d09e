// Package sheet reads rows of hulls and contacts from CSV and NDJSON files.
package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"slipway/internal/vocab/fault"
)

const (
	// MaxRows is the maximum number of rows in a file.
	MaxRows = 100_000
	// maxRecord is the maximum size of a row, so that a large cell can't fill the memory.
	maxRecord = 1 << 20

	bom = "\ufeff"
)

// Reader splits a file into rows. It knows its position, so that reading can
// continue from there.
type Reader struct {
	r      *bufio.Reader
	layout layout
	offset int64 // of the next record, in the text as UTF-8
	number int64 // of the last record

	Repairs map[int64]Repair // by the number of the row
}

func newReader(r io.Reader, l layout, offset, number int64) *Reader {
	return &Reader{r: bufio.NewReaderSize(l.Encoding.reader(r), 64<<10), layout: l, offset: offset, number: number}
}

// Offset returns the position of the next row in the text of the file.
func (r *Reader) Offset() int64 { return r.offset }

// next returns the next record without the end of its line. It returns nil for
// a record that is too long, and io.EOF after the last one.
func (r *Reader) next() (record []byte, err error) {
	b := make([]byte, 0, 256) // never nil, which means too long
	tooLong, quoted, cellStart := false, false, true
	n := int64(0)
	for {
		c, err := r.r.ReadByte()
		if errors.Is(err, io.EOF) && n > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		n++
		if !quoted && (c == '\n' || c == '\r' && !r.followed('\n')) { // old programs for Macs write \r
			break
		}
		if len(b) < maxRecord {
			b = append(b, c)
		} else {
			tooLong = true
		}
		if r.layout.NDJSON {
			continue
		}

		switch {
		case c == '"' && !quoted:
			quoted = cellStart // elsewhere in a cell it means inches
			cellStart = false
		case c == '"' && quoted:
			// Two quotes are one character. A single one ends the cell if a delimiter follows.
			after, err := r.r.Peek(1)
			switch {
			case err == nil && after[0] == '"':
				_, _ = r.r.Discard(1)
				n++
				if len(b) < maxRecord {
					b = append(b, '"')
				}
			case err != nil || after[0] == '\n' || after[0] == '\r' || r.isDelimiter(after[0]):
				quoted = false
			}
		default:
			cellStart = !quoted && r.isDelimiter(c)
		}
	}

	r.offset += n
	r.number++
	if tooLong {
		return nil, nil
	}
	return bytes.TrimSuffix(b, []byte("\r")), nil
}

// followed reports whether the next byte is this one.
func (r *Reader) followed(by byte) bool {
	next, err := r.r.Peek(1)
	return err == nil && next[0] == by
}

// isDelimiter reports whether a byte ends a cell. Before the header is read,
// each of the delimiters does.
func (r *Reader) isDelimiter(c byte) bool {
	if r.layout.delimiter != 0 {
		return c == r.layout.delimiter
	}
	return strings.IndexByte(delimiters, c) >= 0
}

// Next returns up to n rows without blank lines. It marks rows whose hull is
// already in seen.
func (r *Reader) Next(n int, seen Seen) (rows []Row, err error) {
	for len(rows) < n {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}

		if repair, ok := r.Repairs[r.number]; ok {
			row := r.Repaired(r.number, repair)
			seen.check(&row, r.layout.Subject)
			rows = append(rows, row)
			continue
		}
		if record == nil {
			row := Row{Number: r.number}
			row.Bad.Add("row", "too_long", "must have at most %d bytes", maxRecord)
			rows = append(rows, row)
			continue
		}
		if isBlank(record) {
			continue
		}

		row := r.layout.parse(r.number, record)
		seen.check(&row, r.layout.Subject)
		rows = append(rows, row)
	}

	return rows, nil
}

// Survey is what is known about a file before its rows are imported.
type Survey struct {
	layout layout
	Format string // csv or ndjson
	Start  int64  // position of the first row
	Bytes  int64
	Rows   int64
	First  Row
}

// Check reads a file once and returns the error if the file as a whole can't
// be imported. Errors in single rows are not reported.
func Check(file io.ReadSeeker, o Options) (s Survey, err error) {
	reader, err := Open(file, o)
	if err != nil {
		return s, err
	}
	s = Survey{layout: reader.layout, Format: "csv", Start: reader.offset}
	if o.NDJSON {
		s.Format = "ndjson"
	}

	for {
		record, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
		if !isText(record) {
			return s, badFile("encoding", "must be %s text, but row %d is not", o.Encoding, reader.number)
		}
		if record != nil && isBlank(record) {
			continue
		}
		if s.Rows++; s.Rows == 1 {
			s.First = s.layout.parse(reader.number, record)
			if o.NDJSON && len(s.First.Bad) > 0 {
				return s, badFile("malformed", "must have a JSON object on each line, but row %d %s", reader.number, s.First.Bad[0].Message)
			}
		}
	}

	s.Bytes = reader.offset
	switch {
	case s.Rows == 0:
		return s, badFile("empty", "has no rows")
	case s.Rows > MaxRows:
		return s, badFile("too_many", "has %d rows, but the maximum is %d", s.Rows, MaxRows)
	}
	return s, nil
}

// Open reads a file up to its first row.
func Open(file io.ReadSeeker, o Options) (*Reader, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r := newReader(file, layout{Options: o}, 0, 0)
	if head, _ := r.r.Peek(3); string(head) == bom {
		_, _ = r.r.Discard(3)
		r.offset = 3
	}
	if o.NDJSON {
		return r, nil
	}

	header, err := r.header()
	if err != nil {
		return r, err
	}
	delimiter := byte(0)
	if rest, ok := bytes.CutPrefix(bytes.ToLower(header), []byte("sep=")); ok && len(rest) == 1 && strings.IndexByte(delimiters, rest[0]) >= 0 {
		delimiter = rest[0] // as Excel writes it before the header
		if header, err = r.header(); err != nil {
			return r, err
		}
	}
	r.layout, err = parseHeader(header, o, delimiter)
	return r, err
}

// header returns the next record that is not blank.
func (r *Reader) header() ([]byte, error) {
	for {
		record, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, badFile("empty", "is empty")
		case err != nil:
			return nil, err
		case !isText(record):
			return nil, badFile("encoding", "must be %s text, but the header is not", r.layout.Encoding)
		case record == nil || !isBlank(record):
			return record, nil
		}
	}
}

func isBlank(record []byte) bool { return len(bytes.TrimSpace(record)) == 0 }

func isText(record []byte) bool { return utf8.Valid(record) && bytes.IndexByte(record, 0) < 0 }

func badFile(code, message string, args ...any) error {
	var bad fault.Fields
	bad.Add("file", code, message, args...)
	return bad.Err()
}
