package images

import "slices"

// HEIC says what to do with pictures of iPhones. The only maintained decoder without
// C needs 300 MB and 6 s for 12 megapixels. See docs/decisions/0025-no-heic.md.
const HEIC = "HEIC pictures are not supported. Convert the picture to JPEG. To take JPEG pictures with an iPhone, " +
	"choose Settings > Camera > Formats > Most Compatible."

// heicBrands are the kinds of files that iPhones and some cameras write.
var heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"}

// isHEIC reports whether a file is a HEIC picture.
func isHEIC(head []byte) bool {
	return len(head) >= 12 && string(head[4:8]) == "ftyp" && slices.Contains(heicBrands, string(head[8:12]))
}
