package version

import "bytes"

// Older removes from JSON what versions after this one added. The JSON must be valid.
// It is read byte by byte, because decoding and encoding it again would take longer
// than the rest of a request.
func (s *Shape) Older(version string, data []byte) []byte {
	if s == nil || version >= Latest() {
		return data
	}
	c := copier{version: version, in: data, out: make([]byte, 0, len(data))}
	c.copy(s)
	return append(c.out, c.in[c.at:]...) // a line break at the end
}

// copier copies JSON from in to out.
type copier struct {
	version string
	in, out []byte
	at      int
}

// copy copies the next value.
func (c *copier) copy(s *Shape) {
	c.blanks()
	if s == nil || c.at >= len(c.in) {
		from := c.at
		c.skip()
		c.out = append(c.out, c.in[from:c.at]...)
		return
	}
	switch c.in[c.at] {
	case '{':
		c.copyObject(s)
	case '[':
		c.copyArray(s)
	default:
		c.copy(nil)
	}
}

func (c *copier) copyObject(s *Shape) {
	c.out = append(c.out, '{')
	first := true
	for c.next('}') {
		from := c.at
		c.skip()
		name := c.in[from:c.at]
		c.blanks()
		c.at = min(c.at+1, len(c.in)) // the colon
		m := s.members[string(bytes.Trim(name, `"`))]
		if m.since > c.version {
			c.blanks()
			c.skip()
			continue
		}
		if !first {
			c.out = append(c.out, ',')
		}
		first = false
		c.out = append(append(c.out, name...), ':')
		c.copyMember(s, m)
	}
	c.out = append(c.out, '}')
}

// copyMember copies the value of a member. A value of an enum that is too new becomes
// an older one.
func (c *copier) copyMember(s *Shape, m member) {
	if m.values != nil {
		c.blanks()
		from := c.at
		c.skip()
		text := c.in[from:c.at]
		if v, ok := m.values[string(bytes.Trim(text, `"`))]; ok && v.since > c.version {
			text = []byte(`"` + v.older + `"`)
		}
		c.out = append(c.out, text...)
		return
	}
	if s.items != nil {
		c.copy(s.items)
		return
	}
	c.copy(m.shape)
}

func (c *copier) copyArray(s *Shape) {
	c.out = append(c.out, '[')
	for first := true; c.next(']'); first = false {
		if !first {
			c.out = append(c.out, ',')
		}
		c.copy(s.items)
	}
	c.out = append(c.out, ']')
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
		switch b := c.in[c.at]; b {
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
