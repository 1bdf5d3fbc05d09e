package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"golang.org/x/image/vector"
)

// picture draws a simple boat. It differs for each boat and is the same on each
// start.
func (b *boat) picture() ([]byte, error) {
	const w, h = 1200, 800
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	phase := float64(b.number)
	for y := range h {
		for x := range w {
			pixel := color.RGBA{uint8(150 + y/10), uint8(190 + y/20), 235, 255}
			if float64(y) > 520+6*math.Sin(float64(x)/40+phase) {
				pixel = color.RGBA{20, uint8(90 + (y-520)/8), uint8(140 + (y-520)/6), 255}
			}
			img.SetRGBA(x, y, pixel)
		}
	}

	hullColor := []color.RGBA{{245, 245, 240, 255}, {30, 60, 110, 255}, {160, 40, 40, 255}, {40, 110, 90, 255}}[b.number%4]
	length := 280 + float32(b.number%5)*40
	shape := func(c color.RGBA, points ...[2]float32) {
		r := vector.NewRasterizer(w, h)
		for i, p := range points {
			if i == 0 {
				r.MoveTo(p[0], p[1])
			} else {
				r.LineTo(p[0], p[1])
			}
		}
		r.ClosePath()
		r.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{})
	}

	const mid, deck = float32(600), float32(470)
	if b.isSail() {
		shape(color.RGBA{250, 250, 250, 255}, [2]float32{mid, 120}, [2]float32{mid + length*0.7, deck - 10}, [2]float32{mid, deck - 10})
		shape(color.RGBA{235, 235, 230, 255}, [2]float32{mid - 12, 150}, [2]float32{mid - 12, deck - 10}, [2]float32{mid - length*0.8, deck - 10})
	} else if b.hasMotor() {
		shape(color.RGBA{225, 230, 235, 255},
			[2]float32{mid - 90, deck}, [2]float32{mid - 60, deck - 80}, [2]float32{mid + 60, deck - 80}, [2]float32{mid + 110, deck})
	}
	shape(hullColor,
		[2]float32{mid - length, deck}, [2]float32{mid + length, deck - 20},
		[2]float32{mid + length*0.75, deck + 80}, [2]float32{mid - length*0.9, deck + 80})

	var out bytes.Buffer
	err := jpeg.Encode(&out, img, nil)
	return out.Bytes(), err
}
