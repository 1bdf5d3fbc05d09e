package guides

import (
	"strings"
	"testing"
)

func TestConvert(t *testing.T) {
	p := convert([]byte("# Title\n\nText.\n\n## If you lose it: `a_b`!\n\nSee [the tour](tour.md#start), [errors](errors.md), [this](#x) and [file](../SECURITY.md). `/openapi.json` and `/v1`.\n\n" +
		"<script>alert(1)</script>\n\n[bad](javascript:alert(1))\n\n### `hull_on_hold`\n\n| a | b |\n|---|---|\n| 1 | <b> |\n\n```sh\na < b\n```\n\n## Twice\n\n## Twice\n"))
	text := string(p.html)
	for _, want := range []string{
		"<h1>Title</h1>", `<h2 id="if-you-lose-it-a_b">`, `href="/docs/guides/tour#start"`, `href="/docs/errors"`, `href="#x"`, "and file.", `<a href="/openapi.json"><code>/openapi.json</code></a> and <code>/v1</code>`,
		`<h3 id="hull_on_hold">`, `aria-label="Link to hull_on_hold"`, `<div class="table" tabindex="0"><table>`, `<pre tabindex="0"><code>a &lt; b`,
		`id="twice"`, `id="twice-1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s in\n%s", want, text)
		}
	}
	for _, bad := range []string{"<script", "javascript:", "<b>", "SECURITY.md"} {
		if strings.Contains(text, bad) {
			t.Errorf("want no %s in\n%s", bad, text)
		}
	}
	if p.title != "Title" || len(p.sections) != 4 || !p.sections[1].Code || p.sections[0].Code {
		t.Errorf("got %q, %+v", p.title, p.sections)
	}
}

func TestDiagram(t *testing.T) {
	got, ok := diagram("stateDiagram-v2\n    [*] --> open: first <offer>\n    open --> closed\n    open --> lost: too late\n    closed --> [*]\n")
	want := []string{"<tr><td>New</td><td><code>open</code> (first &lt;offer&gt;)</td></tr>",
		"<tr><td><code>open</code></td><td><code>closed</code>, <code>lost</code> (too late)</td></tr>",
		"<tr><td><code>closed</code></td><td>final</td></tr>"}
	for _, row := range want {
		if !ok || !strings.Contains(got, row) {
			t.Errorf("want %s in\n%s", row, got)
		}
	}
	for _, other := range []string{"flowchart TD\n a --> b", "stateDiagram-v2\n state x {\n"} {
		if _, ok := diagram(other); ok {
			t.Errorf("%q became a table", other)
		}
	}
	for _, g := range List {
		if strings.Contains(string(parse(g).html), "stateDiagram") {
			t.Errorf("%s shows the source of a diagram", g.Name)
		}
	}
}
