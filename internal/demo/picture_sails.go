package demo

import "image/color"

// rig draws a mast with a mainsail and a headsail. The foot of the mast is at u, v.
func (s *ship) rig(u, v, height, main, jib float64) {
	top := v + height
	cloth := mix(white, s.light.low, 0.18)
	boom := u - main
	s.curve(cloth, u-0.004, top-0.01, boom-0.035, v+height*0.42, boom, v+0.055, (boom+u)/2, v+0.035, u-0.004, v+0.055)
	for i := range 4 { // seams and battens
		h := v + 0.055 + (height-0.09)*float64(i+1)/5
		s.bar(mix(cloth, dark, 0.18), 1.3, point{u - 0.005, h}, point{u - 0.005 - main*1.08*(1-float64(i+1)/5.4), h - 0.01})
	}
	s.shape(s.accent, u-0.006, top-0.06, u-0.006, top-0.01, u-main*0.16, top-0.085)
	if jib > 0 {
		bow := u + jib
		s.curve(mix(cloth, s.light.deep, 0.07), u+0.012, top-height*0.12, u-0.03, v+height*0.3, u-0.05, v+0.045,
			(u+bow)/2, v+0.01, bow, v+0.025, u+jib*0.42, v+height*0.44, u+0.012, top-height*0.12)
		s.bar(dark, 1.2, point{bow, v + 0.02}, point{u, top})
	}
	s.bar(dark, 1.2, point{boom - 0.1, v - 0.01}, point{u, top})
	s.bar(metal, 4.2, point{u, v - 0.04}, point{u, top})
	s.bar(metal, 3.6, point{u, v + 0.048}, point{boom - 0.008, v + 0.042})
	s.shape(s.accent, u, top+0.004, u, top+0.024, u-0.05, top+0.016)
}

// keelboat draws a hull with long overhangs, a low cabin and rails.
func (s *ship) keelboat(cabinFrom, cabinTo float64) {
	s.curve(white, cabinFrom, 0.055, cabinFrom+0.02, 0.1, cabinFrom+0.09, 0.1, (cabinFrom+cabinTo)/2+0.05, 0.112, cabinTo, 0.062)
	for i := range 3 {
		u := cabinFrom + 0.1 + float64(i)*(cabinTo-cabinFrom-0.17)/3
		s.curve(glass, u, 0.078, u+0.025, 0.1, u+0.055, 0.079, u+0.025, 0.072, u, 0.078)
	}
	s.person(cabinFrom-0.07, 0.06, 0.85, s.accent)
	s.person(cabinFrom-0.15, 0.058, 0.85, rgb(0xd8a13c))
	s.curve(s.hull, 0.06, -0.014, -0.01, 0.03, -0.015, 0.068, 0.5, 0.046, 1.0, 0.098, 0.93, 0.02, 0.86, -0.014, 0.45, -0.02, 0.06, -0.014)
	s.curve(shade(s.hull), 0.06, -0.014, 0.02, 0.005, 0.005, 0.026, 0.5, 0.012, 0.915, 0.028, 0.9, 0.005, 0.86,
		-0.014, 0.45, -0.02, 0.06, -0.014)
	s.curve(s.accent, -0.013, 0.056, 0.5, 0.034, 0.985, 0.084, 0.97, 0.072, 0.965, 0.074, 0.5, 0.025, -0.011, 0.047)
	s.shape(mix(s.accent, dark, 0.4), 0.06, -0.013, 0.052, -0.002, 0.872, -0.002, 0.86, -0.013)
	for _, u := range []float64{0.02, 0.16, 0.62, 0.74, 0.86, 0.97} {
		s.bar(metal, 1.5, point{u, 0.06 + 0.03*u*u}, point{u, 0.108 + 0.03*u*u})
	}
	s.bar(metal, 1.3, point{0.02, 0.108}, point{0.16, 0.108})
	s.bar(metal, 1.3, point{0.62, 0.12}, point{0.97, 0.136})
}

func (s *ship) sloop() {
	s.narrow(0.82)
	s.rig(0.56, 0.08, 0.72, 0.36, 0.42)
	s.keelboat(0.30, 0.70)
}

func (s *ship) twoMasts() {
	s.narrow(0.86)
	s.rig(0.66, 0.08, 0.66, 0.32, 0.34)
	s.rig(0.20, 0.075, 0.44, 0.19, 0)
	s.keelboat(0.34, 0.74)
}

func (s *ship) daySailer() {
	s.narrow(0.72)
	s.rig(0.60, 0.07, 0.76, 0.42, 0.36)
	s.person(0.32, 0.075, 1.3, s.accent)
	s.curve(s.hull, 0.03, -0.014, 0, 0.04, 0, 0.085, 0.5, 0.065, 1, 0.11, 0.96, 0.02, 0.88, -0.014, 0.45, -0.02, 0.03, -0.014)
	s.curve(shade(s.hull), 0.03, -0.014, 0.01, 0.01, 0.006, 0.034, 0.5, 0.022, 0.94, 0.04, 0.92, 0.005, 0.88,
		-0.014, 0.45, -0.02, 0.03, -0.014)
	s.curve(teak, 0, 0.086, 0.5, 0.066, 1, 0.111, 0.985, 0.1, 0.98, 0.101, 0.5, 0.056, 0, 0.076)
}

func (s *ship) beachCat() {
	s.narrow(0.68)
	main, jib := s.accent, accents[1]
	if jib == main {
		jib = accents[4]
	}
	s.curve(main, 0.545, 0.86, 0.13, 0.5, 0.15, 0.14, 0.35, 0.12, 0.545, 0.14)
	s.curve(mix(main, white, 0.75), 0.545, 0.62, 0.3, 0.5, 0.17, 0.36, 0.3, 0.42, 0.545, 0.44)
	s.curve(jib, 0.57, 0.74, 0.55, 0.4, 0.60, 0.15, 0.75, 0.11, 0.93, 0.12, 0.75, 0.4, 0.57, 0.74)
	s.bar(metal, 4.4, point{0.555, 0.07}, point{0.555, 0.88})
	s.person(0.33, 0.09, 1.4, rgb(0xd8a13c))
	s.shape(dark, 0.12, 0.08, 0.12, 0.096, 0.66, 0.1, 0.66, 0.084)
	for _, lift := range []float64{0.012, -0.012} {
		s.curve(mix(s.hull, white, 0.3+lift*10), 0.02, 0.02+lift, 0.0, 0.075+lift, 0.04, 0.08+lift, 0.55, 0.07+lift, 0.99, 0.115+lift,
			0.97, 0.03+lift, 0.88, lift-0.01, 0.4, lift-0.016, 0.02, 0.02+lift)
	}
}

func (s *ship) catamaran() {
	s.narrow(0.9)
	s.rig(0.56, 0.17, 0.66, 0.40, 0.38)
	s.curve(white, 0.12, 0.1, 0.14, 0.2, 0.3, 0.2, 0.5, 0.215, 0.68, 0.12, 0.4, 0.09, 0.12, 0.1)
	s.curve(glass, 0.30, 0.135, 0.33, 0.185, 0.44, 0.183, 0.53, 0.17, 0.60, 0.132, 0.45, 0.13, 0.30, 0.135)
	s.shape(mix(white, s.accent, 0.1), 0.06, 0.205, 0.065, 0.22, 0.36, 0.222, 0.36, 0.205)
	s.bar(metal, 3, point{0.085, 0.1}, point{0.085, 0.21})
	s.person(0.20, 0.11, 0.85, s.accent)
	s.catHull(mix(shade(s.hull), s.light.deep, 0.12), 0.045, 0.012)
	s.catHull(s.hull, 0, 0)
	for _, u := range []float64{0.34, 0.46, 0.58} {
		s.curve(glass, u, 0.062, u+0.04, 0.074, u+0.08, 0.064, u+0.04, 0.056, u, 0.062)
	}
	s.curve(s.accent, 0.01, 0.05, 0.5, 0.038, 0.985, 0.072, 0.5, 0.028, 0.012, 0.04)
}

// catHull draws one of two hulls.
func (s *ship) catHull(fill color.RGBA, du, dv float64) {
	s.curve(fill, 0.01+du, dv-0.014, -0.03+du, 0.03+dv, 0.0+du, 0.05+dv, 0.06+du, 0.1+dv, 0.12+du, 0.105+dv,
		0.55+du, 0.095+dv, 1.0+du, 0.112+dv, 0.985+du, 0.03+dv, 0.965+du, dv-0.014, 0.5+du, dv-0.02, 0.01+du, dv-0.014)
}

// narrow makes room above the boat for the mast.
func (s *ship) narrow(share float64) {
	length := min(s.length*share, 520)
	s.left += (s.length - length) / 2
	s.length = length
}
