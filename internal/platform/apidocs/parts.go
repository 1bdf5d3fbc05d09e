package apidocs

import (
	"html/template"
	"strings"

	"slipway/internal/vocab/lazy"
)

// icons are the paths of the icons, on a grid of 16 by 16. The console has the same.
var icons = map[string]string{
	"approve": "M2.500 3.500h11v9h-11ZM5 8l2 2 4-4",
	"arrow":   "M3 8h10M9 4l4 4-4 4",
	"copy":    "M5.500 5.500h8v8h-8ZM10.500 5.500v-3h-8v8h3",
	"key":     "M9.500 9.500a3.500 3.500 0 1 0-2.700-1.300L2.500 12.500v1.500h2v-1.500h1.500V11l1.300-1.300",
	"right":   "M6 4l4 4-4 4",
	"run":     "M5 3l8 5-8 5Z",
	"search":  "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3",
	"sun":     "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.500V3M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1",
	"undo":    "M3 6.500h7a3.200 3.200 0 0 1 0 6.500H7M5.500 4 3 6.500 5.500 9",
}

func icon(name string) template.HTML {
	if icons[name] == "" {
		return ""
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="` + icons[name] + `"/></svg>`) //nolint:gosec // constants
}

// tones are the colors of statuses, as in the console.
var tones = map[string]string{
	"available": "green", "on_hold": "amber", "sale_pending": "blue", "sold": "dark", "delivered": "dark", "published": "green", "queued": "amber",
	"rejected": "red", "ready": "green", "processing": "amber", "failed": "red", "new": "blue", "working": "green", "converted": "dark",
	"accepted": "green", "in_finance": "blue", "contracted": "blue", "funded": "green", "closed": "dark", "cancelled": "red", "pending": "amber",
	"partially_signed": "amber", "signed": "green", "expired": "amber", "submitted": "blue", "approved": "green", "declined": "red", "active": "green",
	"invited": "amber", "succeeded": "green", "completed": "green", "running": "blue",
}

// tone returns the color of a status.
func tone(status string) string { return tones[status] }

// breaks lets a path break before a slash.
func breaks(path string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(path), "/")
	return template.HTML(strings.Join(parts, "<wbr>/")) //nolint:gosec // escaped
}

// tokens are the parts of code with a color of their own.
var tokens = lazy.Regexp(`(?m)("(?:[^"\\\n]|\\.)*"|'(?:[^']|'\\'')*')|(^\s*#.*$|//.*$)|\b(for|range|if|err|nil|return|const|await|of|new|func|true|false|null)\b`)

// highlight returns code as HTML. The values of parameters are marked, so that the page can
// replace them by what is typed.
func highlight(s Sample, o *Operation) template.HTML {
	var b strings.Builder
	mark := func(class, text string) {
		text = template.HTMLEscapeString(text)
		for _, p := range o.Params {
			if example := template.HTMLEscapeString(p.Example); p.In == "path" && len(example) > 3 {
				text = strings.ReplaceAll(text, example, `<span class="v" data-v="`+template.HTMLEscapeString(p.ID)+`">`+example+`</span>`)
			}
		}
		if class != "" {
			text = `<span class="` + class + `">` + text + `</span>`
		}
		b.WriteString(text)
	}
	body := ""
	if s.Lang == "curl" && o.Body != nil && o.Body.Type == "application/json" {
		body = "'" + strings.ReplaceAll(o.Body.Example, "'", `'\''`) + "'"
	}
	rest := s.Source
	for rest != "" {
		found := tokens().FindStringSubmatchIndex(rest)
		if found == nil {
			break
		}
		mark("", rest[:found[0]])
		switch text := rest[found[0]:found[1]]; {
		case found[2] >= 0 && text == body:
			b.WriteString(`<span class="s" data-body>` + template.HTMLEscapeString(text) + `</span>`)
		case found[2] >= 0:
			mark("s", text)
		case found[4] >= 0:
			mark("c", text)
		default:
			mark("k", text)
		}
		rest = rest[found[1]:]
	}
	mark("", rest)
	return template.HTML(b.String()) //nolint:gosec // escaped
}

var (
	jsonLine = lazy.Regexp(`^( *)("(?:[^"\\]|\\.)*")(: )?(.*)$`)
	jsonText = lazy.Regexp(`^("(?:[^"\\]|\\.)*")(,?)$`)
)

// lines returns JSON as HTML. Each line names the field that it belongs to. The objects of a
// page are deeper than a single object.
func lines(text string, page bool) template.HTML {
	depth := 2
	if page {
		depth = 6
	}
	var b strings.Builder
	field := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		m := jsonLine().FindStringSubmatch(line)
		switch {
		case indent < depth:
			field = ""
		case indent == depth && m != nil && m[3] != "":
			field = strings.Trim(m[2], `"`)
		}
		b.WriteString(`<span class="l"`)
		if field != "" {
			b.WriteString(` data-f="` + template.HTMLEscapeString(field) + `"`)
		}
		b.WriteString(">")
		switch {
		case m != nil && m[3] != "":
			value := template.HTMLEscapeString(m[4])
			if v := jsonText().FindStringSubmatch(m[4]); v != nil {
				value = `<span class="s">` + template.HTMLEscapeString(v[1]) + `</span>` + v[2]
			}
			b.WriteString(m[1] + `<span class="k">` + template.HTMLEscapeString(m[2]) + `</span>: ` + value)
		default:
			b.WriteString(template.HTMLEscapeString(line))
		}
		b.WriteString("\n</span>")
	}
	return template.HTML(b.String()) //nolint:gosec // escaped
}
