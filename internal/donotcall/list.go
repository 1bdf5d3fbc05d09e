// Package donotcall stores lists of phone numbers that must not get sales calls or marketing
// text messages, such as the National Do-Not-Call Registry.
package donotcall

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// DoNotCallList is an uploaded list.
type DoNotCallList struct {
	_ struct{} `doc:"A list of phone numbers that must not get sales calls or marketing text messages." privacy:"plain" columns:"id name numbers complete created_at"`

	Env       auth.Env  `json:"-" db:"env"`
	ID        string    `json:"id" db:"id" doc:"Identifies the list. Starts with dnc_." example:"dnc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string    `json:"name" db:"name" doc:"Your name of the list." example:"National registry, area code 410"`
	Numbers   int64     `json:"numbers" db:"numbers" doc:"How many numbers the list has." example:"184203"`
	Complete  bool      `json:"complete" db:"complete" doc:"Whether the whole file was read. An incomplete list blocks nothing. Delete it, and upload the file again."`
	Version   int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was uploaded. Download the national lists again at least every 31 days."`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (l DoNotCallList) Revision() int64 { return l.Version }

// batch is how many numbers are stored in a transaction.
const batch = 5000

// badLines is how many lines without a number a file can have, such as a header.
const badLines = 10

// reader reads the numbers of a file.
type reader struct {
	lines *bufio.Scanner
	line  int
	bad   []int
}

func newReader(file io.Reader) *reader { return &reader{lines: bufio.NewScanner(file)} }

// next returns the next numbers of the file, or none at its end.
func (r *reader) next() (numbers []int64, err error) {
	for len(numbers) < batch && r.lines.Scan() {
		r.line++
		text := strings.TrimSpace(strings.TrimPrefix(r.lines.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		n, ok := parse(text)
		if !ok {
			if r.bad = append(r.bad, r.line); len(r.bad) > badLines {
				return nil, fault.New(fault.KindUnprocessable, "The file has too many lines without a phone number of North America, such as line %d.", r.bad[1]).
					Detail("file", "format", "must have a phone number on each line, such as 4105550123 or 410,5550123")
			}
			continue
		}
		numbers = append(numbers, n)
	}
	return numbers, r.lines.Err()
}

// parse reads a number of North America: 4105550123, +1 (410) 555-0123, or 410,5550123 as in the
// files of the national registry.
func parse(line string) (int64, bool) {
	digits := strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9':
			return c
		case strings.ContainsRune("+-(). ,;\"\t", c):
			return -1
		}
		return 'x'
	}, line)
	if len(digits) == 10 {
		digits = "1" + digits
	}
	if len(digits) != 11 || digits[0] != '1' || strings.Contains(digits, "x") {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// numberOf returns a number in E.164 as it is stored.
func numberOf(e164 string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(e164, "+"), 10, 64)
	return n, err == nil
}
