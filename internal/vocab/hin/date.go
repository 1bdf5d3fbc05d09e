package hin

import (
	"strings"
	"time"
)

// date is the decoded last four characters of a number.
type date struct {
	format    Format
	month     time.Month
	year      int
	modelYear int // 0 in the straight-year format
}

// readDate reads characters 9 to 12.
func readDate(code string, thisYear int) (date, []NoteOnHin) {
	switch c := code[0]; {
	case 'A' <= c && c <= 'L':
		return readCurrent(code, thisYear)
	case c == 'M':
		return readModelYear(code, thisYear)
	case isDigit(c):
		return readStraightYear(code, thisYear)
	default:
		return date{}, []NoteOnHin{note("month",
			"Replace %q (character 9): it must be a month from A (January) to L (December), or M or a digit in a number from before August 1984.", c)}
	}
}

// readCurrent reads month letter, last digit of the year built, model year.
// The year built is the last one with that digit up to the model year.
func readCurrent(code string, thisYear int) (d date, errs []NoteOnHin) {
	if !isDigit(code[1]) {
		errs = append(errs, note("year", "Replace %q (character 10): it must be the last digit of the year built.", code[1]))
	}
	modelYear, ok := fullYear(code[2:4], thisYear)
	if !ok {
		errs = append(errs, note("model_year", "Replace %q (characters 11 and 12): they must be the last two digits of the model year.",
			code[2:4]))
	}
	if len(errs) > 0 {
		return d, errs
	}
	built := modelYear - (modelYear-int(code[1]-'0'))%10
	return date{format: FormatCurrent, month: time.January + time.Month(code[0]-'A'), year: built, modelYear: modelYear}, nil
}

// readModelYear reads M, model year, month letter. Its months follow the
// model year: A is August of the year before, L is July.
func readModelYear(code string, thisYear int) (d date, errs []NoteOnHin) {
	modelYear, ok := fullYear(code[1:3], thisYear)
	if !ok {
		errs = append(errs, note("model_year",
			"Replace %q (characters 10 and 11): after M they must be the last two digits of the model year.", code[1:3]))
	}
	if code[3] < 'A' || code[3] > 'L' {
		errs = append(errs, note("month", "Replace %q (character 12): after M and the year it must be a month from A (August) to L (July).",
			code[3]))
	}
	if len(errs) > 0 {
		return d, errs
	}
	month, built := time.August+time.Month(code[3]-'A'), modelYear-1
	if month > time.December {
		month, built = month-12, modelYear
	}
	return date{format: FormatModelYear1972, month: month, year: built, modelYear: modelYear}, nil
}

// readStraightYear reads the month and the year built, both in digits.
func readStraightYear(code string, thisYear int) (d date, errs []NoteOnHin) {
	month, ok := twoDigits(code[:2])
	if !ok || month < 1 || month > 12 {
		errs = append(errs, note("month", "Replace %q (characters 9 and 10): a month in digits must be 01 to 12.", code[:2]))
	}
	built, ok := fullYear(code[2:4], thisYear)
	if !ok {
		errs = append(errs, note("year", "Replace %q (characters 11 and 12): they must be the last two digits of the year built.", code[2:4]))
	}
	if len(errs) > 0 {
		return d, errs
	}
	return date{format: FormatStraightYear1972, month: time.Month(month), year: built}, nil
}

// fullYear adds the century to two digits. It is the current century unless the
// year would be more than two years in the future.
func fullYear(digits string, thisYear int) (int, bool) {
	year, ok := twoDigits(digits)
	if 2000+year <= thisYear+2 {
		return 2000 + year, ok
	}
	return 1900 + year, ok
}

func twoDigits(s string) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

// warnings returns the reasons why the date is unlikely in any country.
func (d date) warnings(today time.Time) (notes []NoteOnHin) {
	year := max(d.modelYear, d.year)
	switch {
	case d.format == FormatCurrent && year < 1981:
		notes = append(notes, note("format_era",
			"This format has been in use since 1981 in Canada and 1984 in the United States, but the number has the year %d.", year))
	case d.format != FormatCurrent && (year < 1972 || year > 1984):
		notes = append(notes, note("format_era", "This format was in use from 1972 to 1984, but the number has the year %d.", year))
	}
	if monthsAD(d.year, d.month) > monthsAD(today.Year(), today.Month()) {
		notes = append(notes, note("future", "The number has the date %s %d, which is in the future.", d.month, d.year))
	}
	return notes
}

// windowWarnings returns a warning if the boat was built outside its model year.
// A model year ends in July. It starts in August of the year before, or in June
// since model year 2019 (46 USC 4302(e)). The Coast Guard can approve other dates
// for a builder, so this is not an error.
func (d date) windowWarnings() []NoteOnHin {
	if d.modelYear == 0 {
		return nil
	}
	first := time.August
	if d.modelYear >= 2019 {
		first = time.June
	}
	built := monthsAD(d.year, d.month)
	if monthsAD(d.modelYear-1, first) <= built && built <= monthsAD(d.modelYear, time.July) {
		return nil
	}
	return []NoteOnHin{note("outside_window", "Built in %s %d, but model year %d runs from %s %d to July %d.", d.month, d.year,
		d.modelYear, first, d.modelYear-1, d.modelYear)}
}

func monthsAD(year int, month time.Month) int { return year*12 + int(month) }

// states are the two-letter codes that can precede Z.
const states = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI"

// issuedByState reports whether a state issued the number, for a home-built or
// older boat. The last three digits are then the year of issue, such as 121 for
// 2021, and not the model year of the boat.
func issuedByState(number string) bool {
	return number[2] == 'Z' && strings.Contains(states, number[:2]) && isLetter(number[8]) && number[9] == number[11]
}
