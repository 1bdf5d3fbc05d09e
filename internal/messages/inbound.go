package messages

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"slipway/internal/consent"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/search"
)

// intent is the meaning of an inbound message, as far as opt-out laws require
// to recognize it.
type intent string

const (
	stop     intent = "stop"
	start    intent = "start"
	help     intent = "help"
	unclear  intent = "unclear" // might be an opt-out, so a user must read it
	ordinary intent = "ordinary"
)

var intents = enum.Of("MessageIntent", "What the sender of an inbound message wants.",
	stop, start, help, unclear, ordinary)

func (intent) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return intents.Describe(s)
}

// canConsent reports whether a message on a channel can give consent. Anyone can send an
// email in the name of another person, so it can't. It can revoke consent on each channel:
// an opt-out by mistake does less harm than one that is ignored.
func canConsent(channel consent.Channel) bool { return channel == consent.SMS }

// needsReading reports whether a user must read a message: it might be an opt-out, or it
// asks for messages again and can't give consent, or a user recorded the opt-out.
func needsReading(channel consent.Channel, meaning intent, revokedByStaff bool) bool {
	return meaning == unclear || meaning == start && (revokedByStaff || !canConsent(channel))
}

// classify returns the intent of a message. YES is a consent only if the last
// message to the sender asked for it (invited).
//
// A person can opt out in any reasonable words (47 CFR 64.1200(a)(10)), so a
// message is compared with keywords, with likely misspellings of them, and with
// sentences in English, Spanish, French and Portuguese. The same words in another
// sense ("stop by on Saturday") are taken out first. What is left of them makes
// the message unclear.
func classify(channel consent.Channel, text string, invited bool) intent {
	if channel == consent.Email {
		text = unquoted(text)
	}
	if isStopSign(text) || beginsWithStop(text) {
		return stop
	}

	text = joinLetters(plain(text))
	switch {
	case slices.Contains(stopWords, text):
		return stop
	case slices.Contains(startWords, text), text == "yes" && invited:
		return start
	case slices.Contains(helpWords, text):
		return help
	case isKeyword(text):
		return stop
	}

	text = harmlessFirst().ReplaceAllString(text, " ")
	switch {
	case has(text, "dont stop", "do not stop", "never stop"):
		return unclear // although it contains a stop phrase
	case mixed().MatchString(text):
		return unclear
	case isStopSentence(text):
		return stop
	case ceasing().MatchString(text):
		return unclear
	}

	rest := strings.Join(strings.Fields(harmless().ReplaceAllString(text, " ")), " ")
	switch {
	case politeStop().MatchString(rest):
		return stop
	case len(strings.Fields(text)) <= shortMessage && has(rest, "stop", "unsubscribe", "revoke", "optout", "arret", "arrete"):
		return stop
	case review().MatchString(rest):
		return unclear
	}

	return ordinary
}

// isYes reports whether a message agrees to the one that it answers.
func isYes(channel consent.Channel, text string) bool {
	if channel == consent.Email {
		text = unquoted(text)
	}
	return joinLetters(plain(text)) == "yes"
}

// shortMessage is the number of words up to which a word such as stop is an
// opt-out: "ok stop", "STOP STOP STOP", "unsubscribe please".
const shortMessage = 4

// isStopSign reports whether a text is only stop signs.
func isStopSign(text string) bool {
	found := false
	for _, r := range text {
		switch {
		case strings.ContainsRune("🛑⛔🚫", r):
			found = true
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r):
			return false
		}
	}
	return found
}

// beginsWithStop reports whether the first sentence of a text is one of the words that mean nothing
// else: "Stop!! I bought a boat already".
func beginsWithStop(text string) bool {
	end := strings.IndexAny(text, ".!?;\n")
	if end < 0 || strings.HasPrefix(strings.TrimLeft(text[end:], ".!; \n"), "?") {
		return false
	}
	words := slices.Compact(strings.Fields(joinLetters(plain(text[:end]))))
	return text[end] != '?' && len(words) == 1 && slices.Contains(plainStops, words[0])
}

// joinLetters joins the letters of a spelled word: "s t o p" is "stop".
func joinLetters(text string) string {
	var words, letters []string
	flush := func() {
		if len(letters) >= 3 {
			letters = []string{strings.Join(letters, "")}
		}
		words, letters = append(words, letters...), nil
	}

	for _, word := range strings.Fields(text) {
		if len([]rune(word)) == 1 {
			letters = append(letters, word)
			continue
		}
		flush()
		words = append(words, word)
	}
	flush()
	return strings.Join(words, " ")
}

// isKeyword reports whether a text is a stop word, also if it is repeated,
// misspelled or said politely.
func isKeyword(text string) bool {
	words := strings.Fields(text)
	for len(words) > 0 && slices.Contains(fillers, words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && slices.Contains(fillers, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	words = slices.Compact(words)
	if len(words) == 1 {
		return isMisspelled(words[0])
	}
	return len(words) > 0 && slices.Contains(stopWords, strings.Join(words, " "))
}

// isMisspelled reports whether a word is a stop word, perhaps with letters that
// are repeated or exchanged: "STOPP", "stpo", "unsuscribe".
func isMisspelled(word string) bool {
	short := squeeze(word)
	for _, key := range stopWords {
		switch {
		case word == key, short == squeeze(key) && len(word) > len(key):
			return true
		case len(word) >= 4 && len(word) == len(key) && isSwapped(word, key):
			return true
		}
	}
	return strings.HasPrefix(word, "un") && len(word) >= 8 && distance(word, "unsubscribe") <= 2
}

// squeeze reduces repeated letters to one.
func squeeze(word string) string { return string(slices.Compact([]rune(word))) }

// isSwapped reports whether a word has two neighboring letters of another one
// exchanged.
func isSwapped(word, of string) bool {
	for i := 1; i < len(of); i++ {
		if word == of[:i-1]+of[i:i+1]+of[i-1:i]+of[i+1:] {
			return true
		}
	}
	return false
}

// distance is the number of letters to add, remove or change to turn one word
// into another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// isStopSentence reports whether a text contains an opt-out. "I will stop
// texting you" is none because the sender is the one who stops.
func isStopSentence(text string) bool {
	for _, at := range ceasing().FindAllStringIndex(text, -1) {
		before := strings.Fields(text[:at[0]])
		if len(before) == 0 || !slices.Contains(subjects, before[len(before)-1]) {
			return true
		}
	}
	return slices.ContainsFunc(stopSentences(), func(s *regexp.Regexp) bool { return s.MatchString(text) })
}

// plain removes case, accents, punctuation and emoji from a text. It also removes
// invisible characters and enclosing marks, which would split a word.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Me) || r == 0 {
			return -1
		}
		return r
	}, text)
	// Letters such as 𝐒 have no lower case until they are folded.
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(search.Fold(text)))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// has reports whether one of the phrases is in a plain text, as whole words.
func has(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(" "+text+" ", " "+p+" ") })
}

// unquoted returns the new part of an email. The quoted part is the email that
// we sent, which contains the word unsubscribe.
func unquoted(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----Original Message") || strings.HasPrefix(line, "________________") ||
			strings.HasPrefix(line, "On ") && strings.HasSuffix(line, "wrote:") || strings.HasPrefix(line, "From: ") {
			break
		}
		if !strings.HasPrefix(line, ">") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// invites reports whether a text asks for a YES.
func invites(body string) bool { return has(plain(body), "reply yes", "text yes", "answer yes") }
