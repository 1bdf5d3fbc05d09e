package images

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

var (
	errCut   = io.ErrUnexpectedEOF
	errBroke = errors.New("the structure is broken")
)

// structure is what walking through a file finds.
type structure struct {
	turn        orientation
	scans       int     // of a JPEG
	progressive bool    // a JPEG whose scans refine each other
	components  int     // of a JPEG
	rgb         bool    // a JPEG that is not stored as brightness and color
	samples     float64 // of a JPEG: per pixel, of all components
	interlaced  bool    // a PNG in several passes
	profile     []byte  // how its colors are meant (ICC)
}

// maxMeta limits how much metadata is read to find the orientation and the profile.
const maxMeta = 64 << 10

// walkJPEG reads the markers up to the end of the image. It ignores data after
// that, such as the second picture of some phones.
func walkJPEG(r *bufio.Reader) (found structure, err error) {
	var profile profileParts
	if _, err := r.Discard(2); err != nil {
		return found, err
	}
	for {
		marker, err := nextMarker(r)
		if err != nil {
			return found, err
		}
		if marker == 0xd9 {
			if found.scans == 0 {
				return found, errBroke
			}
			return found, nil
		}
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd7 {
			continue
		}
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return found, errCut
		}
		n := int(binary.BigEndian.Uint16(size[:])) - 2
		if n < 0 {
			return found, errBroke
		}
		exif, adobe, icc := marker == 0xe1 && found.turn == 0, marker == 0xee, marker == 0xe2
		frame := marker >= 0xc0 && marker <= 0xc2
		if !exif && !adobe && !icc && !frame {
			if _, err := r.Discard(n); err != nil {
				return found, errCut
			}
			if marker == 0xda {
				found.scans++
			}
			continue
		}

		segment := make([]byte, n)
		if _, err := io.ReadFull(r, segment); err != nil {
			return found, errCut
		}
		switch {
		case frame:
			found.progressive = marker == 0xc2
			found.components, found.samples = samplesIn(segment)
			found.rgb = found.rgb || n >= 13 && segment[6] == 'R' && segment[9] == 'G' && segment[12] == 'B'
		case adobe && n >= 12 && string(segment[:5]) == "Adobe":
			found.rgb = found.rgb || segment[11] == 0
		case exif && n > 6 && string(segment[:6]) == "Exif\x00\x00":
			found.turn = orientationIn(segment[6:])
		case icc:
			profile.add(segment)
			found.profile = profile.profile()
		}
	}
}

// samplesIn returns the number of components in the header of a frame, and their
// samples per pixel. Components can have a lower resolution than the picture.
func samplesIn(frame []byte) (components int, samples float64) {
	if len(frame) < 6 {
		return 0, 0
	}
	total, largest := 0, 1
	for c := frame[6:]; len(c) >= 3; c = c[3:] {
		area := int(c[1]>>4) * int(c[1]&15)
		total, largest = total+area, max(largest, area)
		components++
	}
	return components, float64(total) / float64(largest)
}

// nextMarker skips to the next marker. In the data of a scan, FF 00 is an
// escaped byte and not a marker.
func nextMarker(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		for err == nil && b != 0xff {
			b, err = r.ReadByte()
		}
		for err == nil && b == 0xff {
			b, err = r.ReadByte()
		}
		if err != nil {
			return 0, errCut
		}
		if b != 0 {
			return b, nil
		}
	}
}

// walkPNG checks all chunks.
func walkPNG(r *bufio.Reader) (found structure, err error) {
	if _, err := r.Discard(8); err != nil {
		return found, errCut
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return found, errCut
		}
		n, kind := int64(binary.BigEndian.Uint32(head[:4])), string(head[4:])
		sum := crc32.NewIEEE()
		sum.Write(head[4:])
		body := io.TeeReader(io.LimitReader(r, n), sum)
		if (kind == "eXIf" || kind == "IHDR" || kind == "iCCP") && n <= maxMeta {
			data, err := io.ReadAll(body)
			if err != nil {
				return found, errCut
			}
			switch kind {
			case "eXIf":
				found.turn = orientationIn(data)
			case "iCCP":
				found.profile = unpackProfile(data)
			default:
				found.interlaced = len(data) == 13 && data[12] == 1
			}
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return found, errCut
		}
		var want [4]byte
		if _, err := io.ReadFull(r, want[:]); err != nil {
			return found, errCut
		}
		if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
			return found, errBroke
		}
		if kind == "IEND" {
			return found, nil
		}
	}
}

// walkWebP checks the chunks that the header declares.
func walkWebP(r *bufio.Reader) (found structure, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return found, errCut
	}
	for left := int64(binary.LittleEndian.Uint32(head[4:8])) - 4; left > 0; {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return found, errCut
		}
		n, kind := int64(binary.LittleEndian.Uint32(chunk[4:])), string(chunk[:4])
		left -= 8 + n + n&1 // chunks are padded to even sizes
		if kind == "ANIM" {
			return found, reject("type", "must not be animated")
		}
		if (kind == "EXIF" || kind == "ICCP") && n <= maxMeta {
			meta := make([]byte, n)
			if _, err := io.ReadFull(r, meta); err != nil {
				return found, errCut
			}
			if kind == "EXIF" {
				found.turn = orientationIn(meta)
			} else {
				found.profile = meta
			}
			n = 0
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return found, errCut
		}
		if chunk[4]&1 == 1 {
			_, _ = r.Discard(1) // some encoders omit the last padding
		}
	}
	return found, nil
}

// orientationIn returns the orientation in EXIF data. If the data is invalid, the
// picture counts as upright.
func orientationIn(tiff []byte) orientation {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:8]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at : at+2]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 {
			if o := orientation(order.Uint16(entries[8:10])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
