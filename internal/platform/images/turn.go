package images

import (
	"image"

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
	if yuv, ok := src.(*image.YCbCr); ok && yuv.SubsampleRatio != image.YCbCrSubsampleRatio411 &&
		yuv.SubsampleRatio != image.YCbCrSubsampleRatio410 {
		return o.applyYCbCr(yuv)
	}

	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	out := image.NewRGBA(o.upright(w, h))
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	for y := range h {
		draw.Draw(row, row.Rect, src, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		for x := range w {
			to := out.PixOffset(o.target(x, y, w, h))
			copy(out.Pix[to:][:4], row.Pix[4*x:][:4])
		}
	}
	return out
}

// applyYCbCr rotates the three planes of a decoded JPEG, which need less memory
// than its pixels.
func (o orientation) applyYCbCr(src *image.YCbCr) *image.YCbCr {
	ratio := src.SubsampleRatio
	if o.swaps() {
		switch ratio {
		case image.YCbCrSubsampleRatio422:
			ratio = image.YCbCrSubsampleRatio440
		case image.YCbCrSubsampleRatio440:
			ratio = image.YCbCrSubsampleRatio422
		}
	}

	b := src.Bounds()
	out := image.NewYCbCr(o.upright(b.Dx(), b.Dy()), ratio)
	cw, ch := out.CStride, len(out.Cb)/out.CStride
	if o.swaps() {
		cw, ch = ch, cw
	}
	at := src.COffset(b.Min.X, b.Min.Y)
	o.applyPlane(plane{out.Y, out.YStride}, plane{src.Y[src.YOffset(b.Min.X, b.Min.Y):], src.YStride}, b.Dx(), b.Dy())
	o.applyPlane(plane{out.Cb, out.CStride}, plane{src.Cb[at:], src.CStride}, cw, ch)
	o.applyPlane(plane{out.Cr, out.CStride}, plane{src.Cr[at:], src.CStride}, cw, ch)
	return out
}

// tile is the side of the squares that are rotated one after the other. Rows of a
// square and its target both fit into the processor's cache.
const tile = 64

// applyPlane rotates a plane of w × h bytes.
func (o orientation) applyPlane(out, src plane, w, h int) {
	position := func(x, y int) int {
		x, y = o.target(x, y, w, h)
		return y*out.stride + x
	}
	step := position(1, 0) - position(0, 0)
	for top := 0; top < h; top += tile {
		for left := 0; left < w; left += tile {
			right := min(left+tile, w)
			for y := top; y < min(top+tile, h); y++ {
				at := position(left, y)
				for _, v := range src.row(y)[left:right] {
					out.pix[at] = v
					at += step
				}
			}
		}
	}
}

// upright returns the bounds of a picture of w × h after its rotation.
func (o orientation) upright(w, h int) image.Rectangle {
	if o.swaps() {
		w, h = h, w
	}
	return image.Rect(0, 0, w, h)
}

// target returns the new position of the pixel at x, y in a picture of w × h.
func (o orientation) target(x, y, w, h int) (int, int) {
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
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}
