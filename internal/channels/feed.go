package channels

import (
	"cmp"
	"io"
	"slices"
	"time"

	"slipway/internal/dealership"
)

// shop is what all listings of a dealership share.
type shop struct {
	id, name string
	party    string // its number at the marketplace, or ""
	url      string // of this installation
	lots     []dealership.Location
	print    string    // changes with the shared data
	changed  time.Time // when the listings last changed, for formats that show it
}

// partyID returns how a marketplace names the dealership.
func (s shop) partyID() string { return cmp.Or(s.party, s.id) }

// format is a way to write listings.
type format struct {
	mediaType string
	extension string
	preOrders bool // whether it can offer boats that have not arrived
	open      func(io.Writer) writer
}

// writer writes a document of listings. A partner receives each listing as a separate
// document.
type writer interface {
	begin(s shop) error
	write(l listing) error
	end() error
}

var formats = map[Format]format{
	"json":       {"application/ld+json", "json", true, newJSON},
	"xml":        {"application/xml", "xml", true, newXML},
	"csv":        {"text/csv; charset=utf-8", "csv", true, newCSV},
	"openmarine": {"application/xml", "xml", false, newOpenMarine},
	"boatstream": {"application/xml", "xml", false, newBoatStream},
}

// boatsGroup are the marketplaces that read BoatStream.
var boatsGroup = []Kind{"boat_trader", "yachtworld", "boats_com"}

// format returns the format of the channel. With xml, the kind decides.
func (c Channel) format() format {
	if c.Format == "xml" && slices.Contains(boatsGroup, c.Kind) {
		return formats["boatstream"]
	}
	return formats[c.Format]
}

// render writes a document of one listing.
func (f format) render(w io.Writer, l listing) error {
	out := f.open(w)
	if j, ok := out.(*jsonWriter); ok {
		return j.alone(l)
	}
	if err := out.begin(l.shop); err != nil {
		return err
	}
	if err := out.write(l); err != nil {
		return err
	}
	return out.end()
}
