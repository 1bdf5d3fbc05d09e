package demo

import (
	"image/color"
	"strings"
)

// ship draws a boat with its bow to the right. Its points are shares of the
// length: 0 is the stern and the waterline, 1 is the bow.
type ship struct {
	*canvas
	left, length float64
	hull, accent color.RGBA
	light        light
}

func (s *ship) at(u, v float64) (x, y float64) { return s.left + u*s.length, waterline - v*s.length }

// shape fills an outline of points.
func (s *ship) shape(fill color.RGBA, points ...float64) {
	x, y := s.at(points[0], points[1])
	p := from(x, y)
	for i := 2; i+1 < len(points); i += 2 {
		x, y := s.at(points[i], points[i+1])
		p.to(x, y)
	}
	s.fill(fill, p)
}

// curve fills an outline: a point, and then a control point and a point for each curve.
func (s *ship) curve(fill color.RGBA, points ...float64) {
	x, y := s.at(points[0], points[1])
	p := from(x, y)
	for i := 2; i+3 < len(points); i += 4 {
		cx, cy := s.at(points[i], points[i+1])
		x, y := s.at(points[i+2], points[i+3])
		p.bend(cx, cy, x, y)
	}
	s.fill(fill, p)
}

func (s *ship) bar(fill color.RGBA, width float64, a, b point) {
	x1, y1 := s.at(a.x, a.y)
	x2, y2 := s.at(b.x, b.y)
	s.line(fill, width, point{x1, y1}, point{x2, y2})
}

// shade returns the color of a side that is away from the sun.
func shade(c color.RGBA) color.RGBA { return mix(c, rgb(0x20303f), 0.16) }

// body draws a hull with a curved sheer from the height of the stern to that of
// the bow, a stripe and the bottom paint.
func (s *ship) body(stern, bow, rake float64) {
	mid := (stern + bow) / 2 * 0.86
	s.curve(s.hull, 0.005, -0.015, 0, stern/2, 0, stern, 0.55, mid, 1, bow, 0.985-rake*0.2, bow*0.4, 1-rake,
		-0.015, 0.5, -0.02, 0.005, -0.015)
	s.curve(shade(s.hull), 0.005, -0.015, 0.002, stern*0.2, 0.003, stern*0.38, 0.55, mid*0.36, 0.975-rake*0.42, bow*0.34,
		1-rake*0.9, bow*0.1, 1-rake, -0.015, 0.5, -0.02, 0.005, -0.015)
	s.curve(s.accent, 0.002, stern*0.62, 0.55, mid*0.62, 0.985-rake*0.2, bow*0.64, 0.97-rake*0.2, bow*0.5, 0.965-rake*0.25, bow*0.54,
		0.55, mid*0.5, 0.002, stern*0.5)
	s.curve(mix(white, s.hull, 0.25), 0, stern, 0.55, mid, 1, bow, 0.99, bow-0.008, 0.985, bow-0.012, 0.55, mid-0.012, 0, stern-0.012)
	s.shape(mix(s.accent, dark, 0.45), 0.005, -0.014, 0.006, 0.006, 1-rake*0.92, 0.006, 1-rake, -0.014)
}

func (s *ship) outboard(count int, height float64) {
	for i := range count {
		u := -0.012 - 0.03*float64(i)
		s.shape(dark, u-0.018, -0.01, u-0.024, height*0.4, u+0.01, height*0.4, u+0.006, -0.01)
		s.curve(mix(dark, s.accent, 0.12), u-0.034, height*0.38, u-0.045, height, u-0.014, height*1.08, u+0.022,
			height*1.02, u+0.018, height*0.38)
		s.shape(metal, u-0.034, height*0.62, u-0.035, height*0.7, u+0.018, height*0.7, u+0.018, height*0.62)
	}
}

func (s *ship) person(u, v, size float64, shirt color.RGBA) {
	s.curve(shirt, u-0.014*size, v, u-0.018*size, v+0.05*size, u, v+0.052*size, u+0.018*size, v+0.05*size, u+0.014*size, v)
	x, y := s.at(u, v+0.064*size)
	s.disc(rgb(0xc98f6b), 1, point{x, y}, point{0.0115 * size * s.length, 0.0125 * size * s.length})
}

// drawing returns the function that draws a class of boats.
func drawing(class string) func(*ship) {
	_, name, _ := strings.Cut(class, "-")
	if strings.HasPrefix(class, "sail-") {
		switch name {
		case "catamaran", "multihull":
			return (*ship).catamaran
		case "beachcat", "trimaran":
			return (*ship).beachCat
		case "dinghy", "day":
			return (*ship).daySailer
		case "ketch", "yawl", "schooner", "motor":
			return (*ship).twoMasts
		}
		return (*ship).sloop
	}

	switch name {
	case "pontoon", "house":
		return (*ship).pontoon
	case "pwc":
		return (*ship).jetSki
	case "kayak":
		return (*ship).kayak
	case "dinghy", "tender", "inflatable", "rib":
		return (*ship).inflatable
	case "bass", "aluminum", "fresh", "jon", "flats", "skiff", "util", "skifish":
		return (*ship).bassBoat
	case "bowrider", "deck", "runabout", "jet", "dualconsole", "highperf", "antique":
		return (*ship).bowrider
	case "skiwake":
		return (*ship).wakeBoat
	case "expresscruiser", "sportcruiser", "cuddy", "cruiser", "rivercruiser":
		return (*ship).cruiser
	case "pilot", "downeast", "lobster", "tug", "trawler":
		return (*ship).pilothouse
	case "flybridge", "convertible", "motor", "aft", "mega", "sportfish":
		return (*ship).flybridge
	}
	return (*ship).centerConsole
}

func (s *ship) centerConsole() {
	s.outboard(2, 0.14)
	for _, u := range []float64{0.405, 0.455, 0.565, 0.6} { // posts of the top
		s.bar(metal, 3, point{u, 0.09}, point{u + 0.004, 0.285})
	}
	s.person(0.44, 0.115, 1.1, s.accent)
	s.shape(white, 0.46, 0.08, 0.465, 0.185, 0.535, 0.185, 0.565, 0.08)
	s.shape(glass, 0.475, 0.185, 0.487, 0.235, 0.512, 0.235, 0.535, 0.185)
	s.curve(mix(s.hull, white, 0.5), 0.365, 0.285, 0.37, 0.312, 0.5, 0.314, 0.66, 0.314, 0.655, 0.285, 0.5, 0.28, 0.365, 0.285)
	for i := range 4 { // fishing rods
		u := 0.37 + 0.022*float64(i)
		s.bar(dark, 1.6, point{u, 0.31}, point{u - 0.055, 0.415})
	}
	s.bar(metal, 2, point{0.52, 0.312}, point{0.515, 0.39})
	s.bar(metal, 2.2, point{0.72, 0.115}, point{0.73, 0.155})
	s.bar(metal, 2.2, point{0.73, 0.155}, point{0.965, 0.185})
	s.bar(metal, 2.2, point{0.965, 0.185}, point{0.975, 0.155})
	s.body(0.115, 0.165, 0.15)
}

func (s *ship) bowrider() {
	s.shape(cream, 0.16, 0.08, 0.165, 0.135, 0.205, 0.135, 0.21, 0.08)
	s.person(0.33, 0.09, 1.15, s.accent)
	s.person(0.40, 0.09, 1.1, rgb(0xd8a13c))
	s.shape(cream, 0.30, 0.08, 0.305, 0.125, 0.345, 0.125, 0.35, 0.08)
	s.shape(glass, 0.45, 0.11, 0.41, 0.185, 0.425, 0.185, 0.56, 0.112)
	s.bar(metal, 2.6, point{0.405, 0.188}, point{0.565, 0.11})
	s.bar(metal, 2, point{0.14, 0.12}, point{0.15, 0.165})
	s.bar(metal, 2, point{0.15, 0.165}, point{0.30, 0.165})
	s.bar(metal, 2.2, point{0.80, 0.125}, point{0.965, 0.15})
	s.body(0.115, 0.14, 0.17)
	s.shape(teak, -0.045, 0.012, -0.045, 0.026, 0.01, 0.028, 0.01, 0.012)
}

func (s *ship) wakeBoat() {
	s.bar(dark, 5, point{0.32, 0.1}, point{0.40, 0.29})
	s.bar(dark, 5, point{0.55, 0.12}, point{0.44, 0.29})
	s.bar(dark, 6, point{0.36, 0.29}, point{0.47, 0.295})
	s.curve(s.accent, 0.30, 0.31, 0.42, 0.345, 0.53, 0.312, 0.42, 0.32, 0.30, 0.31)
	for i := range 3 { // boards in the rack
		s.curve(accents[(i*2+1)%len(accents)], 0.345+0.02*float64(i), 0.16, 0.33+0.02*float64(i), 0.22, 0.365+0.02*float64(i), 0.275,
			0.37+0.02*float64(i), 0.21, 0.352+0.02*float64(i), 0.16)
	}
	s.person(0.36, 0.09, 1.1, rgb(0xd8a13c))
	s.shape(glass, 0.47, 0.115, 0.44, 0.185, 0.455, 0.185, 0.58, 0.117)
	s.body(0.12, 0.135, 0.16)
	s.shape(dark, -0.05, 0.015, -0.05, 0.03, 0.01, 0.032, 0.01, 0.015)
}

func (s *ship) bassBoat() {
	s.outboard(1, 0.15)
	s.person(0.40, 0.06, 1.1, s.accent)
	s.shape(dark, 0.43, 0.06, 0.435, 0.115, 0.47, 0.118, 0.49, 0.06)
	s.shape(glass, 0.44, 0.115, 0.45, 0.15, 0.462, 0.15, 0.475, 0.115)
	s.bar(dark, 2.2, point{0.72, 0.07}, point{0.72, 0.115})
	s.shape(dark, 0.70, 0.115, 0.702, 0.132, 0.74, 0.132, 0.742, 0.115)
	s.bar(dark, 3, point{0.95, 0.09}, point{1.01, 0.12}) // trolling motor
	s.bar(dark, 3, point{1.01, 0.12}, point{0.99, 0.06})
	for i := range 3 {
		s.bar(dark, 1.5, point{0.56 + 0.02*float64(i), 0.07}, point{0.78 + 0.02*float64(i), 0.17})
	}
	s.body(0.072, 0.095, 0.16)
}

func (s *ship) pontoon() {
	s.outboard(1, 0.13)
	s.curve(s.accent, 0.22, 0.31, 0.3, 0.36, 0.45, 0.355, 0.6, 0.35, 0.66, 0.305, 0.45, 0.325, 0.22, 0.31) // canopy
	for _, u := range [][2]float64{{0.30, 0.24}, {0.40, 0.45}, {0.52, 0.62}} {
		s.bar(metal, 3, point{u[0], 0.16}, point{u[1], 0.315})
	}
	s.person(0.35, 0.12, 1.15, rgb(0xd8a13c))
	s.person(0.58, 0.12, 1.1, s.accent)
	s.person(0.80, 0.11, 1.05, rgb(0x4f9a94))
	s.shape(s.hull, 0.02, 0.075, 0.02, 0.165, 0.33, 0.165, 0.33, 0.075)
	s.shape(s.hull, 0.42, 0.075, 0.42, 0.165, 0.93, 0.165, 0.955, 0.15, 0.96, 0.075)
	s.shape(s.accent, 0.02, 0.135, 0.02, 0.15, 0.33, 0.15, 0.33, 0.135)
	s.curve(s.accent, 0.42, 0.15, 0.68, 0.148, 0.952, 0.15, 0.83, 0.10, 0.62, 0.115, 0.5, 0.12, 0.42, 0.12)
	for _, u := range []float64{0.02, 0.17, 0.33, 0.42, 0.59, 0.76, 0.93} {
		s.bar(metal, 2.4, point{u, 0.075}, point{u, 0.172})
	}
	s.bar(metal, 3, point{0.02, 0.17}, point{0.33, 0.17})
	s.bar(metal, 3, point{0.42, 0.17}, point{0.94, 0.17})
	s.shape(mix(dark, metal, 0.3), 0, 0.052, 0, 0.076, 0.975, 0.076, 0.98, 0.052)
	s.curve(shade(metal), 0.02, 0.05, 0.5, 0.05, 0.95, 0.05, 1.02, 0.03, 0.96, -0.01, 0.5, -0.012, 0.01, -0.012, -0.01, 0.02, 0.02, 0.05)
	s.curve(mix(metal, white, 0.5), 0.02, 0.043, 0.5, 0.043, 0.95, 0.042, 0.5, 0.03, 0.02, 0.03)
}

func (s *ship) jetSki() {
	s.left, s.length = s.left+s.length*0.05, s.length*0.9
	s.person(0.40, 0.17, 2.2, s.accent)
	s.bar(rgb(0xc98f6b), 7, point{0.415, 0.255}, point{0.53, 0.245})
	s.curve(dark, 0.17, 0.135, 0.22, 0.2, 0.32, 0.19, 0.42, 0.175, 0.47, 0.215, 0.50, 0.16, 0.47, 0.10, 0.3, 0.1, 0.17, 0.135)
	s.bar(dark, 6, point{0.56, 0.20}, point{0.52, 0.265})
	s.bar(dark, 6, point{0.505, 0.26}, point{0.545, 0.272})
	s.curve(s.hull, 0.44, 0.12, 0.5, 0.225, 0.58, 0.215, 0.8, 0.19, 0.97, 0.115, 0.8, 0.07, 0.44, 0.12)
	s.curve(s.accent, 0.50, 0.155, 0.66, 0.17, 0.90, 0.118, 0.7, 0.115, 0.50, 0.155)
	s.curve(s.hull, 0.03, -0.012, -0.01, 0.08, 0.08, 0.10, 0.4, 0.125, 0.99, 0.105, 0.93, 0.03, 0.84, -0.012, 0.4, -0.015, 0.03, -0.012)
	s.curve(shade(mix(s.hull, s.accent, 0.55)), 0.03, -0.012, 0.0, 0.03, 0.04, 0.052, 0.5, 0.06, 0.94, 0.052, 0.9, 0.0, 0.84, -0.012,
		0.4, -0.015, 0.03, -0.012)
	for i := range 6 { // spray
		u := -0.02 - 0.05*float64(i)
		x, y := s.at(u, 0.02+0.028*float64(i%3))
		s.disc(white, 0.6, point{x, y}, point{9 + 3*float64(i%3), 6 + 2*float64(i%2)})
	}
}

func (s *ship) kayak() {
	s.person(0.47, 0.05, 1.5, s.accent)
	s.bar(dark, 4, point{0.30, 0.09}, point{0.66, 0.17})
	for _, end := range []float64{0.30, 0.66} {
		x, y := s.at(end, 0.09+(end-0.30)*0.222)
		s.disc(rgb(0xd9822b), 1, point{x, y}, point{0.03 * s.length, 0.011 * s.length})
	}
	s.curve(s.accent, -0.01, 0.058, 0.2, 0.05, 0.48, 0.055, 0.8, 0.055, 1.01, 0.075, 0.9, -0.012, 0.48, -0.018, 0.1, -0.018, -0.01, 0.058)
	s.curve(mix(s.accent, white, 0.35), -0.01, 0.058, 0.2, 0.05, 0.48, 0.055, 0.8, 0.055, 1.01, 0.075, 0.5, 0.028, -0.01, 0.058)
	s.curve(dark, 0.39, 0.056, 0.47, 0.075, 0.56, 0.056, 0.47, 0.05, 0.39, 0.056)
}

func (s *ship) inflatable() {
	s.outboard(1, 0.15)
	s.person(0.33, 0.1, 1.2, s.accent)
	s.shape(dark, 0.44, 0.09, 0.445, 0.18, 0.50, 0.18, 0.52, 0.09)
	s.shape(glass, 0.455, 0.18, 0.465, 0.21, 0.482, 0.21, 0.50, 0.18)
	tube := mix(metal, s.hull, 0.35)
	s.curve(tube, 0.01, 0.115, 0.45, 0.125, 0.82, 0.125, 1.0, 0.125, 1.01, 0.17, 0.98, 0.07, 0.86, 0.04, 0.4,
		0.03, 0.01, 0.035, -0.03, 0.075, 0.01, 0.115)
	s.curve(mix(tube, white, 0.5), 0.01, 0.112, 0.45, 0.122, 0.82, 0.122, 0.98, 0.125, 1.0, 0.155, 0.9, 0.095,
		0.82, 0.1, 0.4, 0.098, 0.01, 0.09)
	s.curve(s.accent, 0.02, 0.072, 0.45, 0.078, 0.86, 0.085, 0.9, 0.07, 0.86, 0.07, 0.4, 0.06, 0.02, 0.058)
	s.curve(shade(s.hull), 0.02, 0.04, 0.5, 0.035, 0.86, 0.045, 0.84, 0.0, 0.74, -0.012, 0.4, -0.015, 0.02, -0.012)
}

func (s *ship) cruiser() {
	s.curve(white, 0.20, 0.10, 0.24, 0.155, 0.36, 0.16, 0.6, 0.20, 0.88, 0.155, 0.9, 0.12, 0.88, 0.1, 0.5, 0.08, 0.20, 0.10)
	s.shape(glass, 0.33, 0.165, 0.38, 0.255, 0.43, 0.258, 0.60, 0.178)
	s.curve(white, 0.21, 0.262, 0.3, 0.292, 0.46, 0.28, 0.5, 0.268, 0.51, 0.255, 0.36, 0.252, 0.21, 0.262)
	s.curve(white, 0.20, 0.12, 0.16, 0.24, 0.24, 0.275, 0.3, 0.28, 0.29, 0.262, 0.23, 0.2, 0.29, 0.12)
	s.bar(metal, 2.4, point{0.27, 0.285}, point{0.265, 0.345})
	x, y := s.at(0.30, 0.305)
	s.disc(white, 1, point{x, y}, point{0.022 * s.length, 0.011 * s.length})
	s.person(0.345, 0.15, 0.85, s.accent)
	s.curve(glass, 0.50, 0.125, 0.66, 0.165, 0.82, 0.13, 0.66, 0.115, 0.50, 0.125)
	s.bar(metal, 2, point{0.62, 0.19}, point{0.98, 0.205})
	for _, u := range []float64{0.64, 0.74, 0.84, 0.94} {
		s.bar(metal, 1.6, point{u, 0.14}, point{u, 0.195})
	}
	s.body(0.115, 0.165, 0.17)
	for _, u := range []float64{0.50, 0.57, 0.64, 0.71} {
		x, y := s.at(u, 0.085)
		s.disc(glass, 1, point{x, y}, point{0.018 * s.length, 0.008 * s.length})
	}
	s.shape(teak, -0.055, 0.015, -0.055, 0.03, 0.01, 0.032, 0.01, 0.015)
}

func (s *ship) pilothouse() {
	s.shape(white, 0.40, 0.10, 0.41, 0.29, 0.665, 0.295, 0.70, 0.10)
	s.curve(white, 0.66, 0.12, 0.7, 0.175, 0.86, 0.165, 0.92, 0.15, 0.93, 0.1, 0.8, 0.1, 0.66, 0.12)
	s.curve(mix(white, s.accent, 0.12), 0.20, 0.292, 0.4, 0.318, 0.71, 0.305, 0.72, 0.29, 0.45, 0.285, 0.20, 0.292)
	s.bar(metal, 3, point{0.22, 0.1}, point{0.22, 0.295})
	for _, w := range [][4]float64{{0.425, 0.505, 0.505, 0.425}, {0.52, 0.585, 0.585, 0.52}, {0.60, 0.66, 0.645, 0.60}} {
		s.shape(glass, w[0], 0.195, w[1], 0.195, w[2], 0.268, w[3], 0.268)
	}
	s.shape(mix(s.accent, dark, 0.1), 0.43, 0.31, 0.435, 0.365, 0.475, 0.365, 0.485, 0.31) // stack or radar base
	s.bar(metal, 2.4, point{0.53, 0.31}, point{0.52, 0.44})
	s.bar(metal, 2, point{0.49, 0.39}, point{0.555, 0.395})
	x, y := s.at(0.575, 0.322)
	s.disc(white, 1, point{x, y}, point{0.024 * s.length, 0.012 * s.length})
	s.person(0.30, 0.105, 0.9, rgb(0xd8a13c))
	s.bar(metal, 2, point{0.70, 0.2}, point{0.98, 0.225})
	for _, u := range []float64{0.72, 0.82, 0.92} {
		s.bar(metal, 1.6, point{u, 0.15}, point{u, 0.21})
	}
	s.body(0.115, 0.185, 0.10)
}

func (s *ship) flybridge() {
	s.shape(white, 0.20, 0.10, 0.22, 0.245, 0.62, 0.25, 0.72, 0.10)
	s.shape(glass, 0.25, 0.165, 0.255, 0.225, 0.60, 0.23, 0.66, 0.165)
	for _, u := range []float64{0.36, 0.47, 0.57} {
		s.bar(white, 4, point{u, 0.16}, point{u + 0.004, 0.235})
	}
	s.curve(white, 0.14, 0.245, 0.4, 0.262, 0.62, 0.25, 0.66, 0.262, 0.63, 0.305, 0.5, 0.285, 0.20, 0.28, 0.14, 0.275, 0.14, 0.245)
	s.shape(mix(glass, white, 0.2), 0.52, 0.30, 0.50, 0.345, 0.515, 0.345, 0.62, 0.302)
	s.person(0.44, 0.285, 0.8, s.accent)
	s.bar(metal, 3, point{0.30, 0.28}, point{0.30, 0.40})
	s.bar(metal, 3, point{0.50, 0.29}, point{0.50, 0.40})
	s.curve(mix(s.accent, white, 0.75), 0.26, 0.40, 0.4, 0.425, 0.56, 0.405, 0.4, 0.395, 0.26, 0.40)
	s.bar(dark, 1.6, point{0.30, 0.30}, point{0.13, 0.52}) // outriggers
	s.bar(dark, 1.6, point{0.34, 0.30}, point{0.22, 0.53})
	s.curve(white, 0.66, 0.12, 0.72, 0.175, 0.86, 0.165, 0.95, 0.16, 0.95, 0.1, 0.8, 0.1, 0.66, 0.12)
	s.bar(metal, 2, point{0.70, 0.2}, point{0.985, 0.222})
	for _, u := range []float64{0.72, 0.82, 0.92} {
		s.bar(metal, 1.6, point{u, 0.15}, point{u, 0.21})
	}
	s.body(0.105, 0.19, 0.16)
}
