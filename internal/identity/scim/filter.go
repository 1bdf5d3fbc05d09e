package scim

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// filter is a condition of RFC 7644, section 3.4.2.2: a comparison, or others that are
// combined.
type filter struct {
	op    string // and, or, not, pr, eq, ne, co, sw, ew, gt, ge, lt or le
	attr  string // of a comparison, such as emails.value; in lower case and without a schema
	inner *filter
	value any // string, bool, float64 or nil
	parts []filter
}

// path is the target of a change, such as emails[type eq "work"].value.
type path struct {
	schema string // of an extension, or ""
	attr   string // in lower case
	where  *filter
	sub    string // in lower case, or ""
}

const (
	maxFilter = 2000 // bytes
	maxDepth  = 10
)

var comparisons = []string{"eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"}

// parseFilter reads a filter.
func parseFilter(text string) (filter, error) {
	p, err := newParser(text, "invalidFilter")
	if err != nil {
		return filter{}, err
	}
	f, err := p.either(0)
	if err == nil && p.peek() != "" {
		err = p.unexpected()
	}
	return f, err
}

// parsePath reads the path of a change.
func parsePath(text string) (path, error) {
	schema, rest := splitSchema(text)
	if rest == "" {
		return path{schema: schema}, nil
	}
	p, err := newParser(rest, "invalidPath")
	if err != nil {
		return path{}, err
	}
	name := p.next()
	if !isName(name) {
		return path{}, p.fail("%q is not a valid attribute path.", text)
	}
	out := path{schema: schema}
	out.attr, out.sub, _ = strings.Cut(strings.ToLower(name), ".")

	if p.peek() == "[" && out.sub == "" {
		p.next()
		where, err := p.either(0)
		if err != nil {
			return path{}, err
		}
		if p.next() != "]" {
			return path{}, p.unexpected()
		}
		out.where = &where
		if sub, ok := strings.CutPrefix(p.peek(), "."); ok && isName(sub) {
			p.next()
			out.sub = strings.ToLower(sub)
		}
	}
	if p.peek() != "" || strings.Contains(out.sub, ".") {
		return path{}, p.unexpected()
	}
	return out, nil
}

// splitSchema removes the schema from an attribute. The schemas of users and groups become
// "", because their attributes don't need it.
func splitSchema(text string) (schema, rest string) {
	if len(text) < 4 || !strings.EqualFold(text[:4], "urn:") {
		return "", text
	}
	for _, known := range []string{userSchema, groupSchema, enterpriseSchema} {
		if len(text) < len(known) || !strings.EqualFold(text[:len(known)], known) {
			continue
		}
		if rest = text[len(known):]; rest != "" && rest[0] != ':' {
			continue
		}
		if schema = known; known != enterpriseSchema {
			schema = ""
		}
		return schema, strings.TrimPrefix(rest, ":")
	}

	start, _, _ := strings.Cut(text, "[")
	end := strings.LastIndexByte(start, ':')
	return text[:end], text[end+1:]
}

// parser reads the tokens of a filter.
type parser struct {
	tokens   []string // texts are still in quotes
	scimType string   // of errors
}

func newParser(text, scimType string) (*parser, error) {
	p := &parser{scimType: scimType}
	if len(text) > maxFilter || !utf8.ValidString(text) {
		return nil, p.fail("It must be valid UTF-8 and have at most %d bytes.", maxFilter)
	}
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		size, err := p.size(text)
		if err != nil {
			return nil, err
		}
		p.tokens, text = append(p.tokens, text[:size]), text[size:]
	}
	return p, nil
}

// size returns the length of the first token.
func (p *parser) size(text string) (int, error) {
	switch text[0] {
	case '(', ')', '[', ']':
		return 1, nil
	case '"':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1, nil
			}
		}
		return 0, p.fail("A quote is missing.")
	}
	if end := strings.IndexAny(text, " ()[]\""); end > 0 {
		return end, nil
	}
	return len(text), nil
}

func (p *parser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) next() string {
	token := p.peek()
	if token != "" {
		p.tokens = p.tokens[1:]
	}
	return token
}

// accept reads a word, if it is the next one.
func (p *parser) accept(word string) bool {
	ok := strings.EqualFold(p.peek(), word)
	if ok {
		p.next()
	}
	return ok
}

func (p *parser) fail(format string, args ...any) error {
	return errInvalid(p.scimType, format, args...)
}

func (p *parser) unexpected() error {
	if p.peek() == "" {
		return p.fail("It ends too early.")
	}
	return p.fail("%s was not expected here.", p.peek())
}

// either reads conditions that are combined with or.
func (p *parser) either(depth int) (filter, error) {
	if depth > maxDepth {
		return filter{}, p.fail("It has more than %d levels.", maxDepth)
	}
	return p.list("or", func() (filter, error) {
		return p.list("and", func() (filter, error) { return p.one(depth) })
	})
}

// list reads conditions that are combined with a word.
func (p *parser) list(word string, read func() (filter, error)) (filter, error) {
	first, err := read()
	all := []filter{first}
	for err == nil && p.accept(word) {
		var f filter
		f, err = read()
		all = append(all, f)
	}
	if len(all) == 1 {
		return first, err
	}
	return filter{op: word, parts: all}, err
}

// one reads a comparison, or a condition in parentheses.
func (p *parser) one(depth int) (filter, error) {
	not := p.accept("not")
	if not || p.peek() == "(" {
		if p.next() != "(" {
			return filter{}, p.fail("not must be followed by parentheses.")
		}
		f, err := p.either(depth + 1)
		if err == nil && p.next() != ")" {
			err = p.fail("A parenthesis is missing.")
		}
		if not {
			f = filter{op: "not", parts: []filter{f}}
		}
		return f, err
	}

	_, attr := splitSchema(p.peek())
	if !isName(attr) {
		return filter{}, p.unexpected()
	}
	p.next()
	f := filter{attr: strings.ToLower(attr)}
	if p.peek() == "[" {
		return p.inBrackets(f, depth)
	}
	if f.op = strings.ToLower(p.next()); f.op == "pr" {
		return f, nil
	}
	if !slices.Contains(comparisons, f.op) {
		return f, p.fail("The operator must be one of %s or pr.", strings.Join(comparisons, ", "))
	}
	if err := json.Unmarshal([]byte(p.peek()), &f.value); err != nil {
		return f, p.fail("%s must be followed by a text in quotes, a number, true, false or null.", f.op)
	}
	p.next()
	if text, ok := f.value.(string); ok && checkText(f.attr, text) != nil {
		return f, p.fail("%s must be compared with a shorter text without control characters.", f.attr)
	}
	return f, nil
}

// inBrackets reads emails[type eq "work"], and emails[type eq "work"].value eq "x".
func (p *parser) inBrackets(f filter, depth int) (filter, error) {
	p.next()
	inner, err := p.either(depth + 1)
	if err != nil {
		return f, err
	}
	if p.next() != "]" {
		return f, p.fail("A bracket is missing.")
	}
	f.op, f.inner = "pr", &inner
	sub, ok := strings.CutPrefix(p.peek(), ".")
	if !ok {
		return f, nil
	}

	p.tokens[0] = sub
	compared, err := p.one(depth + 1)
	if err == nil && (compared.attr == "" || compared.inner != nil) {
		err = p.fail("%s must be compared with a value.", sub)
	}
	inner = filter{op: "and", parts: []filter{inner, compared}}
	return f, err
}

// isName reports whether a token is the name of an attribute, such as name.givenName.
func isName(token string) bool {
	parts := strings.Split(token, ".")
	return len(parts) <= 2 && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || strings.ContainsFunc(part, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$')
		})
	})
}

// exact are the attributes whose case matters.
var exact = []string{"id", "externalid", "members", "members.value", "groups", "groups.value"}

// matches reports whether a resource, or a value of an attribute, fulfills the condition.
func (f filter) matches(in object) bool {
	switch f.op {
	case "and":
		return !slices.ContainsFunc(f.parts, func(part filter) bool { return !part.matches(in) })
	case "or":
		return slices.ContainsFunc(f.parts, func(part filter) bool { return part.matches(in) })
	case "not":
		return !f.parts[0].matches(in)
	}
	if f.inner != nil {
		return slices.ContainsFunc(in.list(f.attr), func(v any) bool {
			element, ok := v.(object)
			return ok && f.inner.matches(element)
		})
	}
	values := in.values(f.attr)
	if f.op == "ne" {
		return !slices.ContainsFunc(values, func(v any) bool { return f.compare("eq", v) })
	}
	if f.value == nil && f.op == "eq" {
		return len(values) == 0
	}
	return slices.ContainsFunc(values, func(v any) bool { return f.compare(f.op, v) })
}

func (f filter) compare(op string, v any) bool {
	if op == "pr" {
		return v != nil && v != ""
	}
	has, isText := v.(string)
	want, wantText := f.value.(string)
	if yes, ok := v.(bool); ok {
		wanted, ok := toBool(f.value)
		return op == "eq" && ok && yes == wanted
	}
	if !isText || !wantText {
		return op == "eq" && v == f.value
	}
	if !slices.Contains(exact, f.attr) {
		has, want = strings.ToLower(has), strings.ToLower(want)
	}
	switch op {
	case "eq":
		return has == want
	case "co":
		return strings.Contains(has, want)
	case "sw":
		return strings.HasPrefix(has, want)
	case "ew":
		return strings.HasSuffix(has, want)
	case "gt":
		return has > want
	case "ge":
		return has >= want
	case "lt":
		return has < want
	}
	return has <= want
}

// required returns the text that an attribute must equal, so that it can be looked up. It
// returns false if the filter doesn't say.
func (f filter) required(attr string) (string, bool) {
	if f.op == "and" {
		for _, part := range f.parts {
			if text, ok := part.required(attr); ok {
				return text, true
			}
		}
	}
	if f.op == "pr" && f.inner != nil {
		rest, ok := strings.CutPrefix(attr, f.attr+".")
		if !ok {
			return "", false
		}
		return f.inner.required(rest)
	}
	if f.op != "eq" || f.attr != attr {
		return "", false
	}
	text, ok := f.value.(string)
	return text, ok
}

// mentions reports whether the result can depend on an attribute.
func (f filter) mentions(attr string) bool {
	return f.attr == attr || strings.HasPrefix(f.attr, attr+".") || slices.ContainsFunc(f.parts, func(part filter) bool { return part.mentions(attr) })
}
