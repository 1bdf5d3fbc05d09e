package mail

import (
	"strings"
	"testing"
)

func TestLetter(t *testing.T) {
	for name, c := range map[string]struct {
		letter Letter
		text   string
		html   []string // parts that it contains
		not    []string // parts that it doesn't contain
	}{
		"marketing": {
			Letter{
				Brand: "Möwe & Sons", Body: "Hello <Ann>,\r\n\r\nshe is ready.\r\nSee https://x.example/a?b=1&c=2.\n",
				Footer: []string{"Möwe & Sons", "12 Dock Street"}, Unsubscribe: "https://x.example/unsubscribe/t",
			},
			"Hello <Ann>,\n\nshe is ready.\nSee https://x.example/a?b=1&c=2.\n\n-- \nMöwe & Sons\n12 Dock Street\n" +
				"Unsubscribe: https://x.example/unsubscribe/t\n",
			[]string{">Hello &lt;Ann&gt;,</p>", ">she is ready.<br>See <a", `href="https://x.example/a?b=1&amp;c=2"`, "</a>.</p>",
				"Möwe &amp; Sons<br>12 Dock Street", `href="https://x.example/unsubscribe/t"`},
			[]string{"<img"},
		},
		"button": {
			Letter{Brand: "Slipway", Body: "Hello", Button: Button{"Set your password", "https://x.example/i/1"}, After: "The link works once."},
			"Hello\n\nSet your password:\nhttps://x.example/i/1\n\nThe link works once.\n",
			[]string{`<a href="https://x.example/i/1"`, ">Set your password</a>", ">The link works once.</p>"},
			[]string{"Unsubscribe", "<hr"},
		},
		"boat and signature": {
			Letter{
				Brand: "Acme", Logo: []byte("png"), Body: "Hello", Boat: &Boat{Title: "2024 Lund Rebel", Details: []string{"$24,900"}, Photo: []byte("jpeg")},
				Signature: []string{"Uma Sy", "(410) 555-0123"},
			},
			"Hello\n\n2024 Lund Rebel\n$24,900\n\n-- \nUma Sy\n(410) 555-0123\n",
			[]string{`src="cid:logo" alt="Acme"`, `src="cid:boat" alt="2024 Lund Rebel"`, "$24,900", ">Uma Sy</strong><br>(410) 555-0123"},
			[]string{"Unsubscribe"},
		},
		"lists and a page": {
			Letter{
				Brand: "Acme", Body: "Good morning.", Manage: Button{"Turn it off", "https://x.example/profile"},
				Lists: []List{{
					Title: "Tasks", Items: []Item{{"Call <Ann>", "due today", "https://x.example/1"}, {"Wax", "", "https://x.example/2"}},
					More: Button{"Show all", "https://x.example/all"},
				}},
				Boat: &Boat{Title: "2024 Lund Rebel", URL: "https://boats.example.com/1"},
			},
			"Good morning.\n\nTasks:\n* Call <Ann> (due today)\n  https://x.example/1\n* Wax\n  https://x.example/2\nShow all: https://x.example/all\n\n" +
				"2024 Lund Rebel\nhttps://boats.example.com/1\n\n-- \nTurn it off: https://x.example/profile\n",
			[]string{">Call &lt;Ann&gt;</a><br>", `href="https://x.example/all"`, ">Turn it off</a>", `<a class="link" href="https://boats.example.com/1"`},
			[]string{"<Ann>", "Unsubscribe"},
		},
		"hostile link": {
			Letter{Brand: "Acme", Body: `https://x.example/"onmouseover="alert(1) javascript:alert(1)`},
			"https://x.example/\"onmouseover=\"alert(1) javascript:alert(1)\n",
			[]string{`href="https://x.example/"`},
			[]string{`href="javascript`, `"onmouseover`},
		},
	} {
		var m Message
		if err := c.letter.Write(&m); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Text != c.text {
			t.Errorf("%s: text %q, want %q", name, m.Text, c.text)
		}
		for _, part := range c.html {
			if !strings.Contains(m.HTML, part) {
				t.Errorf("%s: no %s in %s", name, part, m.HTML)
			}
		}
		for _, part := range c.not {
			if strings.Contains(m.HTML, part) {
				t.Errorf("%s: HTML contains %s, want it not to: %s", name, part, m.HTML)
			}
		}
	}
}

// FuzzLetter checks that a body never becomes markup.
func FuzzLetter(f *testing.F) {
	f.Add("Hello <b>Ann</b> https://x.example/?a=1&b=<script>")
	f.Add("http://")
	f.Fuzz(func(t *testing.T, body string) {
		var plain, m Message
		l := Letter{Brand: "Acme", Body: "x"}
		if err := l.Write(&plain); err != nil {
			t.Fatal(err)
		}
		l.Body = body
		if err := l.Write(&m); err != nil {
			t.Fatal(err)
		}
		tags := func(html string) int {
			n := strings.Count(html, "<")
			for _, own := range []string{"<br>", "<a class", "</a>", "<p class", "</p>"} {
				n -= strings.Count(html, own)
			}
			return n
		}
		if tags(m.HTML) != tags(plain.HTML) {
			t.Errorf("the body %q added markup: %s", body, m.HTML)
		}
	})
}
