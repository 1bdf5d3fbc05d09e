package messages

import (
	"testing"

	"slipway/internal/consent"
	"slipway/internal/testkit/assert"
)

func TestClassify(t *testing.T) {
	for want, texts := range map[intent][]string{
		stop: {
			"STOP", "stop", " Stop. ", "STOP!!! 🛑", "StopAll", "stop all", "QUIT", "End", "revoke", "opt out", "Opt-out", "OPTOUT", "cancel",
			"UNSUBSCRIBE", "Arrêt", "ARRETE", "arrête",
			"Please stop texting me", "please STOP", "stop please", "Ok stop", "STOP STOP STOP", "unsubscribe please",
			"Stop sending me these!", "Take me off your list",
			"Remove me from this list, thanks", "Do not text me again", "Don't text me", "don’t contact me any more", "No más",
			"no mas por favor", "I want to opt out of this",
			"leave me alone", "I said no more texts", "I hereby revoke my consent",
			"Stop!! I bought a boat already", "STOP. We found one in Annapolis.", "Unsubscribe! I am not Ann.", "S.T.O.P",
			"Wrong number please remove", "wrong number, delete it", "please remove",
		},
		start: {"START", "start", "Unstop", "unstop!"},
		help:  {"HELP", "help?", "Info", "INFO."},
		unclear: {
			"Can you stop that noise the engine makes when it is cold?", "Don't stop texting me", "please do not stop",
			"I have to cancel my appointment on Friday", "not interested", "Wrong number", "Is this the wrong number of engine hours?",
			"Who is this?", "that is enough of this, thank you very much", "this is spam",
		},
		ordinary: {
			"", "🚤", "Is she still there?", "I could stop by on Saturday", "We'll stop in after work", "YES", "yes please",
			"What does it cost at the end of the season?", "A non-stop trip to Bermuda",
			"I start at noon", "The first stop! Then Annapolis.", "Please remove the old trailer from the offer", "Can you help me find a trailer?", "The endless summer", "nonstop",
		},
	} {
		for _, text := range texts {
			assert.Equal(t, classify(consent.SMS, text, false), want, text)
		}
	}

	if got := classify(consent.SMS, "Yes!", true); got != start {
		t.Errorf("yes to a question: got %s, want start", got)
	}
	if !invites("Want boat news? Reply YES to get it.") || invites("Yes, reply soon") {
		t.Error("text that asks for a YES")
	}
}

// A reply by email quotes the original message, including its unsubscribe text.
func TestClassifyEmail(t *testing.T) {
	for text, want := range map[string]intent{
		"Saturday is fine.\n\nOn Mon, Ann wrote:\n> Unsubscribe: https://...\n":           ordinary,
		"Saturday is fine.\n> please stop texting\nAnn":                                   ordinary,
		"Unsubscribe\n\nOn Mon, 4 May 2026 at 10:00, Acme wrote:\n> hello":                stop,
		"Great, thanks\n-----Original Message-----\nFrom: Acme\nUnsubscribe: https://...": ordinary,
		"Please take me off your list.\n\n> The Freedom 235":                              stop,
		"ok\n________________________________\nFrom: Acme\nunsubscribe":                   ordinary,
	} {
		assert.Equal(t, classify(consent.Email, text, false), want, text)
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"STOP", "please stop texting", "On x wrote:", "\xff", "a\u0301", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, channel := range []consent.Channel{consent.SMS, consent.Email} {
			if got := classify(channel, s, false); got == "" {
				t.Error("no intent")
			}
		}
		if got := classify(consent.SMS, "  "+s+" stop texting me", false); got != stop && got != unclear {
			t.Errorf("%q before an opt-out: got %s, want stop or unclear", s, got)
		}
	})
}
