package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
)

// Boats of different classes and colors must not look the same.
func TestPicturesDiffer(t *testing.T) {
	drawn := func(b *boat) image.Image {
		data, err := b.picture()
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return img
	}

	classes := map[string]*boat{}
	for _, b := range fleet() {
		if classes[b.model["class"]] == nil {
			classes[b.model["class"]], b.number, b.color = b, 0, "White" // the same light for all
			b.model["loa"] = "24"
		}
	}
	shapes := map[string]string{}
	for class, b := range classes {
		img := drawn(b)
		if img.Bounds().Dx() != pictureWidth || img.Bounds().Dy() != pictureHeight {
			t.Errorf("%s: got %v, want %d x %d", class, img.Bounds(), pictureWidth, pictureHeight)
		}
		var text bytes.Buffer
		for y := 250; y < waterline; y += 8 {
			for x := 150; x < 810; x += 8 {
				r, _, _, _ := img.At(x, y).RGBA()
				text.WriteByte(byte(r >> 12))
			}
		}
		shapes[text.String()] = class
	}
	if len(shapes) < 16 {
		t.Errorf("got %d different drawings, want at least 16", len(shapes))
	}

	console := classes["power-center"]
	for name, want := range hullColors {
		console.color = name
		img := drawn(console)
		got := color.RGBAModel.Convert(img.At(pictureWidth/2, waterline-56)).(color.RGBA)
		if distance(got, want) > 60 {
			t.Errorf("a %s hull is drawn as %v, want about %v", name, got, want)
		}
	}
}

func distance(a, b color.RGBA) int {
	d := func(x, y uint8) int { return max(int(x), int(y)) - min(int(x), int(y)) }
	return d(a.R, b.R) + d(a.G, b.G) + d(a.B, b.B)
}
