package leads

import (
	"slices"
	"strings"
	"unicode"

	"slipway/internal/consent"
	"slipway/internal/vocab/search"
)

// intent is what somebody who writes to us wants, as far as the law makes us
// listen for it.
type intent string

const (
	stop     intent = "stop"
	start    intent = "start"
	help     intent = "help"
	unclear  intent = "unclear" // may be an opt-out: a person must read it
	ordinary intent = "ordinary"
)

// Whole messages that always count.
var (
	stopWords  = []string{"stop", "stopall", "stop all", "quit", "end", "revoke", "opt out", "optout", "cancel", "unsubscribe", "arret", "arrete"}
	startWords = []string{"start", "unstop"}
	helpWords  = []string{"help", "info"}
)

// stopPhrases are what a reasonable person understands as an opt-out, within
// whatever else is said.
var stopPhrases = []string{
	"stop texting", "stop messaging", "stop sending", "stop contacting", "stop emailing", "stop calling", "stop writing", "stop bothering", "stop spamming",
	"stop these", "please stop", "stop please", "stop all", "stop now", "stop it",
	"remove me", "take me off", "unsubscribe me", "opt me out", "opt out", "lose my number", "delete my number", "leave me alone",
	"do not text", "dont text", "do not message", "dont message", "do not contact", "dont contact", "do not email", "dont email", "do not write", "dont write",
	"no more texts", "no more messages", "no more emails", "i want to unsubscribe", "want to opt out", "revoke my consent", "revoke consent", "no mas", "ne plus m ecrire",
}

// doubtWords make a person read the message.
var doubtWords = []string{
	"stop", "unsubscribe", "quit", "cancel", "revoke", "remove", "spam", "enough", "arret", "arrete", "not interested", "wrong number", "who is this", "no thanks", "no thank you", "harass", "harassing", "lawyer", "attorney",
}

// harmless say so about a doubtful word.
var harmless = []string{"stop by", "stop in", "stopped by", "non stop", "bus stop", "truck stop"}

// understand says what a message wants. Answering a text that asked to reply
// YES, a yes is a consent; otherwise it is only an answer.
func understand(channel consent.Channel, text string, invited bool) intent {
	if channel == consent.Email {
		text = unquoted(text)
	}
	said := plain(text)
	switch {
	case slices.Contains(stopWords, said):
		return stop
	case slices.Contains(startWords, said), said == "yes" && invited:
		return start
	case slices.Contains(helpWords, said):
		return help
	case has(said, "dont stop", "do not stop", "never stop"):
		return unclear // and not what a phrase within it says
	case has(said, stopPhrases...):
		return stop
	}
	rest := without(said, harmless)
	switch {
	case len(strings.Fields(said)) <= shortly && has(rest, "stop", "unsubscribe", "quit", "revoke", "optout", "arret", "arrete"):
		return stop
	case has(rest, doubtWords...):
		return unclear
	}
	return ordinary
}

// shortly is the number of words up to which a word such as stop means but one
// thing: "ok stop", "STOP STOP STOP", "unsubscribe please".
const shortly = 4

// without takes phrases out of a plain text.
func without(said string, phrases []string) string {
	for _, phrase := range phrases {
		said = strings.ReplaceAll(" "+said+" ", " "+phrase+" ", "  ")
	}
	return strings.TrimSpace(said)
}

// plain takes case, accents, punctuation and pictures off a text.
func plain(text string) string {
	text = strings.NewReplacer("'", "", "’", "").Replace(search.Fold(text))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// has reports whether one of the phrases is in a plain text, as whole words.
func has(said string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(" "+said+" ", " "+p+" ") })
}

// unquoted is the new part of an email. What it quotes are our own words, which
// tell how to unsubscribe.
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
