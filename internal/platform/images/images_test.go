package images_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"slipway/internal/platform/images"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

// corners is a picture whose corners show its orientation: red, green, blue
// and white, clockwise from the top left.
func corners(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for at, c := range map[image.Rectangle]color.RGBA{
		image.Rect(0, 0, w/2, h/2): {200, 0, 0, 255}, image.Rect(w/2, 0, w, h/2): {0, 200, 0, 255},
		image.Rect(w/2, h/2, w, h): {0, 0, 200, 255}, image.Rect(0, h/2, w/2, h): {250, 250, 250, 255},
	} {
		draw.Draw(img, at, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

// flat is a gray picture as cameras save it.
func flat(w, h int) image.Image {
	return image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
}

func asJPEG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withEXIF puts a camera's data into a JPEG: how it was held, and where.
func withEXIF(file []byte, turn uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("MM\x00\x2a")
	if order.String() == "LittleEndian" {
		tiff = []byte("II\x2a\x00")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	tiff = order.AppendUint16(tiff, 0x010f) // the camera's maker
	tiff = order.AppendUint16(tiff, 2)
	tiff = order.AppendUint32(tiff, 4)
	tiff = append(tiff, "cam\x00"...)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, turn)
	tiff = append(order.AppendUint16(tiff, 0), "GPS 38.97N 76.48W"...)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	app1 := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(segment)+2))
	return append(append(append([]byte{}, file[:2]...), append(app1, segment...)...), file[2:]...)
}

// webpFile is 4 × 2 pixels in WebP, without loss; x/image has no encoder.
func webpFile(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString("UklGRh4AAABXRUJQVlA4TBEAAAAvA0AAAAfQ//73v/+BiOh/AAA=")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func code(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.KindUnprocessable || len(f.Details) != 1 || f.Details[0].Field != "file" {
		return "unexpected: " + f.Error()
	}
	return f.Details[0].Code
}

func TestRefused(t *testing.T) {
	small := corners(64, 48)
	jpg, pngFile, webp := asJPEG(t, small), asPNG(t, small), webpFile(t)
	flipped := bytes.Clone(pngFile)
	flipped[len(flipped)/2] ^= 1
	animated := append([]byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x01\x00\x00ANIM"), make([]byte, 4)...)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":               {nil, "empty"},
		"svg":                 {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "type"},
		"html":                {[]byte("<!doctype html><p>boat"), "type"},
		"gif":                 {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "type"},
		"zip":                 {[]byte("PK\x03\x04rest of a bomb"), "type"},
		"text after a JPEG":   {[]byte("\xff\xd8\xff<?php"), "damaged"},
		"half a JPEG":         {jpg[:len(jpg)/2], "damaged"},
		"JPEG without end":    {jpg[:len(jpg)-2], "damaged"},
		"half a PNG":          {pngFile[:len(pngFile)/2], "damaged"},
		"PNG without end":     {pngFile[:len(pngFile)-6], "damaged"},
		"PNG with a bit off":  {flipped, "damaged"},
		"half a WebP":         {webp[:len(webp)-6], "damaged"},
		"animated WebP":       {animated, "type"},
		"PNG of 900 MP":       {hugePNG(30_000, 30_000), "too_many_pixels"},
		"PNG of 4 Gi × 4 Gi":  {hugePNG(1<<31-1, 1<<31-1), "too_many_pixels|damaged"},
		"PNG of 0 × 5":        {hugePNG(0, 5), "damaged"},
		"just over the limit": {hugePNG(images.MaxLossless+1, 1), "too_many_pixels"},
	} {
		_, err := images.Inspect(bytes.NewReader(c.file))
		if err == nil || !strings.Contains(c.want, code(err)) {
			t.Errorf("%s: got %v; want an error, c.want to contain %q", name, err, code(err))
		}
	}
}

// hugePNG is a small file that promises many pixels.
func hugePNG(w, h uint32) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(kind), data...)
		out = append(out, body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(nil, w)
	head = append(binary.BigEndian.AppendUint32(head, h), 8, 2, 0, 0, 0)
	chunk("IHDR", head)
	chunk("IDAT", bytes.Repeat([]byte{0}, 20_000))
	chunk("IEND", nil)
	return out
}

// A decompression bomb is rejected by its header, before memory is allocated
// for what it promises.
func TestBombCostsNothing(t *testing.T) {
	bomb := hugePNG(30_000, 30_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if _, err := images.Inspect(bytes.NewReader(bomb)); err == nil {
			t.Fatal("taken")
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
		t.Errorf("got %d bytes allocated to reject %d ten times, want used <= 10<<20", used, len(bomb))
	}
}

// progressive returns a small progressive JPEG with many scans: each scan makes the
// decoder go through the whole picture.
func progressive(w, h uint16, scans int) []byte {
	file := []byte{0xff, 0xd8}
	segment := func(marker byte, data ...byte) {
		file = append(file, 0xff, marker)
		file = binary.BigEndian.AppendUint16(file, uint16(len(data)+2))
		file = append(file, data...)
	}
	quantization := append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)
	segment(0xdb, quantization...)
	frame := append(binary.BigEndian.AppendUint16([]byte{8}, h), byte(w>>8), byte(w), 1, 1, 0x11, 0)
	segment(0xc2, frame...)
	huffman := append([]byte{0x00, 1}, make([]byte, 15)...)
	segment(0xc4, append(huffman, 0)...) // one code, for the value 0
	for range scans {
		segment(0xda, 1, 1, 0x00, 0, 0, 0x00)
		file = append(file, 0x00)
	}
	return append(file, 0xff, 0xd9)
}

// withAdobeRGB marks a JPEG as red, green and blue, at the end of its header. The
// decoder converts it to pixels, which need 7 bytes each instead of 1.5.
func withAdobeRGB(file []byte) []byte {
	scan := bytes.Index(file, []byte{0xff, 0xda})
	segment := []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
	return slices.Insert(bytes.Clone(file), scan, segment...)
}

// A few hundred kilobytes must not cost minutes or a gigabyte.
func TestExpensivePictures(t *testing.T) {
	deep := image.NewNRGBA64(image.Rect(0, 0, 4400, 4400))
	for name, c := range map[string]struct {
		file []byte
		code string // "" if the picture is accepted
	}{
		"1,000 scans of 25 megapixels": {progressive(5000, 5000, 1000), "too_many_scans"},
		"11 scans of 25 megapixels":    {progressive(5000, 5000, 11), "too_many_scans"},
		"10 scans of 25 megapixels":    {progressive(5000, 5000, 10), ""},
		"50 megapixels, progressive":   {progressive(10_000, 5000, 1), "too_large"},
		"16 bits per channel":          {asPNG(t, deep), "too_large"},
		"25 megapixels":                {asJPEG(t, flat(5000, 5000)), ""},
		"25 megapixels in RGB":         {withAdobeRGB(asJPEG(t, flat(5000, 5000))), "too_large"},
	} {
		_, err := images.Inspect(bytes.NewReader(c.file))
		f, _ := errors.AsType[*fault.Error](err)
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: got %v, want it accepted", name, err)
		case c.code != "" && (f == nil || f.Details[0].Code != c.code):
			t.Errorf("%s: got %v, want an error with the code %s", name, err, c.code)
		}
	}
}

func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		file     []byte
		kind     string
		original string
		w, h     int
		want     map[string]image.Point
	}{
		"large JPEG": {asJPEG(t, corners(2100, 1400)), "image/jpeg", "image/jpeg", 2100, 1400,
			map[string]image.Point{"original": {2100, 1400}, "full": {2048, 1365}, "card": {800, 533}, "thumb": {320, 213}}},
		"turned JPEG": {withEXIF(asJPEG(t, corners(2100, 1400)), 6, binary.LittleEndian), "image/jpeg", "image/jpeg", 1400, 2100,
			map[string]image.Point{"original": {1400, 2100}, "full": {1365, 2048}, "card": {533, 800}, "thumb": {213, 320}}},
		"30 megapixels": {asJPEG(t, flat(6000, 5000)), "image/jpeg", "image/jpeg", 6000, 5000,
			map[string]image.Point{"original": {6000, 5000}, "full": {2048, 1706}, "card": {800, 666}, "thumb": {320, 266}}},
		"more than 30 megapixels, turned": {withEXIF(asJPEG(t, flat(6001, 5001)), 6, binary.BigEndian), "image/jpeg", "image/jpeg", 2501, 3001,
			map[string]image.Point{"original": {2501, 3001}, "full": {1706, 2048}, "card": {666, 800}, "thumb": {266, 320}}},
		"small PNG": {asPNG(t, corners(64, 48)), "image/png", "image/png", 64, 48,
			map[string]image.Point{"original": {64, 48}, "full": {64, 48}, "card": {64, 48}, "thumb": {64, 48}}},
		"thin PNG": {asPNG(t, corners(5000, 2)), "image/png", "image/png", 5000, 2,
			map[string]image.Point{"original": {5000, 2}, "full": {2048, 1}, "card": {800, 1}, "thumb": {320, 1}}},
		"WebP": {webpFile(t), "image/webp", "image/jpeg", 4, 2,
			map[string]image.Point{"original": {4, 2}, "full": {4, 2}, "card": {4, 2}, "thumb": {4, 2}}},
		"gray paletted": {asPNG(t, image.NewPaletted(image.Rect(0, 0, 900, 900), color.Palette{color.Black, color.Transparent})), "image/png",
			"image/png", 900, 900, map[string]image.Point{"original": {900, 900}, "full": {900, 900}, "card": {800, 800}, "thumb": {320, 320}}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := images.Inspect(bytes.NewReader(c.file))
			assert.NoError(t, err)
			assert.Equal(t, p.Type, c.kind)
			assert.Equal(t, p.Width, c.w)
			assert.Equal(t, p.Height, c.h)
			for n, v := range rendered(t, p, c.file) {
				config, _, err := image.DecodeConfig(bytes.NewReader(v.Data))
				if err != nil || (image.Point{config.Width, config.Height}) != c.want[n] {
					t.Errorf("%s is %d × %d, want %v; %v", n, config.Width, config.Height, c.want[n], err)
				}
				if kind := map[bool]string{true: c.original, false: "image/jpeg"}[n == "original"]; v.Type != kind {
					t.Errorf("%s is %s, want %s", n, v.Type, kind)
				}
				assert.Excludes(t, v.Data, "GPS", n, "photo without its location")
				assert.Excludes(t, v.Data, "Exif", n, "photo without its location")
			}
		})
	}
}

// variant is an encoded variant of a picture.
type variant struct {
	Type string
	Data []byte
}

func rendered(t testing.TB, p images.Picture, file []byte) map[string]variant {
	t.Helper()
	out := map[string]variant{}
	err := p.Render(bytes.NewReader(file), func(v images.Variant) error {
		var b bytes.Buffer
		err := v.Encode(&b)
		out[v.Name] = variant{v.Type, b.Bytes()}
		return err
	})
	assert.NoError(t, err)
	assert.Equal(t, len(out), len(images.Variants))
	return out
}

// However the camera was held, red ends up where it was in the scene.
func TestOrientation(t *testing.T) {
	// The corner at the top left of the file, for each way of holding the camera, comes to lie here.
	red := map[uint16]image.Point{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}}
	for turn, want := range red {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			file := withEXIF(asJPEG(t, corners(80, 40)), turn, order)
			p, err := images.Inspect(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			img, _, err := image.Decode(bytes.NewReader(rendered(t, p, file)["original"].Data))
			if err != nil {
				t.Fatal(err)
			}
			w, h := img.Bounds().Dx(), img.Bounds().Dy()
			if (turn >= 5) != (h > w) {
				t.Errorf("orientation %d: got %d × %d, want it upright: %t", turn, w, h, turn >= 5)
			}
			r, g, b, _ := img.At(want.X*(w-1)*9/10+w/20, want.Y*(h-1)*9/10+h/20).RGBA()
			if r>>8 < 150 || g>>8 > 60 || b>>8 > 60 {
				t.Errorf("orientation %d: no red at %v; want r>>8 >= 150, g>>8 <= 60, b>>8 <= 60", turn, want)
			}
		}
	}
	for _, odd := range [][]byte{withEXIF(asJPEG(t, corners(80, 40)), 9, binary.BigEndian),
		withEXIF(asJPEG(t, corners(80, 40)), 0, binary.BigEndian)} {
		if p, err := images.Inspect(bytes.NewReader(odd)); err != nil || p.Width != 80 {
			t.Errorf("an orientation that is none: got %+v %v; want no error, p.Width = 80", p, err)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add(asJPEG(f, corners(16, 8)))
	f.Add(asPNG(f, corners(16, 8)))
	f.Add(webpFile(f))
	f.Add(withEXIF(asJPEG(f, corners(16, 8)), 6, binary.LittleEndian))
	f.Add(hugePNG(30_000, 30_000))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := images.Inspect(bytes.NewReader(file))
		if err != nil {
			_, ok := errors.AsType[*fault.Error](err)
			assert.Equal(t, ok, true)
			return
		}
		if p.Width < 1 || p.Height < 1 || p.Width*p.Height > images.MaxPixels {
			t.Errorf("got %+v; want p.Width >= 1, p.Height >= 1, p.Width*p.Height <= images.MaxPixels", p)
		}
		if p.Width*p.Height < 1<<20 { // every input is rendered or rejected
			_ = p.Render(bytes.NewReader(file), func(v images.Variant) error {
				return v.Encode(io.Discard)
			})
		}
	})
}
