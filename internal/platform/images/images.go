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

// MaxPixels limits the memory to decode a picture. A file of 20 KB can contain
// 900 million pixels.
const MaxPixels = 50_000_000

// Picture describes a file without decoding it.
type Picture struct {
	Type          string // detected from the content, not from the name or Content-Type
	Width, Height int    // after applying the orientation
	turn          orientation
}

// format is a supported file format.
type format struct {
	kind   string
	is     func(head []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// walk reads the structure of the file. It checks that the file is complete and
	// returns its orientation.
	walk func(*bufio.Reader) (orientation, error)
}

var formats = []format{
	{"image/jpeg", func(h []byte) bool { return bytes.HasPrefix(h, []byte("\xff\xd8\xff")) }, jpeg.DecodeConfig, jpeg.Decode, walkJPEG},
	{"image/png", func(h []byte) bool { return bytes.HasPrefix(h, []byte("\x89PNG\r\n\x1a\n")) }, png.DecodeConfig, png.Decode, walkPNG},
	{"image/webp", func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	}, webp.DecodeConfig, webp.Decode, walkWebP},
}

// Types returns the supported media types.
func Types() (types []string) {
	for _, f := range formats {
		types = append(types, f.kind)
	}
	return types
}

// Inspect validates a file from its headers and structure, without decoding it.
// The file must have a supported type, at most MaxPixels, and be complete.
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
	if config.Width > MaxPixels/config.Height {
		return Picture{}, reject("too_many_pixels", "has %d × %d pixels; the limit is %d million pixels", config.Width, config.Height,
			MaxPixels/1_000_000)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Picture{}, err
	}
	turn, err := f.walk(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		if _, ok := errors.AsType[*fault.Error](err); ok {
			return Picture{}, err
		}
		return Picture{}, reject("damaged", "is damaged or incomplete").WithCause(err)
	}
	p := Picture{Type: f.kind, Width: config.Width, Height: config.Height, turn: turn}
	if turn.swaps() {
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
	return format{}, reject("type", "must be a JPEG, PNG or WebP picture")
}

func reject(code, message string, args ...any) *fault.Error {
	f := fault.New(fault.KindUnprocessable, "").Detail("file", code, message, args...)
	f.Message = fault.Sentence(f.Details)
	return f
}

// Variant is a copy of a picture in one size.
type Variant struct {
	Name string
	Type string
	Data []byte
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
// Variants are upright and contain no metadata. Small pictures are not enlarged.
func (p Picture) Render(file io.Reader, keep func(Variant) error) error {
	var decode func(io.Reader) (image.Image, error)
	for _, f := range formats {
		if f.kind == p.Type {
			decode = f.decode
		}
	}
	img, err := decode(bufio.NewReader(file))
	if err != nil {
		return reject("damaged", "is damaged: it can't be decoded").WithCause(err)
	}
	img = p.turn.apply(img)
	original, err := reencode(img, p.Type)
	if err != nil {
		return err
	}
	if err := keep(original); err != nil {
		return err
	}
	for _, s := range sizes {
		img = shrink(img, s.longest)
		data, err := asJPEG(img, quality)
		if err != nil {
			return err
		}
		if err := keep(Variant{s.name, "image/jpeg", data}); err != nil {
			return err
		}
	}
	return nil
}

// reencode creates the copy in full size. A lossless picture stays lossless.
func reencode(img image.Image, kind string) (Variant, error) {
	if kind == "image/png" {
		var b bytes.Buffer
		err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
		return Variant{"original", kind, b.Bytes()}, err
	}
	data, err := asJPEG(img, originalQuality)
	return Variant{"original", "image/jpeg", data}, err
}

func asJPEG(img image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, onWhite(img), &jpeg.Options{Quality: quality})
	return b.Bytes(), err
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

// shrink reduces the longer side to a length. It first uses a fast method down to
// twice the length, then a good one.
func shrink(img image.Image, longest int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if max(w, h) <= longest {
		return img
	}
	if max(w, h) > 4*longest {
		img = scale(img, fit(w, h, 2*longest), draw.ApproxBiLinear)
	}
	return scale(img, fit(w, h, longest), draw.CatmullRom)
}

func fit(w, h, longest int) image.Rectangle {
	if w >= h {
		return image.Rect(0, 0, longest, max(1, h*longest/w))
	}
	return image.Rect(0, 0, max(1, w*longest/h), longest)
}

func scale(img image.Image, to image.Rectangle, by draw.Scaler) image.Image {
	out := image.NewRGBA(to)
	by.Scale(out, to, img, img.Bounds(), draw.Src, nil)
	return out
}
