package images_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"runtime"
	"testing"

	"slipway/internal/platform/images"
	"slipway/internal/testkit/assert"
)

// primaries are the red, green and blue of a color space as CIE xy coordinates.
type primaries [3][2]float64

var (
	srgb      = primaries{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}}
	displayP3 = primaries{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}
	adobeRGB  = primaries{{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}}
)

// matrix is three rows.
type matrix [3][3]float64

func (m matrix) times(v [3]float64) (out [3]float64) {
	for r := range 3 {
		for c := range 3 {
			out[r] += m[r][c] * v[c]
		}
	}
	return out
}

func (m matrix) mul(o matrix) (out matrix) {
	for r := range 3 {
		for c := range 3 {
			for k := range 3 {
				out[r][c] += m[r][k] * o[k][c]
			}
		}
	}
	return out
}

func (m matrix) inverse() (out matrix) {
	det := 0.0
	cofactor := func(r, c int) float64 {
		a, b, d, e := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return m[a][d]*m[b][e] - m[a][e]*m[b][d]
	}
	for c := range 3 {
		det += m[0][c] * cofactor(0, c)
	}
	for r := range 3 {
		for c := range 3 {
			out[c][r] = cofactor(r, c) / det
		}
	}
	return out
}

// toXYZ returns the matrix from light to XYZ for a white point of D65.
func (p primaries) toXYZ() (m matrix) {
	for i, xy := range p {
		m[0][i], m[1][i], m[2][i] = xy[0]/xy[1], 1, (1-xy[0]-xy[1])/xy[1]
	}
	scale := m.inverse().times([3]float64{0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290})
	for r := range 3 {
		for c := range 3 {
			m[r][c] *= scale[c]
		}
	}
	return m
}

// adapted is the matrix of profiles, which use D50 (Bradford).
func (p primaries) adapted() matrix {
	cone := matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	from := cone.times([3]float64{0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290})
	to := cone.times([3]float64{0.9642, 1, 0.8249})
	var scale matrix
	for i := range 3 {
		scale[i][i] = to[i] / from[i]
	}
	return cone.inverse().mul(scale).mul(cone).mul(p.toXYZ())
}

// curve is a curve as a profile stores it, and as a function.
type curve struct {
	tag   []byte
	light func(v float64) float64
}

func s15(v float64) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(int32(math.Round(v*65536)))) // the bits of a signed number
}

// formula is the sRGB curve as a formula, as Apple writes it.
func formula() curve {
	tag := []byte("para\x00\x00\x00\x00\x00\x03\x00\x00")
	for _, v := range []float64{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045} {
		tag = append(tag, s15(v)...)
	}
	return curve{tag, decodeSRGB}
}

func decodeSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// gamma is a curve as Adobe writes it.
func gamma(g float64) curve {
	return curve{binary.BigEndian.AppendUint16([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), uint16(math.Round(g*256))),
		func(v float64) float64 { return math.Pow(v, math.Round(g*256)/256) }}
}

// table is a curve with 1024 points.
func table(g float64) curve {
	tag := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), 1024)
	for i := range 1024 {
		tag = binary.BigEndian.AppendUint16(tag, uint16(math.Round(65535*math.Pow(float64(i)/1023, g))))
	}
	return curve{tag, func(v float64) float64 { return math.Pow(v, g) }}
}

// profile returns an ICC profile with these tags.
func profile(space string, tags map[string][]byte) []byte {
	head := make([]byte, 128)
	copy(head[8:], "\x04\x30\x00\x00mntr"+space+"XYZ ")
	copy(head[36:], "acsp")
	entries := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var data []byte
	for _, name := range []string{"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "A2B0"} {
		tag, ok := tags[name]
		if !ok {
			continue
		}
		entries = append(entries, name...)
		entries = binary.BigEndian.AppendUint32(entries, uint32(132+12*len(tags)+len(data)))
		entries = binary.BigEndian.AppendUint32(entries, uint32(len(tag)))
		data = append(data, tag...)
		for len(data)%4 != 0 {
			data = append(data, 0)
		}
	}
	all := append(append(head, entries...), data...)
	binary.BigEndian.PutUint32(all, uint32(len(all)))
	return all
}

func rgbProfile(p primaries, c curve) []byte {
	tags := map[string][]byte{}
	m := p.adapted()
	for i, name := range []string{"r", "g", "b"} {
		tags[name+"XYZ"] = append([]byte("XYZ \x00\x00\x00\x00"), append(append(s15(m[0][i]), s15(m[1][i])...), s15(m[2][i])...)...)
		tags[name+"TRC"] = c.tag
	}
	return profile("RGB ", tags)
}

func grayProfile(c curve) []byte { return profile("GRAY", map[string][]byte{"kTRC": c.tag}) }

// want converts a color by the definition of the color spaces.
func want(p primaries, c curve, v color.RGBA) [3]float64 {
	light := [3]float64{c.light(float64(v.R) / 255), c.light(float64(v.G) / 255), c.light(float64(v.B) / 255)}
	out := srgb.toXYZ().inverse().mul(p.toXYZ()).times(light)
	for i := range out {
		out[i] = 255 * encode(out[i])
	}
	return out
}

func encode(light float64) float64 {
	light = min(max(light, 0), 1)
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return 1.055*math.Pow(light, 1/2.4) - 0.055
}

// inJPEG puts a profile into a JPEG, in several parts.
func inJPEG(file, profile []byte, parts int) []byte {
	out := bytes.Clone(file[:2])
	for i := range parts {
		part := profile[i*len(profile)/parts : (i+1)*len(profile)/parts]
		out = append(out, 0xff, 0xe2)
		out = binary.BigEndian.AppendUint16(out, uint16(2+14+len(part)))
		out = append(out, "ICC_PROFILE\x00"...)
		out = append(append(out, byte(i+1), byte(parts)), part...)
	}
	return append(out, file[2:]...)
}

// inPNG puts a profile into a PNG, after its header.
func inPNG(t *testing.T, file, profile []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write(profile); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	body := append([]byte("iCCPa profile\x00\x00"), packed.Bytes()...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, body...), crc32.ChecksumIEEE(body))
	const header = 8 + 25
	return append(append(bytes.Clone(file[:header]), chunk...), file[header:]...)
}

// plain is a picture of one color.
func plain(c color.Color, size int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.Set(x, y, c)
		}
	}
	return img
}

// middles returns the pixel in the middle of each variant.
func middles(t *testing.T, file []byte) map[string]color.NRGBA {
	t.Helper()
	p, err := images.Inspect(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]color.NRGBA{}
	err = p.Render(bytes.NewReader(file), func(v images.Variant) error {
		var out bytes.Buffer
		if err := v.Encode(&out); err != nil {
			return err
		}
		assert.Excludes(t, out.Bytes(), "ICC_PROFILE", v.Name)
		assert.Excludes(t, out.Bytes(), "iCCP", v.Name)
		img, _, err := image.Decode(bytes.NewReader(out.Bytes()))
		if err == nil {
			b := img.Bounds()
			got[v.Name] = color.NRGBAModel.Convert(img.At(b.Dx()/2, b.Dy()/2)).(color.NRGBA)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func near(got color.NRGBA, want [3]float64, by float64) bool {
	return math.Abs(float64(got.R)-want[0]) <= by && math.Abs(float64(got.G)-want[1]) <= by && math.Abs(float64(got.B)-want[2]) <= by
}

// A picture of an iPhone or a camera must not look pale without its profile.
func TestProfileIsAppliedBeforeItIsDropped(t *testing.T) {
	colors := []color.RGBA{
		{200, 60, 40, 255}, {40, 160, 90, 255}, {30, 70, 180, 255}, {128, 128, 128, 255}, {255, 255, 255, 255}, {0, 0, 0, 255},
		{230, 190, 160, 255}, {12, 20, 9, 255}, {255, 0, 0, 255},
	}
	for name, space := range map[string]struct {
		primaries
		curve
	}{
		"Display P3":             {displayP3, formula()},
		"Adobe RGB":              {adobeRGB, gamma(2.19921875)},
		"Adobe RGB with a table": {adobeRGB, table(2.19921875)},
		"sRGB with gamma 1.8":    {srgb, gamma(1.8)},
		"linear":                 {srgb, curve{[]byte("curv\x00\x00\x00\x00\x00\x00\x00\x00"), func(v float64) float64 { return v }}},
	} {
		icc := rgbProfile(space.primaries, space.curve)
		for _, c := range colors {
			want := want(space.primaries, space.curve, c)
			for format, file := range map[string][]byte{
				"png": inPNG(t, asPNG(t, plain(c, 20)), icc), "jpeg": inJPEG(asBestJPEG(t, plain(c, 20)), icc, 1),
				"jpeg in parts": inJPEG(asBestJPEG(t, plain(c, 20)), icc, 3),
			} {
				by := 1.1
				if format != "png" {
					by = 5 // JPEG itself is not exact, and linear light makes it worse
				}
				for variant, got := range middles(t, file) {
					if variant != "original" && format == "png" {
						by = 3 // a JPEG, too
					}
					if !near(got, want, by) && !(name == "linear" && format != "png") {
						t.Errorf("%s, %s, %s: %v became %v, want %.1f", name, format, variant, c, got, want)
					}
				}
			}
		}
	}
}

// The definitions that the other tests use give the published matrices to sRGB.
func TestColorSpacesAsPublished(t *testing.T) {
	for name, tt := range map[string]struct {
		primaries
		want matrix
	}{
		"Display P3": {displayP3, matrix{{1.2249, -0.2249, 0}, {-0.0421, 1.0421, 0}, {-0.0196, -0.0786, 1.0983}}},
		"Adobe RGB":  {adobeRGB, matrix{{1.3984, -0.3984, 0}, {0, 1, 0}, {0, -0.0429, 1.0429}}},
	} {
		got := srgb.toXYZ().inverse().mul(tt.primaries.toXYZ())
		for r := range 3 {
			for c := range 3 {
				if math.Abs(got[r][c]-tt.want[r][c]) > 0.001 {
					t.Errorf("%s: got %.4f, want %.4f", name, got, tt.want)
				}
			}
		}
	}
}

func TestProfileOfGrayPicture(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 20, 20))
	for i := range img.Pix {
		img.Pix[i] = 100
	}
	light := math.Pow(100.0/255, 1.8)
	want := 255 * encode(light)
	for format, file := range map[string][]byte{
		"png": inPNG(t, asPNG(t, img), grayProfile(gamma(1.8))), "jpeg": inJPEG(asBestJPEG(t, img), grayProfile(gamma(1.8)), 1),
	} {
		for variant, got := range middles(t, file) {
			if !near(got, [3]float64{want, want, want}, 3) {
				t.Errorf("%s, %s: 100 became %v, want %.0f", format, variant, got, want)
			}
		}
	}
	// A profile for other pictures is ignored.
	for variant, got := range middles(t, inPNG(t, asPNG(t, img), rgbProfile(adobeRGB, gamma(1.8)))) {
		if !near(got, [3]float64{100, 100, 100}, 2) {
			t.Errorf("%s: 100 became %v with the profile of a color picture", variant, got)
		}
	}
}

// Transparent pixels, palettes, 16 bits per channel and odd sizes are converted, too.
func TestProfileWithEachKindOfPixels(t *testing.T) {
	icc := rgbProfile(displayP3, formula())
	c := color.RGBA{200, 60, 40, 255}
	want := want(displayP3, formula(), c)
	palette := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{c, color.White})
	deep := image.NewNRGBA64(image.Rect(0, 0, 9, 9))
	clear := plain(color.NRGBA{c.R, c.G, c.B, 128}, 9)
	for y := range 9 {
		for x := range 9 {
			deep.Set(x, y, c)
		}
	}
	for name, img := range map[string]image.Image{"palette": palette, "16 bits": deep, "transparent": clear} {
		if got := middles(t, inPNG(t, asPNG(t, img), icc))["original"]; !near(got, want, 2.1) {
			t.Errorf("%s: %v became %v, want %.1f", name, c, got, want)
		}
	}
	for _, size := range []int{1, 2, 17, 33} {
		for variant, got := range middles(t, inJPEG(asBestJPEG(t, plain(c, size)), icc, 1)) {
			if !near(got, want, 6) {
				t.Errorf("%d pixels, %s: %v became %v, want %.1f", size, variant, c, got, want)
			}
		}
	}
}

// A profile that is damaged, malicious or of another kind must not fail or change
// the picture.
func TestUselessProfilesAreIgnored(t *testing.T) {
	c := color.RGBA{200, 60, 40, 255}
	good := rgbProfile(displayP3, formula())
	patched := func(at int, with string) []byte {
		p := bytes.Clone(good)
		copy(p[at:], with)
		return p
	}
	huge := make([]byte, 10<<20)
	copy(huge, good)
	noCurve := rgbProfile(displayP3, curve{tag: []byte("curv\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00")})
	for name, icc := range map[string][]byte{
		"empty": {}, "cut": good[:140], "no tags": profile("RGB ", nil), "CMYK": patched(16, "CMYK"), "Lab": patched(20, "Lab "),
		"other file": patched(36, "abcd"), "a table for printers": profile("RGB ", map[string][]byte{"A2B0": make([]byte, 400)}),
		"many tags": patched(128, "\xff\xff\xff\xff"), "tags outside": patched(136, "\xff\xff\xff\xff\xff\xff\xff\xff"),
		"a curve without end": noCurve, "10 MB of zeros": huge, "sRGB": rgbProfile(srgb, formula()),
		"unknown formula": rgbProfile(displayP3, curve{tag: []byte("para\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00")}),
	} {
		if name == "many tags" || name == "tags outside" {
			middles(t, inPNG(t, asPNG(t, plain(c, 8)), icc)) // the other tags are used
			continue
		}
		if got := middles(t, inPNG(t, asPNG(t, plain(c, 8)), icc))["original"]; !near(got, [3]float64{200, 60, 40}, 0) {
			t.Errorf("%s: %v became %v", name, c, got)
		}
	}

	file := inJPEG(asBestJPEG(t, plain(c, 8)), good, 2)
	second := bytes.LastIndex(file, []byte("ICC_PROFILE\x00"))
	file[second+12] = 5 // the second part is missing
	if got := middles(t, file)["original"]; !near(got, [3]float64{200, 60, 40}, 4) {
		t.Errorf("a profile without its second part: %v became %v", c, got)
	}
}

// The memory of a picture is limited before it is decoded, so the conversion must
// not need more.
func TestProfileOfALargePictureNeedsNoMemory(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 3000, 2000), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = uint8(i)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	allocated := func(file []byte) uint64 {
		p, err := images.Inspect(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := p.Render(bytes.NewReader(file), func(images.Variant) error { return nil }); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	plain, converted := allocated(out.Bytes()), allocated(inJPEG(out.Bytes(), rgbProfile(displayP3, formula()), 1))
	if converted > plain+1<<20 {
		t.Errorf("got %d bytes with a profile and %d without one, want at most 1 MiB more", converted, plain)
	}
}

// Each file with a profile must be accepted or rejected without a crash.
func FuzzProfile(f *testing.F) {
	f.Add(rgbProfile(displayP3, formula()))
	f.Add(rgbProfile(adobeRGB, table(2.2)))
	f.Add(grayProfile(gamma(1.8)))
	var out bytes.Buffer
	if err := jpeg.Encode(&out, plain(color.RGBA{200, 60, 40, 255}, 3), nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, icc []byte) {
		if len(icc) > 60000 {
			return
		}
		middles(t, inJPEG(out.Bytes(), icc, 1))
	})
}

// A HEIC picture is rejected with what to do about it.
func TestHEICSaysWhatToDo(t *testing.T) {
	for _, brand := range []string{"heic", "heix", "mif1"} {
		file := append([]byte("\x00\x00\x00\x18ftyp"+brand+"\x00\x00\x00\x00mif1heic"), make([]byte, 100)...)
		_, err := images.Inspect(bytes.NewReader(file))
		assert.Contains(t, fmt.Sprint(err), "Most Compatible", brand)
		assert.Contains(t, fmt.Sprint(err), "JPEG", brand)
	}
}

func asBestJPEG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
