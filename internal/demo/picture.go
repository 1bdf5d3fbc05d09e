package demo

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"

	"golang.org/x/image/vector"
)

// The size of a picture, and the height of the water.
const (
	pictureWidth, pictureHeight = 960, 640
	horizon                     = 345
	waterline                   = 452
)

// picture is the drawing of a boat.
type picture struct {
	boat *boat
	jpeg []byte
	err  error
}

// tourBoat has no photo, because docs/tour.md shows its version.
const tourBoat = "GW-1003"

// firstPage is the number of boats that the console shows before you scroll.
const firstPage = 50

// draw draws boats in the background: the newest ones of each environment, which lists
// show first, and some of the others. It takes too long to draw all of them.
func draw(ctx context.Context, boats []*boat) <-chan picture {
	newest := slices.SortedFunc(slices.Values(boats), func(a, b *boat) int { return b.added.Compare(a.added) })
	shown := map[*environment]int{}
	all := make(chan picture, len(boats))
	go func() {
		defer close(all)
		for _, b := range newest {
			shown[b.env]++
			wanted := shown[b.env] <= firstPage || b.number%5 == 1
			if wanted && b.stockNumber() != tourBoat && ctx.Err() == nil {
				data, err := b.picture()
				all <- picture{b, data, err}
			}
		}
	}()
	return all
}

// picture draws the boat by its class, length and color. It is the same on each
// start.
func (b *boat) picture() ([]byte, error) {
	c := &canvas{img: image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))}
	light := lights[b.number/4%len(lights)]
	c.scene(light, b.number)
	length := min(max(400+(*b.model.number("loa")-8)*11, 430), 740)
	s := &ship{
		canvas: c, left: pictureWidth/2 - length/2, length: length,
		hull: hullColors[b.color], accent: accents[b.number%len(accents)], light: light,
	}
	drawing(b.model["class"])(s)
	c.foreground(light, s, b.number)

	var out bytes.Buffer
	err := jpeg.Encode(&out, c.img, &jpeg.Options{Quality: 86})
	return out.Bytes(), err
}

// light is the time of day.
type light struct{ high, low, sun, far, near, deep, cloud color.RGBA }

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255} // each part has 8 bits
}

// lights are a clear day, a hazy morning, an evening and a bright noon.
var lights = []light{
	{rgb(0x5b9bd5), rgb(0xd7ebf7), rgb(0xfff6d8), rgb(0x6f9386), rgb(0x3f86a8), rgb(0x134a6b), rgb(0xffffff)},
	{rgb(0x9fb9cf), rgb(0xf3e7d3), rgb(0xffeec2), rgb(0x93a5a0), rgb(0x7fa3ad), rgb(0x36637a), rgb(0xfdf7ee)},
	{rgb(0x46629b), rgb(0xf6b98a), rgb(0xffd9a0), rgb(0x55526e), rgb(0x8d7f97), rgb(0x263a5e), rgb(0xf9cfae)},
	{rgb(0x2f7cc4), rgb(0xb5dcf2), rgb(0xffffff), rgb(0x557d5d), rgb(0x2a8fa3), rgb(0x0c5a6e), rgb(0xffffff)},
}

var hullColors = map[string]color.RGBA{
	"White": rgb(0xf4f5f2), "Oyster": rgb(0xe9e0cb), "Seafoam": rgb(0x9fd3c2), "Flag blue": rgb(0x1d3461),
	"Ice blue": rgb(0xbcd9ea), "Black": rgb(0x24272c),
}

var accents = []color.RGBA{rgb(0x1f4e8c), rgb(0xb3282d), rgb(0x13795b), rgb(0x33383f), rgb(0xd9822b), rgb(0x5a3d7a), rgb(0x0f7c8f)}

var (
	glass = rgb(0x2b3f50)
	metal = rgb(0xc3c9ce)
	dark  = rgb(0x2a2d31)
	white = rgb(0xfafaf7)
	teak  = rgb(0xb07a45)
	cream = rgb(0xefe6d2)
)

// mix returns a color between two colors.
func mix(from, to color.RGBA, share float64) color.RGBA {
	part := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share) }
	return color.RGBA{part(from.R, to.R), part(from.G, to.G), part(from.B, to.B), 255}
}

// canvas is a picture that shapes are drawn on.
type canvas struct{ img *image.RGBA }

type point struct{ x, y float64 }

// path is an outline of lines and curves.
type path struct {
	steps [][]point // one point for a line, two for a curve with a control point
	start point
}

func from(x, y float64) *path { return &path{start: point{x, y}} }

func (p *path) to(points ...float64) *path {
	for i := 0; i+1 < len(points); i += 2 {
		p.steps = append(p.steps, []point{{points[i], points[i+1]}})
	}
	return p
}

func (p *path) bend(cx, cy, x, y float64) *path {
	p.steps = append(p.steps, []point{{cx, cy}, {x, y}})
	return p
}

// fill fills a path. It only touches the rectangle around it, because most shapes
// are small.
func (c *canvas) fill(fill color.RGBA, p *path) { c.wash(fill, 1, p) }

// wash fills a path with a transparent color.
func (c *canvas) wash(fill color.RGBA, opacity float64, p *path) {
	low, high := p.start, p.start
	for _, step := range p.steps {
		for _, q := range step {
			low = point{min(low.x, q.x), min(low.y, q.y)}
			high = point{max(high.x, q.x), max(high.y, q.y)}
		}
	}
	area := image.Rect(int(low.x)-1, int(low.y)-1, int(high.x)+2, int(high.y)+2)
	at := func(q point) (x, y float32) {
		return float32(q.x - float64(area.Min.X)), float32(q.y - float64(area.Min.Y))
	}

	r := vector.NewRasterizer(area.Dx(), area.Dy())
	r.MoveTo(at(p.start))
	for _, step := range p.steps {
		x, y := at(step[0])
		if len(step) == 1 {
			r.LineTo(x, y)
			continue
		}
		endX, endY := at(step[1])
		r.QuadTo(x, y, endX, endY)
	}
	r.ClosePath()
	alpha := uint8(opacity * 255)
	r.Draw(c.img, area, image.NewUniform(color.NRGBA{fill.R, fill.G, fill.B, alpha}), image.Point{})
}

func (c *canvas) line(fill color.RGBA, width float64, a, b point) {
	length := math.Hypot(b.x-a.x, b.y-a.y)
	dx, dy := (b.y-a.y)/length*width/2, (a.x-b.x)/length*width/2
	c.fill(fill, from(a.x+dx, a.y+dy).to(b.x+dx, b.y+dy, b.x-dx, b.y-dy, a.x-dx, a.y-dy))
}

// disc fills an ellipse with these radii.
func (c *canvas) disc(fill color.RGBA, opacity float64, center, radii point) {
	p := from(center.x+radii.x, center.y)
	for i := 1; i <= 24; i++ {
		a := float64(i) * math.Pi / 12
		p.to(center.x+radii.x*math.Cos(a), center.y+radii.y*math.Sin(a))
	}
	c.wash(fill, opacity, p)
}

// rows fills rows with a color for each.
func (c *canvas) rows(from, to int, at func(y int) color.RGBA) {
	for y := from; y < to; y++ {
		fill := at(y)
		row := c.img.Pix[y*c.img.Stride : y*c.img.Stride+pictureWidth*4]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2], row[i+3] = fill.R, fill.G, fill.B, 255
		}
	}
}

// scene draws the sky, the sun, clouds, the far shore and the water.
func (c *canvas) scene(l light, seed int) {
	c.rows(0, horizon, func(y int) color.RGBA { return mix(l.high, l.low, math.Pow(float64(y)/horizon, 1.4)) })
	c.rows(horizon, pictureHeight, func(y int) color.RGBA {
		return mix(l.near, l.deep, math.Pow(float64(y-horizon)/(pictureHeight-horizon), 0.8))
	})

	sunX, sunY := float64(120+seed*97%720), 90+float64(seed*31%120)
	for i := range 5 {
		c.disc(l.sun, 0.10+0.08*float64(i), point{sunX, sunY}, point{float64(72 - 13*i), float64(72 - 13*i)})
	}
	for i := range 3 {
		x, y := float64((seed*211+i*353)%1000)-20, float64(50+(seed*67+i*89)%170)
		for _, puff := range []struct{ dx, dy, rx, ry float64 }{{-62, 4, 58, 13}, {-8, -7, 52, 22}, {48, 2, 64, 15}, {12, 8, 96, 10}} {
			c.disc(l.cloud, 0.42, point{x + puff.dx, y + puff.dy}, point{puff.rx, puff.ry})
		}
	}

	for i, tone := range []float64{0.55, 0.25} { // the shore, with a nearer line of trees
		shore := from(0, horizon+1)
		base := 30 - 12*float64(i)
		for x := 0.0; x <= pictureWidth; x += 12 {
			wave := math.Sin(x/(61-17*float64(i))+float64(seed)) + 0.6*math.Sin(x/(23+5*float64(i))+float64(seed)*2)
			shore.to(x, horizon-base*(0.62+0.22*wave))
		}
		c.fill(mix(l.far, l.low, tone), shore.to(pictureWidth, horizon+1))
	}
	if seed%3 == 0 {
		c.lighthouse(l, float64(90+seed*53%170))
	}
	c.glints(l, seed)
}

func (c *canvas) lighthouse(l light, x float64) {
	tower := mix(white, l.low, 0.25)
	c.fill(tower, from(x-7, horizon-6).to(x-4, horizon-62, x+4, horizon-62, x+7, horizon-6))
	c.fill(mix(accents[1], l.low, 0.3), from(x-6, horizon-26).to(x-5, horizon-42, x+5, horizon-42, x+6, horizon-26))
	c.fill(mix(dark, l.low, 0.3), from(x-5, horizon-62).to(x-4, horizon-72, x+4, horizon-72, x+5, horizon-62))
	c.fill(mix(accents[1], l.low, 0.2), from(x-6, horizon-72).to(x, horizon-80, x+6, horizon-72))
}

// glints draws the light on the waves. They are longer in front.
func (c *canvas) glints(l light, seed int) {
	for i := range 90 {
		depth := math.Pow(float64(i%30)/30, 1.5)
		y := horizon + 6 + depth*(pictureHeight-horizon-10)
		x := float64((seed*131 + i*197) % pictureWidth)
		width := 10 + depth*70
		c.wash(mix(l.near, l.sun, 0.55), 0.16+0.12*float64(i%3),
			from(x-width/2, y).bend(x, y-1.2-2*depth, x+width/2, y).bend(x, y+1, x-width/2, y))
	}
}

// foreground draws the foam along the boat, its reflection, and waves over both.
func (c *canvas) foreground(l light, s *ship, seed int) {
	left, right := s.left, s.left+s.length
	c.wash(mix(s.hull, l.deep, 0.55), 0.35,
		from(left+s.length*0.02, waterline).to(right-s.length*0.07, waterline).
			bend(right-s.length*0.2, waterline+s.length*0.07, left+s.length*0.5, waterline+s.length*0.075).
			bend(left+s.length*0.1, waterline+s.length*0.07, left+s.length*0.02, waterline))
	foam := from(left-26, waterline+2)
	const steps = 30
	edge := func(i int, up float64) {
		share := float64(i) / steps
		height := (1 + math.Abs(math.Sin(float64(i)*1.9+float64(seed)+up))) * 3 * math.Sqrt(math.Sin(math.Pi*share))
		foam.to(left-22+share*s.length*0.97, waterline+2-up*height)
	}
	for i := range steps {
		edge(i, 1)
	}
	for i := steps; i >= 0; i-- {
		edge(i, -0.8)
	}
	c.wash(white, 0.75, foam)
	for i := range 26 {
		y := waterline + 9 + float64(i)*5.2
		x := left + math.Mod(float64(seed*71+i*173), s.length)
		width := 30 + float64(i)*3
		c.wash(mix(l.near, white, 0.4), 0.22, from(x-width/2, y).bend(x, y-2.4, x+width/2, y).bend(x, y+1.6, x-width/2, y))
	}
}
