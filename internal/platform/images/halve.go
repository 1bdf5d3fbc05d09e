package images

import "image"

// halve reduces the width and height to half. A decoded JPEG stays in three
// planes, which need less memory and time than its pixels.
func halve(img image.Image) image.Image {
	src, ok := img.(*image.YCbCr)
	if !ok || src.SubsampleRatio == image.YCbCrSubsampleRatio411 || src.SubsampleRatio == image.YCbCrSubsampleRatio410 {
		return average(img, 2)
	}

	b := src.Bounds()
	out := image.NewYCbCr(image.Rect(0, 0, half(b.Dx()), half(b.Dy())), src.SubsampleRatio)
	cw, ch := b.Dx(), b.Dy()
	switch src.SubsampleRatio {
	case image.YCbCrSubsampleRatio420:
		cw, ch = half(cw), half(ch)
	case image.YCbCrSubsampleRatio422:
		cw = half(cw)
	case image.YCbCrSubsampleRatio440:
		ch = half(ch)
	}
	at := src.COffset(b.Min.X, b.Min.Y)
	halvePlane(plane{out.Y, out.YStride}, plane{src.Y[src.YOffset(b.Min.X, b.Min.Y):], src.YStride}, b.Dx(), b.Dy())
	halvePlane(plane{out.Cb, out.CStride}, plane{src.Cb[at:], src.CStride}, cw, ch)
	halvePlane(plane{out.Cr, out.CStride}, plane{src.Cr[at:], src.CStride}, cw, ch)
	return out
}

// half rounds up, so that an odd row or column is kept.
func half(n int) int { return (n + 1) / 2 }

// plane is the brightness or one of the colors of a picture.
type plane struct {
	pix    []byte
	stride int
}

// row returns the bytes from a row on.
func (p plane) row(y int) []byte { return p.pix[y*p.stride:] }

// halvePlane replaces each 2 × 2 bytes of a plane of w × h bytes by their average.
func halvePlane(out, src plane, w, h int) {
	for y := 0; y < h; y += 2 {
		upper := src.row(y)[:w]
		lower := src.row(min(y+1, h-1))[:w]
		line := out.row(y / 2)[:half(w)]
		for x := range w / 2 {
			sum := int(upper[2*x]) + int(upper[2*x+1]) + int(lower[2*x]) + int(lower[2*x+1])
			line[x] = byte((sum + 2) / 4)
		}
		if w%2 == 1 {
			line[w/2] = byte((int(upper[w-1]) + int(lower[w-1]) + 1) / 2)
		}
	}
}
