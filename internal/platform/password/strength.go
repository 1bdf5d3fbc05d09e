package password

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The length of a password in characters. Rules about the kinds of characters
// lead to weaker passwords, so there are none.
const (
	MinLength = 12
	MaxLength = 200
)

// commonFile is a list of common passwords in lower case, one per line, with the
// license next to it. scripts/vendor-passwords creates it.
//
//go:embed assets/common.txt.gz
var commonFile []byte

// common returns the common passwords. It unpacks the list on first use.
var common = sync.OnceValue(func() map[string]bool {
	r, err := gzip.NewReader(bytes.NewReader(commonFile))
	if err != nil {
		panic(err) // the file is part of the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		list[strings.TrimSuffix(line, "\n")] = true
	}
	return list
})

// Problem describes why a password is not acceptable. The zero Problem means that
// it is. The message completes a sentence that starts with the name of the field.
type Problem struct{ Code, Message string }

// Check finds the first problem of a new password. Personal are texts that an
// attacker can guess, such as the user's name and email address.
func Check(password string, personal ...string) Problem {
	n, text := utf8.RuneCountInString(password), strings.ToLower(password)
	switch {
	case n < MinLength || n > MaxLength:
		code := "too_short"
		if n > MaxLength {
			code = "too_long"
		}
		return Problem{code, "must have 12 to 200 characters"}
	case isCommon(text):
		return Problem{"common", "is one of the common passwords that attackers try first"}
	case isPattern(text):
		return Problem{"pattern", "must not consist of repeated or consecutive characters"}
	case containsPersonal(text, personal):
		return Problem{"personal", "must not contain your name, your email address or the name of your dealership"}
	}
	return Problem{}
}

// isCommon reports whether a password is on the list, also with digits and
// punctuation around it, with digits for letters, or repeated.
func isCommon(text string) bool {
	list := common()
	for _, form := range []string{text, lettersFor.Replace(text)} {
		squeezed := squeeze(form)
		core := strings.TrimFunc(form, func(r rune) bool { return !unicode.IsLetter(r) })
		for _, word := range []string{form, squeezed, unit(squeezed), core, unit(core)} {
			if word != "" && list[word] {
				return true
			}
		}
	}
	return false
}

// lettersFor replaces the digits and symbols that people write for letters.
var lettersFor = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// unit returns the shortest text that is repeated in s, or s itself.
func unit(s string) string {
	if i := strings.Index((s + s)[min(1, len(s)):], s); i >= 0 && i+1 < len(s) {
		return s[:i+1]
	}
	return s
}

// minSurprises is how many characters of a password must not follow from the ones
// before.
const minSurprises = 9

// isPattern reports whether a password mostly consists of runs such as aaaa, 1234
// and qwerty, or repeats a few characters. A run counts as two characters.
func isPattern(text string) bool {
	if utf8.RuneCountInString(unit(text)) < minSurprises {
		return true
	}

	surprises, steps := 0, step(0)
	var last rune
	for _, r := range text {
		was := steps
		if steps = stepsTo(last, r); steps&was == 0 {
			surprises++
		}
		last = r
	}
	return surprises < minSurprises
}

// step is a set of common ways from one character to the next.
type step int

const (
	same  step = 1 << iota
	up         // abc
	down       // cba
	right      // on the keyboard
	left
)

// keyboard has the rows of keys.
const keyboard = "qwertyuiop asdfghjkl zxcvbnm 1234567890"

func stepsTo(from, to rune) (s step) {
	switch to - from {
	case 0:
		return same
	case 1:
		s = up
	case -1:
		s = down
	}
	i, j := strings.IndexRune(keyboard, from), strings.IndexRune(keyboard, to)
	switch {
	case i < 0 || j < 0 || from == ' ' || to == ' ':
	case j == i+1:
		s |= right
	case j == i-1:
		s |= left
	}
	return s
}

// minPersonal is the length from which a personal text counts. Shorter ones, such
// as Al, are part of other words.
const minPersonal = 4

func containsPersonal(text string, personal []string) bool {
	squeezed := squeeze(text)
	for _, p := range personal {
		p = squeeze(strings.ToLower(p))
		if utf8.RuneCountInString(p) >= minPersonal && strings.Contains(squeezed, p) {
			return true
		}
	}
	return false
}

// squeeze removes everything except letters and digits.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
