package images

import "image/color"

// A picture is rejected if it costs more than this. The file itself can be small:
// a few hundred kilobytes can decode to a gigabyte, or take minutes.
const (
	// MaxPixels is the maximum number of pixels of a JPEG.
	MaxPixels = 50_000_000
	// MaxLossless is the maximum number of pixels of a PNG or WebP, which need
	// more memory and time for each pixel.
	MaxLossless = 20_000_000
	// maxSamples is the maximum number of bytes of a decoded JPEG that is stored in
	// full size: 30 megapixels as most cameras save them. A larger one is halved.
	maxSamples = 45_000_000
	// maxBytes is the maximum memory to decode a picture, halve it and turn it upright.
	maxBytes = 120 << 20
	// maxScanned is the maximum number of pixels times scans of a progressive
	// JPEG. Each scan goes through the whole picture.
	maxScanned = 250_000_000
)

// bytesOf estimates the memory to decode a picture, halve it and turn it upright.
func bytesOf(kind string, model color.Model, found structure, pixels int, halved bool) int64 {
	perPixel, turned := bytesPerPixel(model), 4.0
	switch kind {
	case "image/jpeg":
		perPixel, turned = found.samples, found.samples
		if found.progressive {
			perPixel += 4 * found.samples // the coefficients
		}
		if found.components == 4 || found.rgb { // converted to CMYK or RGB pixels
			perPixel += 4
		}
		if found.components != 3 || found.rgb {
			turned = 4
		}
	case "image/png":
		if found.interlaced {
			perPixel *= 2 // the pixels of a pass are decoded, then copied
		}
		if isDeep(model) {
			perPixel += 8 // to reduce it to 8 bits
		}
	case "image/webp":
		perPixel += 4 // to remove the transparency
	}
	if halved {
		perPixel += turned / 4
		turned /= 4
	}
	if found.turn > 1 {
		perPixel += turned
	}
	return int64(perPixel * float64(pixels))
}

// isDeep reports whether a picture has 16 bits per channel.
func isDeep(model color.Model) bool {
	return model == color.Gray16Model || model == color.RGBA64Model || model == color.NRGBA64Model
}

// bytesPerPixel returns the size of a pixel in memory.
func bytesPerPixel(model color.Model) float64 {
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 1.5
	case color.NYCbCrAModel:
		return 2.5
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := model.(color.Palette); ok {
		return 1
	}
	return 4
}
