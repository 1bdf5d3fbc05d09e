package messages

import (
	"slices"
	"strings"
	"unicode"

	"slipway/internal/consent"
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

// Keywords that count if they are the whole message.
var (
	stopWords = []string{"stop", "stopall", "stop all", "quit", "end", "revoke", "opt out", "optout", "cancel",
		"unsubscribe", "arret", "arrete"}
	startWords = []string{"start", "unstop"}
	helpWords  = []string{"help", "info"}
)

// stopPhrases are opt-outs anywhere in a message.
var stopPhrases = []string{
	"stop texting", "stop messaging", "stop sending", "stop contacting", "stop emailing", "stop calling", "stop writing", "stop bothering",
	"stop spamming",
	"stop these", "please stop", "stop please", "stop all", "stop now", "stop it",
	"remove me", "take me off", "unsubscribe me", "opt me out", "opt out", "lose my number", "delete my number", "leave me alone",
	"do not text", "dont text", "do not message", "dont message", "do not contact", "dont contact", "do not email", "dont email",
	"do not write", "dont write",
	"no more texts", "no more messages", "no more emails", "i want to unsubscribe", "want to opt out", "revoke my consent", "revoke consent",
	"no mas", "ne plus m ecrire",
}

// reviewWords require a user to read the message.
var reviewWords = []string{
	"stop", "unsubscribe", "quit", "cancel", "revoke", "remove", "spam", "enough", "arret", "arrete",
	"not interested", "wrong number", "who is this",
	"no thanks", "no thank you", "harass", "harassing", "lawyer", "attorney",
}

// harmless are phrases with a review word that is not an opt-out.
var harmless = []string{"stop by", "stop in", "stopped by", "non stop", "bus stop", "truck stop"}

// classify returns the intent of a message. YES is a consent only if the last
// message to the sender asked for it (invited).
func classify(channel consent.Channel, text string, invited bool) intent {
	if channel == consent.Email {
		text = unquoted(text)
	}

	text = plain(text)
	switch {
	case slices.Contains(stopWords, text):
		return stop
	case slices.Contains(startWords, text), text == "yes" && invited:
		return start
	case slices.Contains(helpWords, text):
		return help
	case has(text, "dont stop", "do not stop", "never stop"):
		return unclear // although it contains a stop phrase
	case has(text, stopPhrases...):
		return stop
	}

	rest := without(text, harmless)
	switch {
	case len(strings.Fields(text)) <= shortMessage && has(rest, "stop", "unsubscribe", "quit", "revoke", "optout", "arret", "arrete"):
		return stop
	case has(rest, reviewWords...):
		return unclear
	}

	return ordinary
}

// shortMessage is the number of words up to which a word such as stop is an
// opt-out: "ok stop", "STOP STOP STOP", "unsubscribe please".
const shortMessage = 4

// without removes phrases from a plain text.
func without(text string, phrases []string) string {
	for _, phrase := range phrases {
		text = strings.ReplaceAll(" "+text+" ", " "+phrase+" ", "  ")
	}
	return strings.TrimSpace(text)
}

// plain removes case, accents, punctuation and emoji from a text.
func plain(text string) string {
	text = strings.NewReplacer("'", "", "’", "").Replace(search.Fold(text))
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
