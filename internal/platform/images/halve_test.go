package images

import (
	"image"
	"image/color"
	"testing"
)

// The left half is dark red and the right half light blue. An odd width and height
// leave a column and a row without a partner.
func TestHalve(t *testing.T) {
	left, right := color.YCbCr{Y: 90, Cb: 120, Cr: 150}, color.YCbCr{Y: 150, Cb: 140, Cr: 110}
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		src := image.NewYCbCr(image.Rect(0, 0, 61, 43), ratio)
		for y := range 43 {
			for x := range 61 {
				c := left
				if x >= 32 {
					c = right
				}
				src.Y[src.YOffset(x, y)] = c.Y
				src.Cb[src.COffset(x, y)], src.Cr[src.COffset(x, y)] = c.Cb, c.Cr
			}
		}

		out := halve(src)
		if got, want := out.Bounds(), image.Rect(0, 0, 31, 22); got != want {
			t.Errorf("%v: got %v, want %v", ratio, got, want)
		}
		for at, want := range map[image.Point]color.YCbCr{{0, 0}: left, {14, 21}: left, {18, 0}: right, {30, 21}: right} {
			got := color.YCbCrModel.Convert(out.At(at.X, at.Y)).(color.YCbCr) //nolint:forcetypeassert // the model's type
			if near := func(a, b uint8) bool { return a-b < 3 || b-a < 3 }; !near(got.Y, want.Y) || !near(got.Cb, want.Cb) || !near(got.Cr, want.Cr) {
				t.Errorf("%v: got %v at %v, want %v", ratio, got, at, want)
			}
		}
	}
}
