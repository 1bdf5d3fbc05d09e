package images

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"

	"golang.org/x/image/draw"
)

// orientation is the EXIF orientation, from 1 to 8.
type orientation uint16

func (o orientation) swaps() bool { return o >= 5 && o <= 8 }

// apply rotates a picture so that it is upright.
func (o orientation) apply(src image.Image) image.Image {
	if o < 2 || o > 8 {
		return src
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	flat := image.NewRGBA(image.Rect(0, 0, w, h)) // its pixels can be copied directly
	draw.Draw(flat, flat.Bounds(), src, b.Min, draw.Src)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if o.swaps() {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sx, sy := o.source(x, y, w, h)
			copy(out.Pix[out.PixOffset(x, y):][:4], flat.Pix[flat.PixOffset(sx, sy):][:4])
		}
	}
	return out
}

// source returns the position in a picture of w × h of the pixel that moves to x, y.
func (o orientation) source(x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}

var (
	errCut   = io.ErrUnexpectedEOF
	errBroke = errors.New("the structure is broken")
)

// maxMeta limits how much metadata is read to find the orientation.
const maxMeta = 64 << 10

// walkJPEG reads the markers up to the end of the image. It ignores data after
// that, such as the second picture of some phones.
func walkJPEG(r *bufio.Reader) (turn orientation, err error) {
	if _, err := r.Discard(2); err != nil {
		return 0, err
	}
	seen := false // the start of a scan
	for {
		marker, err := nextMarker(r)
		if err != nil {
			return 0, err
		}
		if marker == 0xd9 {
			if !seen {
				return 0, errBroke
			}
			return turn, nil
		}
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd7 {
			continue
		}
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return 0, errCut
		}
		n := int(binary.BigEndian.Uint16(size[:])) - 2
		if n < 0 {
			return 0, errBroke
		}
		if marker == 0xe1 && turn == 0 {
			segment := make([]byte, n)
			if _, err := io.ReadFull(r, segment); err != nil {
				return 0, errCut
			}
			if n > 6 && string(segment[:6]) == "Exif\x00\x00" {
				turn = orientationIn(segment[6:])
			}
			continue
		}
		if _, err := r.Discard(n); err != nil {
			return 0, errCut
		}
		seen = seen || marker == 0xda
	}
}

// nextMarker skips to the next marker. In the data of a scan, FF 00 is an
// escaped byte and not a marker.
func nextMarker(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		for err == nil && b != 0xff {
			b, err = r.ReadByte()
		}
		for err == nil && b == 0xff {
			b, err = r.ReadByte()
		}
		if err != nil {
			return 0, errCut
		}
		if b != 0 {
			return b, nil
		}
	}
}

// walkPNG checks all chunks.
func walkPNG(r *bufio.Reader) (turn orientation, err error) {
	if _, err := r.Discard(8); err != nil {
		return 0, errCut
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return 0, errCut
		}
		n, kind := int64(binary.BigEndian.Uint32(head[:4])), string(head[4:])
		sum := crc32.NewIEEE()
		sum.Write(head[4:])
		body := io.TeeReader(io.LimitReader(r, n), sum)
		if kind == "eXIf" && n <= maxMeta {
			meta, err := io.ReadAll(body)
			if err != nil {
				return 0, errCut
			}
			turn = orientationIn(meta)
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return 0, errCut
		}
		var want [4]byte
		if _, err := io.ReadFull(r, want[:]); err != nil {
			return 0, errCut
		}
		if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
			return 0, errBroke
		}
		if kind == "IEND" {
			return turn, nil
		}
	}
}

// walkWebP checks the chunks that the header declares.
func walkWebP(r *bufio.Reader) (turn orientation, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, errCut
	}
	for left := int64(binary.LittleEndian.Uint32(head[4:8])) - 4; left > 0; {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return 0, errCut
		}
		n, kind := int64(binary.LittleEndian.Uint32(chunk[4:])), string(chunk[:4])
		left -= 8 + n + n&1 // chunks are padded to even sizes
		if kind == "ANIM" {
			return 0, reject("type", "must not be animated")
		}
		if kind == "EXIF" && n <= maxMeta {
			meta := make([]byte, n)
			if _, err := io.ReadFull(r, meta); err != nil {
				return 0, errCut
			}
			turn = orientationIn(meta)
			n = 0
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return 0, errCut
		}
		if chunk[4]&1 == 1 {
			_, _ = r.Discard(1) // some encoders omit the last padding
		}
	}
	return turn, nil
}

// orientationIn returns the orientation in EXIF data. If the data is invalid, the
// picture counts as upright.
func orientationIn(tiff []byte) orientation {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:8]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at : at+2]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 {
			if o := orientation(order.Uint16(entries[8:10])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
