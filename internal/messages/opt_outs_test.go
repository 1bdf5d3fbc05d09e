package messages

import (
	_ "embed"
	"strings"
	"testing"

	"slipway/internal/consent"
)

//go:embed testdata/opt_outs.tsv
var optOuts string

// People opt out in any words, and use the same words for other things.
func TestOptOutsInAnyReasonableWords(t *testing.T) {
	count := map[intent]int{}
	for line := range strings.Lines(optOuts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		want, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		language, text, _ := strings.Cut(rest, "\t")
		count[intent(want)]++
		for _, channel := range []consent.Channel{consent.SMS, consent.Email} {
			if got := classify(channel, text, false); got != intent(want) {
				t.Errorf("%s, %s: %q is %s, want %s", channel, language, text, got, want)
			}
		}
	}
	if count[stop] < 150 || count[ordinary] < 150 {
		t.Errorf("got %v, want at least 150 opt-outs and 150 harmless sentences", count)
	}
}
