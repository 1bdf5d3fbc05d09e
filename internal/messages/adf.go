package messages

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"strings"
)

// An ADF document (Auto-lead Data Format) has the inquiry of one customer. Marketplaces send it as
// the text of an email. Only what Slipway reads is here.
type adfDocument struct {
	Prospects []adfProspect `xml:"prospect"`
}

type adfProspect struct {
	Vehicles []adfVehicle `xml:"vehicle"`
	Customer struct {
		Contact  adfContact `xml:"contact"`
		Comments string     `xml:"comments"`
	} `xml:"customer"`
	Provider struct {
		Name    string `xml:"name"`
		Service string `xml:"service"`
	} `xml:"provider"`
}

type adfVehicle struct {
	Interest string `xml:"interest,attr"`
	Year     string `xml:"year"`
	Make     string `xml:"make"`
	Model    string `xml:"model"`
	VIN      string `xml:"vin"`
	HIN      string `xml:"hin"`
	Stock    string `xml:"stock"`
	Comments string `xml:"comments"`
}

type adfContact struct {
	Names  []adfName `xml:"name"`
	Email  string    `xml:"email"`
	Phones []string  `xml:"phone"`
}

type adfName struct {
	Part string `xml:"part,attr"`
	Text string `xml:",chardata"`
}

// parseADF reads the first prospect of an ADF document in a text, which can have other text around it. It
// returns false if there is none.
func parseADF(text string) (form, bool) {
	start := strings.Index(strings.ToLower(text), "<adf")
	if start < 0 { // some senders escape it
		if text = html.UnescapeString(text); !strings.Contains(strings.ToLower(text), "<adf") {
			return form{}, false
		}
		start = strings.Index(strings.ToLower(text), "<adf")
	}
	d := xml.NewDecoder(strings.NewReader(text[start:]))
	d.Strict = false // entities that aren't declared, and tags that aren't closed
	d.AutoClose = xml.HTMLAutoClose
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var doc adfDocument
	if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) || len(doc.Prospects) == 0 {
		return form{}, false
	}
	return doc.Prospects[0].form(), true
}

func (p adfProspect) form() form {
	f := form{
		email: oneOf(p.Customer.Contact.Email), phone: oneOf(p.Customer.Contact.Phones...), comments: strings.TrimSpace(p.Customer.Comments),
		provider: oneOf(p.Provider.Name, p.Provider.Service),
	}
	for _, n := range p.Customer.Contact.Names {
		switch text := oneOf(n.Text); strings.ToLower(n.Part) {
		case "first":
			f.first = text
		case "last":
			f.last = text
		case "", "full":
			f.full = text
		}
	}

	for _, v := range p.Vehicles {
		if strings.EqualFold(v.Interest, "trade-in") {
			continue
		}
		f.boat = formBoat{year: oneOf(v.Year), make: oneOf(v.Make), model: oneOf(v.Model), hin: oneOf(v.HIN, v.VIN), stock: oneOf(v.Stock)}
		if f.comments == "" {
			f.comments = strings.TrimSpace(v.Comments)
		}
		break
	}
	return f
}

// oneOf returns the first text that is not blank, on one line.
func oneOf(texts ...string) string {
	for _, t := range texts {
		if line := strings.Join(strings.Fields(t), " "); line != "" {
			return line
		}
	}
	return ""
}
