package images

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"math"
	"sync"
)

// maxProfile is the maximum size of a color profile. Those of cameras and screens
// have a few hundred bytes. Larger ones are tables for printers, which are ignored.
const maxProfile = 64 << 10

// conversion converts the colors of a picture to sRGB. Phones save pictures in
// Display P3, and cameras in Adobe RGB. Without their profile, these look pale.
type conversion struct {
	linear [3][256]int32 // light of each value of each channel, up to lightMax
	matrix [9]int32      // from the light of the channels to that of sRGB, in units of matrixOne
	gray   *[256]uint8   // for pictures without colors; the other fields are not used then
}

const (
	lightBits = 14
	lightMax  = 1<<lightBits - 1
	matrixOne = 1 << lightBits
)

// toSRGB has the sRGB value of each light.
var toSRGB = sync.OnceValue(func() *[lightMax + 1]uint8 {
	var table [lightMax + 1]uint8
	for i := range table {
		table[i] = uint8(math.Round(255 * encodeSRGB(float64(i)/lightMax)))
	}
	return &table
})

func encodeSRGB(light float64) float64 {
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return 1.055*math.Pow(light, 1/2.4) - 0.055
}

// fromD50 are the colors of sRGB in the color space that profiles refer to.
var fromD50 = [9]float64{
	3.1338561, -1.6168667, -0.4906146,
	-0.9787684, 1.9161415, 0.0334540,
	0.0719453, -0.2289914, 1.4052427,
}

// conversionFrom returns the conversion from a profile. It is nil if the profile
// is sRGB, invalid, or of a kind that is not supported. The picture then counts
// as sRGB.
func conversionFrom(profile []byte) *conversion {
	if len(profile) < 132 || len(profile) > maxProfile || string(profile[36:40]) != "acsp" || string(profile[20:24]) != "XYZ " {
		return nil
	}
	tags := tagsIn(profile)
	var c *conversion
	switch string(profile[16:20]) {
	case "RGB ":
		c = rgbConversion(tags)
	case "GRAY":
		c = grayConversion(tags)
	}
	if c == nil || c.changesNothing() {
		return nil
	}
	return c
}

// tagsIn returns the data of each tag. It skips tags outside of the profile.
func tagsIn(profile []byte) map[string][]byte {
	const most = 100
	tags := map[string][]byte{}
	entries := profile[132:]
	for range min(binary.BigEndian.Uint32(profile[128:132]), most) {
		if len(entries) < 12 {
			break
		}
		at, size := uint64(binary.BigEndian.Uint32(entries[4:])), uint64(binary.BigEndian.Uint32(entries[8:]))
		if at+size <= uint64(len(profile)) {
			tags[string(entries[:4])] = profile[at : at+size]
		}
		entries = entries[12:]
	}
	return tags
}

// rgbConversion reads the primary colors and the curves of a profile.
func rgbConversion(tags map[string][]byte) *conversion {
	var primaries [9]float64 // a column for each channel
	c := &conversion{}
	for i, name := range []string{"r", "g", "b"} {
		xyz, curve := tags[name+"XYZ"], curveIn(tags[name+"TRC"])
		if len(xyz) < 20 || string(xyz[:4]) != "XYZ " || curve == nil {
			return nil
		}
		for row := range 3 {
			primaries[3*row+i] = fixed(xyz[8+4*row:])
		}
		for v := range 256 {
			c.linear[i][v] = int32(math.Round(lightMax * curve(float64(v)/255)))
		}
	}

	for row := range 3 {
		var line [3]float64
		sum := 0.0
		for col := range 3 {
			for k := range 3 {
				line[col] += fromD50[3*row+k] * primaries[3*k+col]
			}
			sum += line[col]
		}
		if !(sum > 0.2 && sum < 5) {
			return nil
		}
		for col := range 3 { // white stays white, whatever the white of the profile is
			part := math.Round(line[col] / sum * matrixOne)
			if math.Abs(part) > 8*matrixOne {
				return nil
			}
			c.matrix[3*row+col] = int32(part)
		}
	}
	return c
}

func grayConversion(tags map[string][]byte) *conversion {
	curve := curveIn(tags["kTRC"])
	if curve == nil {
		return nil
	}
	c := &conversion{gray: &[256]uint8{}}
	for v := range 256 {
		c.gray[v] = toSRGB()[int(math.Round(lightMax*curve(float64(v)/255)))]
	}
	return c
}

// fixed reads a number with 16 bits after the point.
func fixed(b []byte) float64 {
	return float64(int32(binary.BigEndian.Uint32(b))) / 65536 // the bits of a signed number
}

// curveIn returns the function from a value to its light, both from 0 to 1, or
// nil if the curve is invalid.
func curveIn(tag []byte) func(float64) float64 {
	if len(tag) < 12 {
		return nil
	}
	var curve func(float64) float64
	switch string(tag[:4]) {
	case "curv":
		curve = tableCurve(tag)
	case "para":
		curve = formulaCurve(tag)
	}
	if curve == nil {
		return nil
	}
	return func(v float64) float64 {
		light := curve(v)
		if !(light > 0) { // also if it is not a number
			return 0
		}
		return min(light, 1)
	}
}

// tableCurve reads a curve that is a gamma or a table.
func tableCurve(tag []byte) func(float64) float64 {
	n, values := uint64(binary.BigEndian.Uint32(tag[8:])), tag[12:]
	if n > uint64(len(values)/2) {
		return nil
	}
	switch n {
	case 0:
		return func(v float64) float64 { return v }
	case 1:
		gamma := float64(binary.BigEndian.Uint16(values)) / 256
		return func(v float64) float64 { return math.Pow(v, gamma) }
	}
	at := func(i int) float64 { return float64(binary.BigEndian.Uint16(values[2*i:])) / 65535 }
	last := int(n) - 1
	return func(v float64) float64 {
		i := min(int(v*float64(last)), last-1)
		share := v*float64(last) - float64(i)
		return at(i)*(1-share) + at(i+1)*share
	}
}

// formulaCurve reads a curve that is one of five formulas.
func formulaCurve(tag []byte) func(float64) float64 {
	counts := []int{1, 3, 4, 5, 7}
	kind := int(binary.BigEndian.Uint16(tag[8:]))
	if kind >= len(counts) || len(tag) < 12+4*counts[kind] {
		return nil
	}
	var p [7]float64
	for i := range counts[kind] {
		p[i] = fixed(tag[12+4*i:])
	}
	g, a, b, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	switch kind {
	case 0:
		return func(v float64) float64 { return math.Pow(v, g) }
	case 1, 2: // c is 0 for kind 1
		return func(v float64) float64 {
			if a*v+b < 0 {
				return c
			}
			return math.Pow(a*v+b, g) + c
		}
	}
	return func(v float64) float64 { // e and f are 0 for kind 3
		if v < d {
			return c*v + f
		}
		return math.Pow(a*v+b, g) + e
	}
}

// convert converts one pixel.
func (c *conversion) convert(r, g, b uint8, table *[lightMax + 1]uint8) (uint8, uint8, uint8) {
	lr, lg, lb := c.linear[0][r], c.linear[1][g], c.linear[2][b]
	m := &c.matrix
	return table[level(int64(m[0])*int64(lr)+int64(m[1])*int64(lg)+int64(m[2])*int64(lb))],
		table[level(int64(m[3])*int64(lr)+int64(m[4])*int64(lg)+int64(m[5])*int64(lb))],
		table[level(int64(m[6])*int64(lr)+int64(m[7])*int64(lg)+int64(m[8])*int64(lb))]
}

// level returns a light as an index of toSRGB. Colors outside of sRGB get the
// nearest value.
func level(light int64) int64 {
	return max(0, min((light+matrixOne/2)>>lightBits, lightMax))
}

// changesNothing reports whether the profile is sRGB, or so close that the
// difference is not visible.
func (c *conversion) changesNothing() bool {
	const near = 2
	off := func(a, b uint8) bool { return int(max(a, b))-int(min(a, b)) > near }
	if c.gray != nil {
		for v := range 256 {
			if off(c.gray[v], uint8(v)) {
				return false
			}
		}
		return true
	}
	table := toSRGB()
	for i := range 17 * 17 * 17 {
		r, g, b := uint8(i%17*255/16), uint8(i/17%17*255/16), uint8(i/289*255/16)
		if nr, ng, nb := c.convert(r, g, b, table); off(r, nr) || off(g, ng) || off(b, nb) {
			return false
		}
	}
	return true
}

// apply converts a decoded picture in place, which needs no memory. A picture
// that the profile doesn't fit stays as it is.
func (c *conversion) apply(img image.Image) image.Image {
	if c == nil {
		return img
	}
	if c.gray != nil {
		if g, ok := img.(*image.Gray); ok {
			for i, v := range g.Pix {
				g.Pix[i] = c.gray[v]
			}
		}
		return img
	}
	switch img := img.(type) {
	case *image.YCbCr:
		c.applyYCbCr(img)
	case *image.NYCbCrA:
		c.applyYCbCr(&img.YCbCr)
	case *image.NRGBA:
		c.applyPixels(img.Pix)
	case *image.RGBA:
		c.applyPremultiplied(img.Pix)
	case *image.Paletted:
		for i, entry := range img.Palette {
			p := color.NRGBAModel.Convert(entry).(color.NRGBA)
			p.R, p.G, p.B = c.convert(p.R, p.G, p.B, toSRGB())
			img.Palette[i] = p
		}
	}
	return img
}

func (c *conversion) applyPixels(pix []byte) {
	table := toSRGB()
	for ; len(pix) >= 4; pix = pix[4:] {
		pix[0], pix[1], pix[2] = c.convert(pix[0], pix[1], pix[2], table)
	}
}

// applyPremultiplied converts pixels whose colors are multiplied by their opacity.
func (c *conversion) applyPremultiplied(pix []byte) {
	table := toSRGB()
	for ; len(pix) >= 4; pix = pix[4:] {
		switch a := uint32(pix[3]); a {
		case 0:
		case 255:
			pix[0], pix[1], pix[2] = c.convert(pix[0], pix[1], pix[2], table)
		default:
			plain := func(v byte) uint8 { return uint8(min((uint32(v)*255+a/2)/a, 255)) }
			r, g, b := c.convert(plain(pix[0]), plain(pix[1]), plain(pix[2]), table)
			pix[0], pix[1], pix[2] = byte(uint32(r)*a/255), byte(uint32(g)*a/255), byte(uint32(b)*a/255)
		}
	}
}

// blocks has the pixels that share a color sample, by their ratio.
var blocks = map[image.YCbCrSubsampleRatio][2]int{
	image.YCbCrSubsampleRatio444: {1, 1}, image.YCbCrSubsampleRatio422: {2, 1}, image.YCbCrSubsampleRatio420: {2, 2},
	image.YCbCrSubsampleRatio440: {1, 2}, image.YCbCrSubsampleRatio411: {4, 1}, image.YCbCrSubsampleRatio410: {4, 2},
}

// applyYCbCr converts a decoded JPEG. Pixels that share a color sample get the
// average of their new colors.
func (c *conversion) applyYCbCr(img *image.YCbCr) {
	table, b, block := toSRGB(), img.Rect, blocks[img.SubsampleRatio]
	for top := b.Min.Y; top < b.Max.Y; top += block[1] {
		for left := b.Min.X; left < b.Max.X; left += block[0] {
			at := img.COffset(left, top)
			cb, cr := img.Cb[at], img.Cr[at]
			var sumCb, sumCr, n int
			for y := top; y < min(top+block[1], b.Max.Y); y++ {
				line := img.Y[img.YOffset(left, y):][:min(block[0], b.Max.X-left)]
				for x, v := range line {
					red, green, blue := color.YCbCrToRGB(v, cb, cr)
					red, green, blue = c.convert(red, green, blue, table)
					newY, newCb, newCr := color.RGBToYCbCr(red, green, blue)
					line[x] = newY
					sumCb, sumCr, n = sumCb+int(newCb), sumCr+int(newCr), n+1
				}
			}
			img.Cb[at], img.Cr[at] = uint8((sumCb+n/2)/n), uint8((sumCr+n/2)/n)
		}
	}
}

// profileParts collects the profile of a JPEG, which can be in several segments.
type profileParts struct {
	data   []byte
	parts  int
	broken bool
}

const profileHead = "ICC_PROFILE\x00"

// add adds a segment. Segments that are missing or too large void the profile.
func (p *profileParts) add(segment []byte) {
	if !bytes.HasPrefix(segment, []byte(profileHead)) || len(segment) < len(profileHead)+2 {
		return
	}
	part := segment[len(profileHead)+2:]
	p.parts++
	if int(segment[len(profileHead)]) != p.parts || len(p.data)+len(part) > maxProfile {
		p.broken = true
		return
	}
	p.data = append(p.data, part...)
}

func (p *profileParts) profile() []byte {
	if p.broken {
		return nil
	}
	return p.data
}

// unpackProfile returns the profile in a chunk of a PNG: its name, the method and
// compressed data. It returns nil if it is invalid or too large.
func unpackProfile(chunk []byte) []byte {
	at := bytes.IndexByte(chunk, 0)
	if at < 0 || at+2 > len(chunk) || chunk[at+1] != 0 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(chunk[at+2:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil || len(profile) > maxProfile {
		return nil
	}
	return profile
}
