// Package images validates uploaded photos before it decodes them, and creates
// copies without metadata in the sizes for listings.
package images

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"slipway/internal/vocab/fault"
)

// Picture describes a file without decoding it.
type Picture struct {
	Type          string // detected from the content, not from the name or Content-Type
	Width, Height int    // of the original variant
	Memory        int64  // bytes to decode it, for a limit over several pictures
	turn          orientation
	halved        bool // the original variant has half the width and height
	colors        *conversion
}

// format is a supported file format.
type format struct {
	kind      string
	maxPixels int
	is        func(head []byte) bool
	config    func(io.Reader) (image.Config, error)
	decode    func(io.Reader) (image.Image, error)
	// walk reads the structure of the file. It checks that the file is complete.
	walk func(*bufio.Reader) (structure, error)
}

var formats = []format{
	{"image/jpeg", MaxPixels, isJPEG, jpeg.DecodeConfig, jpeg.Decode, walkJPEG},
	{"image/png", MaxLossless, isPNG, png.DecodeConfig, png.Decode, walkPNG},
	{"image/webp", MaxLossless, isWebP, webp.DecodeConfig, webp.Decode, walkWebP},
}

func isJPEG(head []byte) bool { return bytes.HasPrefix(head, []byte("\xff\xd8\xff")) }
func isPNG(head []byte) bool  { return bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) }
func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// Types returns the supported media types.
func Types() (types []string) {
	for _, f := range formats {
		types = append(types, f.kind)
	}
	return types
}

// Inspect validates a file from its headers and structure, without decoding it.
// The file must have a supported type, at most the pixels of its type, and be complete.
func Inspect(file io.ReadSeeker) (Picture, error) {
	f, err := formatOf(file)
	if err != nil {
		return Picture{}, err
	}
	config, err := f.config(bufio.NewReader(file))
	if err != nil {
		return Picture{}, reject("damaged", "is damaged: the header can't be read").WithCause(err)
	}
	if config.Width < 1 || config.Height < 1 {
		return Picture{}, reject("damaged", "has no pixels")
	}
	if limit := f.maxPixels; config.Width > limit/config.Height {
		return Picture{}, reject("too_many_pixels", "has %d × %d pixels; the limit is %d million pixels", config.Width, config.Height,
			limit/1_000_000)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Picture{}, err
	}
	found, err := f.walk(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		if _, ok := errors.AsType[*fault.Error](err); ok {
			return Picture{}, err
		}
		return Picture{}, reject("damaged", "is damaged or incomplete").WithCause(err)
	}

	p := Picture{Type: f.kind, Width: config.Width, Height: config.Height, turn: found.turn, colors: conversionFrom(found.profile)}
	pixels := p.Width * p.Height
	p.halved = f.kind == "image/jpeg" && found.samples*float64(pixels) > maxSamples
	p.Memory = bytesOf(f.kind, config.ColorModel, found, pixels, p.halved)
	if p.Memory > maxBytes {
		return Picture{}, reject("too_large", "needs %d MB to decode; the limit is %d MB. Save it with fewer pixels, "+
			"or with 8 bits per channel and without progressive or interlaced encoding", p.Memory>>20, maxBytes>>20)
	}
	if found.progressive && pixels*found.scans > maxScanned {
		return Picture{}, reject("too_many_scans", "has %d progressive scans of %d × %d pixels. Save it without progressive encoding",
			found.scans, p.Width, p.Height)
	}

	if p.halved {
		p.Width, p.Height = half(p.Width), half(p.Height)
	}
	if p.turn.swaps() {
		p.Width, p.Height = p.Height, p.Width
	}
	return p, nil
}

func formatOf(file io.ReadSeeker) (format, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return format{}, err
	}
	if n == 0 {
		return format{}, reject("empty", "is empty")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return format{}, err
	}
	for _, f := range formats {
		if f.is(head[:n]) {
			return f, nil
		}
	}
	if isHEIC(head[:n]) {
		return format{}, reject("type", "must be a JPEG, PNG or WebP picture. "+HEIC)
	}
	return format{}, reject("type", "must be a JPEG, PNG or WebP picture")
}

func reject(code, message string, args ...any) *fault.Error {
	f := fault.New(fault.KindUnprocessable, "").Detail("file", code, message, args...)
	f.Message = fault.Sentence(f.Details)
	return f
}

// Variant is a copy of a picture in one size. Encode writes the file, so that it
// never is in memory as a whole.
type Variant struct {
	Name   string
	Type   string
	Encode func(io.Writer) error
}

// sizes are the lengths of the longer side. Each size is created from the
// previous one, so the largest is first.
var sizes = []struct {
	name    string
	longest int
}{{"full", 2048}, {"card", 800}, {"thumb", 320}}

// Variants lists the names of the variants.
var Variants = []string{"thumb", "card", "full", "original"}

const (
	quality         = 85
	originalQuality = 92
)

// Render decodes a picture that passed Inspect and calls keep for each variant.
// Variants are upright, in sRGB colors and contain no metadata. Small pictures are
// not enlarged.
func (p Picture) Render(file io.Reader, keep func(Variant) error) error {
	img, err := p.decode(file)
	if err != nil {
		return err
	}
	if err := keep(original(img, p.Type)); err != nil {
		return err
	}
	for _, s := range sizes {
		img = shrink(img, s.longest)
		if err := keep(asJPEG(s.name, img, quality)); err != nil {
			return err
		}
	}
	return nil
}

// decode returns the upright picture in sRGB colors.
func (p Picture) decode(file io.Reader) (image.Image, error) {
	var decode func(io.Reader) (image.Image, error)
	for _, f := range formats {
		if f.kind == p.Type {
			decode = f.decode
		}
	}
	img, err := decode(bufio.NewReader(file))
	if err != nil {
		return nil, reject("damaged", "is damaged: it can't be decoded").WithCause(err)
	}
	if p.halved {
		img = halve(img)
	}
	return p.turn.apply(p.colors.apply(eightBits(img))), nil
}

// eightBits reduces 16 bits per channel to 8. Screens show no more, and encoding
// 16 bits allocates memory for each pixel.
func eightBits(img image.Image) image.Image {
	if !isDeep(img.ColorModel()) {
		return img
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, out.Rect.Min, draw.Src)
	return out
}

// original returns the copy in full size. A lossless picture stays lossless,
// except for 16 bits per channel.
func original(img image.Image, kind string) Variant {
	if kind != "image/png" {
		return asJPEG("original", img, originalQuality)
	}
	return Variant{"original", kind, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
	}}
}

func asJPEG(name string, img image.Image, quality int) Variant {
	return Variant{name, "image/jpeg", func(w io.Writer) error {
		return jpeg.Encode(w, onWhite(img), &jpeg.Options{Quality: quality})
	}}
}

// onWhite replaces transparency by white, because JPEG would show it as black.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	if _, ok := img.(*image.YCbCr); ok {
		return img
	}
	flat := image.NewRGBA(img.Bounds())
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Over)
	return flat
}

// shrink reduces the longer side to a length. It first averages whole blocks of
// pixels, then interpolates. Both need little memory: the better kernels of the
// draw package need 32 bytes per pixel.
func shrink(img image.Image, longest int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if max(w, h) <= longest {
		return img
	}
	to := fit(w, h, longest)
	if block := max(w, h) / longest; block > 1 {
		img = average(img, block)
	}
	out := image.NewRGBA(to)
	draw.ApproxBiLinear.Scale(out, to, img, img.Bounds(), draw.Src, nil)
	return out
}

// average replaces each block of n × n pixels by one pixel. Blocks at the right
// and the bottom can be smaller.
func average(img image.Image, n int) *image.RGBA {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	out := image.NewRGBA(image.Rect(0, 0, (w+n-1)/n, (h+n-1)/n))
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	sums := make([]uint32, 4*out.Rect.Dx())
	for top := 0; top < h; top += n {
		rows := min(n, h-top)
		clear(sums)
		for y := range rows {
			draw.Draw(row, row.Rect, img, image.Pt(b.Min.X, b.Min.Y+top+y), draw.Src)
			addBlocks(sums, row.Pix, n)
		}

		line := out.Pix[top/n*out.Stride:]
		for x := range out.Rect.Dx() {
			count := uint32(rows * min(n, w-x*n))
			for c := range 4 {
				line[4*x+c] = uint8(sums[4*x+c] / count)
			}
		}
	}
	return out
}

// addBlocks adds the channels of each n pixels of a row to the sum of their block.
func addBlocks(sums []uint32, pix []byte, n int) {
	for x, at := 0, 0; at < len(pix); x++ {
		sum := sums[4*x:][:4]
		for end := min(at+4*n, len(pix)); at < end; at += 4 {
			sum[0] += uint32(pix[at])
			sum[1] += uint32(pix[at+1])
			sum[2] += uint32(pix[at+2])
			sum[3] += uint32(pix[at+3])
		}
	}
}

func fit(w, h, longest int) image.Rectangle {
	if w >= h {
		return image.Rect(0, 0, longest, max(1, h*longest/w))
	}
	return image.Rect(0, 0, max(1, w*longest/h), longest)
}
