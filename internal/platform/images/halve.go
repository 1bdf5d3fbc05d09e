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
	halvePlane(out.Y, out.YStride, src.Y[src.YOffset(b.Min.X, b.Min.Y):], src.YStride, b.Dx(), b.Dy())
	halvePlane(out.Cb, out.CStride, src.Cb[at:], src.CStride, cw, ch)
	halvePlane(out.Cr, out.CStride, src.Cr[at:], src.CStride, cw, ch)
	return out
}

// half rounds up, so that an odd row or column is kept.
func half(n int) int { return (n + 1) / 2 }

// halvePlane replaces each 2 × 2 bytes of a plane of w × h bytes by their average.
func halvePlane(out []byte, outStride int, src []byte, stride, w, h int) {
	for y := 0; y < h; y += 2 {
		upper := src[y*stride:][:w]
		lower := src[min(y+1, h-1)*stride:][:w]
		line := out[y/2*outStride:][:half(w)]
		for x := range w / 2 {
			sum := int(upper[2*x]) + int(upper[2*x+1]) + int(lower[2*x]) + int(lower[2*x+1])
			line[x] = byte((sum + 2) / 4)
		}
		if w%2 == 1 {
			line[w/2] = byte((int(upper[w-1]) + int(lower[w-1]) + 1) / 2)
		}
	}
}
