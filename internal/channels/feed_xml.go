package channels

import (
	"encoding/xml"
	"io"
	"strconv"

	"slipway/internal/vocab/null"
	"slipway/internal/vocab/wire"
)

// xmlStream writes an XML document whose items are not in memory together. The
// encoder replaces characters that XML doesn't have.
type xmlStream struct {
	enc  *xml.Encoder
	open []xml.StartElement
}

// The encoder flushes after each item. It would also flush a bufio.Writer that it
// recognizes.
func newStream(w io.Writer) *xmlStream {
	return &xmlStream{enc: xml.NewEncoder(struct{ io.Writer }{w})}
}

// start writes the XML declaration and opens the elements around the items.
func (x *xmlStream) start(elements ...xml.StartElement) error {
	if len(x.open) == 0 {
		if err := x.enc.EncodeToken(xml.ProcInst{Target: "xml", Inst: []byte(`version="1.0" encoding="UTF-8"`)}); err != nil {
			return err
		}
	}
	for _, e := range elements {
		if err := x.enc.EncodeToken(e); err != nil {
			return err
		}
		x.open = append(x.open, e)
	}
	return nil
}

// item writes an element in a line of its own.
func (x *xmlStream) item(v any) error {
	if err := x.enc.EncodeToken(xml.CharData("\n")); err != nil {
		return err
	}
	return x.enc.Encode(v)
}

// end closes the elements.
func (x *xmlStream) end() error {
	if err := x.enc.EncodeToken(xml.CharData("\n")); err != nil {
		return err
	}
	for i := len(x.open) - 1; i >= 0; i-- {
		if err := x.enc.EncodeToken(x.open[i].End()); err != nil {
			return err
		}
	}
	return x.enc.Flush()
}

// element returns the start of an element. Attributes are names and values.
func element(name string, attrs ...string) xml.StartElement {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i < len(attrs); i += 2 {
		e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: attrs[i]}, Value: attrs[i+1]})
	}
	return e
}

// xmlWriter writes the XML of Slipway. Its elements have the names of CSV columns.
type xmlWriter struct{ *xmlStream }

func newXML(w io.Writer) writer { return &xmlWriter{newStream(w)} }

func (x *xmlWriter) begin(s shop) error { return x.start(element("listings", "seller", s.name)) }

// xmlBoat is a boat. Unknown values are omitted.
type xmlBoat struct {
	XMLName    xml.Name    `xml:"boat"`
	ID         string      `xml:"id,attr"`
	Modified   string      `xml:"modified,attr"`
	Fields     []xmlField  `xml:",any"`
	Engines    []xmlEngine `xml:"engine"`
	Highlights []string    `xml:"highlight"`
	Photos     []xmlPhoto  `xml:"photo"`
}

type xmlField struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

type xmlEngine struct {
	Position  string `xml:"position,attr,omitempty"`
	Make      string `xml:"make,omitempty"`
	Model     string `xml:"model,omitempty"`
	Year      string `xml:"year,omitempty"`
	HP        string `xml:"power_hp,omitempty"`
	Hours     string `xml:"hours,omitempty"`
	Fuel      string `xml:"fuel,omitempty"`
	Type      string `xml:"type,omitempty"`
	Drive     string `xml:"drive,omitempty"`
	Propeller string `xml:"propeller,omitempty"`
}

type xmlPhoto struct {
	Position string  `xml:"position,attr"`
	SHA256   string  `xml:"sha256,attr"`
	Modified string  `xml:"modified,attr"`
	Caption  *string `xml:"caption,attr"`
	URL      string  `xml:",chardata"`
}

func (x *xmlWriter) write(l listing) error {
	boat := xmlBoat{ID: l.ID, Modified: l.UpdatedAt.Format(wire.TimeFormat), Highlights: l.highlights()}
	for _, f := range fields {
		if text := f.text(l); text != "" {
			boat.Fields = append(boat.Fields, xmlField{xml.Name{Local: f.name}, text})
		}
	}
	for _, e := range l.engines() {
		boat.Engines = append(boat.Engines, xmlEngine{
			null.String(e.Position), null.Text(e.Make), null.Text(e.Model), whole(e.Year), decimal(e.HP), decimal(e.Hours),
			null.String(e.Fuel), null.String(e.Type), null.String(e.Drive), null.Text(e.Propeller),
		})
	}
	for i, p := range l.photos {
		boat.Photos = append(boat.Photos, xmlPhoto{
			strconv.Itoa(i + 1), p.SHA256, p.UpdatedAt.Format(wire.TimeFormat), p.Caption, p.URLs.Full,
		})
	}
	return x.item(boat)
}
