package images

import (
	"bytes"
	"image/png"
	"io"
)

// logoLongest is the longer side of a logo, which is enough to print it.
const logoLongest = 1200

// Logo validates an image and returns a small PNG of it, upright, in sRGB colors
// and without metadata. Transparency is kept.
func Logo(file io.ReadSeeker) ([]byte, error) {
	p, err := Inspect(file)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := p.decode(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, shrink(img, logoLongest))
	return b.Bytes(), err
}
