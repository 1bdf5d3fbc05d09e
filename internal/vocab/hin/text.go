package hin

import (
	"strings"
	"unicode/utf8"
)

const (
	length = 12

	// longest limits the input. The longest valid spelling has 17 bytes.
	longest = 64
)

// split returns the country code, if any, and the twelve characters, or the
// errors of the text.
func split(input string) (country, number string, errs []NoteOnHin) {
	number = strings.TrimSpace(input)
	if len(number) > longest {
		return "", "", []NoteOnHin{note("length", "Send the 12 characters of one HIN. This text is much longer.")}
	}
	number = upper(number)
	switch {
	case countryFirst(number) && number[2] == '-':
		// The printed form GB-ABC00042-A3-99 has hyphens for readability. A number
		// without a country code must have none (33 CFR 181.25).
		country, number = number[:2], strings.ReplaceAll(number[3:], "-", "")
	case countryFirst(number) && len(number) == 2+length:
		country, number = number[:2], number[2:]
	}

	if i := invalidIndex(number); i >= 0 {
		char, _ := utf8.DecodeRuneInString(number[i:])
		return "", "", []NoteOnHin{note("character", "Remove %+q: a HIN contains only the letters A to Z and digits.", char)}
	}
	if len(number) != length {
		return "", "", []NoteOnHin{note("length",
			"Send all 12 characters of the HIN, with or without a two-letter country code. This one has %d.", len(number))}
	}
	return country, number, nil
}

func countryFirst(s string) bool { return len(s) > 2 && isLetter(s[0]) && isLetter(s[1]) }

// upper only changes ASCII letters. strings.ToUpper would also convert a dotless i
// or a long s to an ASCII letter.
func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// invalidIndex returns the position of the first invalid character, or -1.
func invalidIndex(s string) int {
	return strings.IndexFunc(s, func(r rune) bool { return !('A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
}

// checkSerial rejects the letters that look like digits.
func checkSerial(serial string) []NoteOnHin {
	if i := strings.IndexAny(serial, "IOQ"); i >= 0 {
		return []NoteOnHin{note("serial", "Replace %q in the serial (characters 4 to 8): the letters I, O and Q are not used there.", serial[i])}
	}
	return nil
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
