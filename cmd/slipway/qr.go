package main

import (
	"strings"

	"rsc.io/qr"
)

// quietZone is the white border that scanners need, in squares.
const quietZone = 2

// qrCode draws a QR code in a terminal, black on white. A line of half blocks has two
// rows of squares.
func qrCode(text string) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for y := -quietZone; y < code.Size+quietZone; y += 2 {
		b.WriteString("  \x1b[30;107m")
		for x := -quietZone; x < code.Size+quietZone; x++ {
			b.WriteString(halfBlock(code.Black(x, y), code.Black(x, y+1)))
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String(), nil
}

func halfBlock(upper, lower bool) string {
	switch {
	case upper && lower:
		return "█"
	case upper:
		return "▀"
	case lower:
		return "▄"
	}
	return " "
}
