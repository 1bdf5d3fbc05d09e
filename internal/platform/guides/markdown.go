package guides

import (
	"bytes"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Section is a part of a guide with a heading.
type Section struct {
	ID, Title string
	Level     int
	Code      bool // the heading is an error code
	text      string
}

// parsed is a guide as HTML.
type parsed struct {
	title    string
	html     template.HTML
	sections []Section
}

// contents returns the sections for the table of contents.
func (p parsed) contents() []Section {
	if len(p.sections) < 2 {
		return nil
	}
	return p.sections
}

// markdown converts the guides. Raw HTML is left out.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

var cache sync.Map // from names to parsed guides

// parse converts a guide, once.
func parse(g Guide) parsed {
	if p, ok := cache.Load(g.Name); ok {
		return p.(parsed)
	}
	p := convert(g.Markdown())
	cache.Store(g.Name, p)
	return p
}

func convert(source []byte) (p parsed) {
	ids := &slugs{used: map[string]bool{}}
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	var unlink []*ast.Link
	var paths []*ast.CodeSpan
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.addHeading(n, source)
		case *ast.Link:
			to, served := rewrite(string(n.Destination))
			if !served {
				unlink = append(unlink, n)
			}
			n.Destination = []byte(to)
		case *ast.CodeSpan:
			if _, linked := n.Parent().(*ast.Link); !linked && slices.Contains(served, plain(n, source)) {
				paths = append(paths, n)
			}
		default:
			p.addText(n, source)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range unlink {
		replaceWithChildren(n)
	}
	for _, n := range paths {
		l := ast.NewLink()
		l.Destination = []byte(plain(n, source))
		n.Parent().ReplaceChild(n.Parent(), n, l)
		l.AppendChild(l, n)
	}

	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		panic(err) // a buffer accepts everything
	}
	// Only the renderer writes these tags, because it escapes the text and leaves out raw HTML.
	body := strings.NewReplacer(
		"<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>", "<th></th>", "<td></td>",
	).Replace(b.String())
	p.html = template.HTML(body) //nolint:gosec // see above
	return p
}

func (p *parsed) addHeading(h *ast.Heading, source []byte) {
	title := plain(h, source)
	if h.Level == 1 {
		p.title = title
		return
	}
	id, _ := h.AttributeString("id")
	slug, _ := id.([]byte)
	_, isCode := h.FirstChild().(*ast.CodeSpan)
	p.sections = append(p.sections, Section{ID: string(slug), Title: title, Level: h.Level, Code: isCode && h.ChildCount() == 1})
}

// addText adds a paragraph or a row of a table to the text of the current section.
func (p *parsed) addText(n ast.Node, source []byte) {
	if len(p.sections) == 0 || n.Kind() != ast.KindParagraph && n.Kind() != ast.KindTextBlock {
		return
	}
	s := &p.sections[len(p.sections)-1]
	if len(s.text) < 4*maxText {
		s.text += " " + plain(n, source)
	}
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// served are the paths of other pages and files. Guides name them as code, which
// becomes a link, because a link in the repository would lead nowhere.
var served = []string{"/docs/reference", "/docs/reference/preview", "/docs/reference/public", "/changelog", "/changelog.json",
	"/openapi.json", "/openapi.yaml", "/openapi-preview.json", "/openapi-public.json", "/llms.txt"}

// rewrite returns where a link in a guide leads on the server. Files of the
// repository that are not guides are not served.
func rewrite(to string) (url string, served bool) {
	if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "/") || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return to, true
	}
	file, anchor, _ := strings.Cut(to, "#")
	g, ok := Find(strings.TrimSuffix(file, ".md"))
	if !ok {
		return to, false
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	return g.URL() + anchor, true
}

func replaceWithChildren(n ast.Node) {
	parent := n.Parent()
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

// slugs gives headings the same IDs as GitHub: underscores stay, so that the ID of an
// error code is the code.
type slugs struct{ used map[string]bool }

// Generate returns the ID of a heading.
func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	unique := id
	for i := 1; s.used[unique]; i++ {
		unique = id + "-" + strconv.Itoa(i)
	}
	s.used[unique] = true
	return []byte(unique)
}

// Put reserves an ID.
func (s *slugs) Put(value []byte) { s.used[string(value)] = true }

// blocks renders headings with a link to themselves, code that can be scrolled with
// the keyboard, and diagrams of statuses as tables.
type blocks struct{}

// RegisterFuncs registers the renderers.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
}

func heading(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	level := strconv.Itoa(h.Level)
	id, _ := h.AttributeString("id")
	slug, _ := id.([]byte)
	switch {
	case entering && h.Level == 1:
		_, _ = w.WriteString("<h1>")
	case entering:
		_, _ = w.WriteString("<h" + level + ` id="` + html.EscapeString(string(slug)) + `">`)
	case h.Level == 1:
		_, _ = w.WriteString("</h1>\n")
	default:
		_, _ = w.WriteString(` <a class="anchor" href="#` + html.EscapeString(string(slug)) + `" aria-label="Link to ` +
			html.EscapeString(plain(h, source)) + `">#</a></h` + level + ">\n")
	}
	return ast.WalkContinue, nil
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(source))
	}

	if language == "mermaid" {
		if table, ok := diagram(b.String()); ok {
			_, _ = w.WriteString(table)
			return ast.WalkSkipChildren, nil
		}
	}
	_, _ = w.WriteString(`<pre tabindex="0"><code>` + html.EscapeString(b.String()) + "</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// diagram turns a state diagram into a table of the possible changes, with one row for
// each status. Diagrams need a script, and a table can be read aloud.
func diagram(source string) (table string, ok bool) {
	lines := strings.Split(strings.TrimSpace(source), "\n")
	if !strings.HasPrefix(lines[0], "stateDiagram") {
		return "", false
	}
	var from []string
	to := map[string][]string{}
	for _, line := range lines[1:] {
		start, rest, arrow := strings.Cut(strings.TrimSpace(line), " --> ")
		if !arrow {
			return "", false
		}
		end, when, _ := strings.Cut(rest, ": ")
		if start != "[*]" && len(to[start]) == 0 || len(from) == 0 {
			from = append(from, start)
		}
		cell := "<code>" + html.EscapeString(strings.TrimSpace(end)) + "</code>"
		if end == "[*]" {
			cell = "final"
		}
		if when != "" {
			cell += " (" + html.EscapeString(strings.TrimSpace(when)) + ")"
		}
		to[start] = append(to[start], cell)
	}

	var b strings.Builder
	b.WriteString("<table>\n<thead>\n<tr><th>From</th><th>To</th></tr>\n</thead>\n<tbody>\n")
	for _, start := range from {
		name := "<code>" + html.EscapeString(start) + "</code>"
		if start == "[*]" {
			name = "New"
		}
		b.WriteString("<tr><td>" + name + "</td><td>" + strings.Join(to[start], ", ") + "</td></tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	return b.String(), true
}
