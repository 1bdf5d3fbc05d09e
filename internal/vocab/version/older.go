package version

import "bytes"

// Older removes from JSON what versions after this one added. The JSON must be valid.
// It is read byte by byte, because decoding and encoding it again would take longer
// than the rest of a request.
func (s *Shape) Older(version string, data []byte) []byte {
	if s == nil || version >= Latest() {
		return data
	}
	c := copier{version: version, in: data}
	c.value(s)
	if c.out == nil {
		return data // without anything newer
	}
	return append(c.out, data[c.copied:]...)
}

// copier reads JSON and copies what remains of it from in to out, in pieces as long as
// possible.
type copier struct {
	version string
	in, out []byte
	at      int // the next byte to read
	copied  int // the bytes of in that are in out, or left out
}

// replace copies what was not copied before from, and leaves out what is between from
// and to.
func (c *copier) replace(from, to int, text string) {
	if c.out == nil {
		c.out = make([]byte, 0, len(c.in))
	}
	c.out = append(append(c.out, c.in[c.copied:from]...), text...)
	c.copied = to
}

// value reads the next value.
func (c *copier) value(s *Shape) {
	c.blanks()
	if s == nil || c.at >= len(c.in) {
		c.skip()
		return
	}
	switch c.in[c.at] {
	case '{':
		c.object(s)
	case '[':
		for c.next(']') {
			c.value(s.items)
		}
	default:
		c.skip()
	}
}

func (c *copier) object(s *Shape) {
	open := c.at
	first := true // no member of this object remained yet
	for c.next('}') {
		comma, start := c.separator(), c.at
		c.skipString()
		m := s.members[string(c.in[start+1:max(start+1, c.at-1)])]
		c.blanks()
		c.at = min(c.at+1, len(c.in)) // the colon

		if m.since <= c.version {
			first = false
			c.member(s, m, open)
			continue
		}
		c.blanks()
		c.skip()
		if !first {
			c.replace(comma, c.at, "")
			continue
		}
		// The comma behind the member, because there is none before it.
		end := c.at
		if c.blanks(); c.at < len(c.in) && c.in[c.at] == ',' {
			end = c.at + 1
		}
		c.replace(start, end, "")
	}
}

// objectAt returns the object that starts at a position.
func (c *copier) objectAt(open int) []byte {
	inner := copier{in: c.in, at: open}
	inner.skip()
	return c.in[open:inner.at]
}

// separator returns the position of the comma or bracket before the current member.
func (c *copier) separator() int {
	i := c.at - 1
	for i > 0 && c.in[i] <= ' ' {
		i--
	}
	return max(i, c.copied)
}

// member reads the value of a member of the object that starts at open. A value of an enum
// that is too new becomes an older one.
func (c *copier) member(s *Shape, m member, open int) {
	switch {
	case m.values != nil:
		c.blanks()
		from := c.at
		c.skip()
		text := c.in[from:c.at]
		isNull := string(text) == null
		v, ok := m.values[string(bytes.Trim(text, `"`))]
		switch {
		case !ok || v.since <= c.version || v.isNull != isNull:
		case !isNull:
			c.replace(from, c.at, `"`+v.older+`"`)
		case v.older == calculated && s.older != nil:
			c.replace(from, c.at, s.older.OlderValue(m.name, c.objectAt(open)))
		default:
			c.replace(from, c.at, v.older)
		}
	case s.items != nil:
		c.value(s.items)
	default:
		c.value(m.shape)
	}
}

// next moves to the next element, behind the opening bracket or the comma. It returns
// false behind the closing bracket.
func (c *copier) next(end byte) bool {
	c.blanks()
	if c.at >= len(c.in) {
		return false
	}
	if c.in[c.at] == end {
		c.at++
		return false
	}
	c.at++
	c.blanks()
	if c.at < len(c.in) && c.in[c.at] == end { // an empty object or array
		c.at++
		return false
	}
	return c.at < len(c.in)
}

func (c *copier) blanks() {
	for c.at < len(c.in) && c.in[c.at] <= ' ' {
		c.at++
	}
}

// skip moves behind the value at the current position.
func (c *copier) skip() {
	depth := 0
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case '"':
			c.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of what contains a number
				return
			}
			if depth--; depth == 0 {
				c.at++
				return
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 { // the end of a number, or of true, false or null
				return
			}
		}
		c.at++
	}
}

// skipString moves behind a string.
func (c *copier) skipString() {
	for c.at++; c.at < len(c.in); c.at++ {
		end := bytes.IndexByte(c.in[c.at:], '"')
		if end < 0 {
			c.at = len(c.in)
			return
		}
		backslashes := 0
		for c.at += end; c.in[c.at-1-backslashes] == '\\'; {
			backslashes++
		}
		if backslashes%2 == 0 {
			c.at++
			return
		}
	}
}
