package hulls

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// A block is a group of older hulls in the order of their IDs. For each search
// term, location and make that several of its hulls have, it has the positions of
// these hulls. The hulls that have two common terms are found by comparing
// positions, without reading the hulls or their terms.

// maxBlock is the maximum number of hulls in a block.
const maxBlock = 4096

// positions are hulls of a block.
type positions [maxBlock / 64]uint64

func (p *positions) add(i int) { p[i/64] |= 1 << (i % 64) }

func (p *positions) count() (n int) {
	for _, word := range p {
		n += bits.OnesCount64(word)
	}
	return n
}

// or adds the positions of another set.
func (p *positions) or(o *positions) {
	for i := range p {
		p[i] |= o[i]
	}
}

// and keeps the positions that another set also has.
func (p *positions) and(o *positions) {
	for i := range p {
		p[i] &= o[i]
	}
}

func (p *positions) all() (list []int) {
	for i, word := range p {
		for ; word != 0; word &= word - 1 {
			list = append(list, i*64+bits.TrailingZeros64(word))
		}
	}
	return list
}

// encode returns a list of numbers, or one bit for each hull if that is shorter.
func (p *positions) encode() []byte {
	out := make([]byte, 0, maxBlock/8)
	if p.count() >= maxBlock/16 {
		for _, word := range p {
			out = binary.LittleEndian.AppendUint64(out, word)
		}
		return out
	}
	for _, i := range p.all() {
		out = binary.LittleEndian.AppendUint16(out, uint16(i))
	}
	return out
}

func decodePositions(data []byte) *positions {
	p := &positions{}
	if len(data) == maxBlock/8 {
		for i := range p {
			p[i] = binary.LittleEndian.Uint64(data[i*8:])
		}
		return p
	}
	for ; len(data) >= 2; data = data[2:] {
		p.add(int(binary.LittleEndian.Uint16(data)) % maxBlock)
	}
	return p
}

// Terms contain only letters and digits, so these keys differ from all terms.
const (
	locationKey = "@"
	makeKey     = "="
)

// keys returns the keys of a hull in its block.
func (h Hull) keys() []string {
	return append(h.terms(), locationKey+h.LocationID, makeKey+h.MakeKey)
}

// idPrefix is the start of the IDs of hulls. Blocks store the rest.
const (
	idPrefix = "hull_"
	idLength = 26
)

func joinMembers(ids []string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(strings.TrimPrefix(id, idPrefix))
	}
	return b.String()
}

// members returns the IDs at positions of a block.
func (p *positions) members(joined string) (ids []string) {
	for _, i := range p.all() {
		if end := (i + 1) * idLength; end <= len(joined) {
			ids = append(ids, idPrefix+joined[end-idLength:end])
		}
	}
	return ids
}

// gained reports whether a change gives a hull a key that it didn't have.
func gained(before, after Hull) bool {
	had := before.keys()
	return slices.ContainsFunc(after.keys(), func(key string) bool { return !slices.Contains(had, key) })
}
