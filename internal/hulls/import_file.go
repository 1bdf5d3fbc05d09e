package hulls

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"slipway/internal/vocab/fault"
)

// maxRecord bounds a row, so that no cell however large is held in memory.
const maxRecord = 1 << 20

// records cuts a file into rows. It knows where it is, so that reading can go
// on from there.
type records struct {
	r      *bufio.Reader
	layout layout
	offset int64 // of the next record
	number int64 // of the last one
}

func newRecords(r io.Reader, l layout, offset, number int64) *records {
	return &records{bufio.NewReaderSize(r, 64<<10), l, offset, number}
}

// next is the next record without the end of its line, nil if it is too long
// to be one; io.EOF after the last.
func (r *records) next() (record []byte, err error) {
	b := make([]byte, 0, 256)                    // never nil, which means too long
	tooLong, quoted, fresh := false, false, true // fresh: at the beginning of a cell
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
		if c == '\n' && !quoted {
			break
		}
		if len(b) < maxRecord {
			b = append(b, c)
		} else {
			tooLong = true
		}
		if r.layout.ndjson {
			continue
		}
		switch {
		case c == '"' && !quoted:
			quoted = fresh // elsewhere in a cell it means inches
			fresh = false
		case c == '"' && quoted:
			// Two are one; a single one ends the cell if the cell ends there.
			after, err := r.r.Peek(1)
			switch {
			case err == nil && after[0] == '"':
				_, _ = r.r.Discard(1)
				n++
				if len(b) < maxRecord {
					b = append(b, '"')
				}
			case err != nil || after[0] == '\n' || after[0] == '\r' || r.parts(after[0]):
				quoted = false
			}
		default:
			fresh = !quoted && r.parts(c)
		}
	}
	r.offset += n
	r.number++
	if tooLong {
		return nil, nil
	}
	return bytes.TrimSuffix(b, []byte("\r")), nil
}

// parts reports whether a byte ends a cell. Before the header is known, each
// of the three may.
func (r *records) parts(c byte) bool {
	if r.layout.delimiter != 0 {
		return c == r.layout.delimiter
	}
	return c == ',' || c == ';' || c == '\t'
}

// survey is what is known of a file before its rows are read.
type survey struct {
	layout layout
	start  int64 // where the rows begin
	rows   int64
	first  importRow
}

const bom = "\ufeff"

// surveyFile goes through a file once: what is wrong with it as a whole is said
// at once, and nothing is kept of it.
func surveyFile(file io.ReadSeeker, ndjson bool) (s survey, err error) {
	s, reader, err := openRows(file, ndjson)
	if err != nil {
		return s, err
	}
	for {
		record, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
		if !utf8.Valid(record) || bytes.IndexByte(record, 0) >= 0 {
			return s, badFile("encoding", "must be UTF-8 text: row %d is not", reader.number)
		}
		if record != nil && blank(record) {
			continue
		}
		if s.rows++; s.rows == 1 {
			s.first = s.layout.parse(reader.number, record)
			if s.layout.ndjson && len(s.first.bad) > 0 {
				return s, badFile("malformed", "must have a JSON object on each line: row %d %s", reader.number, s.first.bad[0].Message)
			}
		}
	}
	switch {
	case s.rows == 0:
		return s, badFile("empty", "has no rows")
	case s.rows > maxImportRows:
		return s, badFile("too_many", "has %d rows; at most %d are taken at once", s.rows, maxImportRows)
	}
	return s, nil
}

// openRows reads a file up to its first row.
func openRows(file io.ReadSeeker, ndjson bool) (s survey, r *records, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return s, nil, err
	}
	s.layout.ndjson = ndjson
	r = newRecords(file, s.layout, 0, 0)
	if head, _ := r.r.Peek(3); string(head) == bom {
		_, _ = r.r.Discard(3)
		r.offset = 3
	} else if len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) {
		return s, r, badFile("encoding", "must be UTF-8 text: it is UTF-16")
	}
	if ndjson {
		s.start = r.offset
		return s, r, nil
	}
	header, err := r.next()
	if errors.Is(err, io.EOF) {
		return s, r, badFile("empty", "is empty")
	}
	if err != nil {
		return s, r, err
	}
	if !utf8.Valid(header) || bytes.IndexByte(header, 0) >= 0 {
		return s, r, badFile("encoding", "must be UTF-8 text: its header is not")
	}
	s.layout, err = readHeader(header)
	r.layout, s.start = s.layout, r.offset
	return s, r, err
}

func blank(record []byte) bool { return len(bytes.TrimSpace(record)) == 0 }

func badFile(code, message string, args ...any) error {
	var bad fault.Fields
	bad.Add("file", code, message, args...)
	return bad.Err()
}

// nextRows reads up to n rows, blank lines left out, and marks what repeats a
// hull of the file.
func (r *records) nextRows(n int, known seen) (rows []importRow, err error) {
	for len(rows) < n {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		if record == nil {
			row := importRow{number: r.number}
			row.bad.Add("row", "too_long", "must have at most %d bytes", maxRecord)
			rows = append(rows, row)
			continue
		}
		if blank(record) {
			continue
		}
		row := r.layout.parse(r.number, record)
		known.check(&row)
		rows = append(rows, row)
	}
	return rows, nil
}
