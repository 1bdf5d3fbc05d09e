package documents

import (
	"errors"
	"fmt"
	"time"

	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/fault"
)

// executed returns the PDF with a page that lists its signatures. It starts with the
// bytes that were signed.
func (f facts) executed(d Document, signed []byte) ([]byte, error) {
	if d.Status != FullySigned || len(d.Signatures) == 0 {
		return nil, fault.Conflict("The document is %s. It is executed when everyone has signed it.", d.Status).
			Detail("status", "state", "must be signed")
	}

	last := d.Signatures[0].SignedAt
	for _, s := range d.Signatures {
		if s.SignedAt.After(last) {
			last = s.SignedAt
		}
	}
	head := pdf.Head{
		Issuer: f.company.Name, Address: f.letterhead(), Title: "Record of Signatures", ID: d.ID,
		Number: fmt.Sprintf("Document %d, deal %d", d.Number, f.deal.Number), Issued: last.In(f.today.Location()),
	}
	content, err := pdf.Append(signed, head, func(p *pdf.Page) { signaturePage(p, f, d) })
	if u, ok := errors.AsType[*pdf.Unprintable](err); ok {
		return nil, fault.Conflict("No font of the server has %q.", u.Char).
			Detail("signatures", "unprintable", "have %q, which no font of the server has", u.Char)
	}
	return content, err
}

var roleNames = map[SignerRole]string{ByBuyer: "Buyer", ByCoBuyer: "Co-buyer", ByDealer: "Dealer", ByLender: "Lender"}

func signaturePage(p *pdf.Page, f facts, d Document) {
	p.Paragraph("Everyone whose signature is required has signed the document below. The pages before this one are the document that was " +
		"signed. This file starts with its bytes, so that their SHA-256 hash can be checked.")
	p.Heading("Document")
	p.Fields(
		pdf.Field{Name: "Title", Value: d.Title}, pdf.Field{Name: "Document number", Value: fmt.Sprint(d.Number)},
		pdf.Field{Name: "Pages", Value: fmt.Sprint(d.PageCount)}, pdf.Field{Name: "Size", Value: fmt.Sprintf("%d bytes", d.SizeBytes)},
		pdf.Field{Name: "SHA-256 hash", Value: d.SHA256[:32] + "\n" + d.SHA256[32:]}, pdf.Field{Name: "Document ID", Value: d.ID},
	)
	p.Heading("Signatures")
	var rows [][]string
	for _, s := range d.Signatures {
		at := s.SignedAt.In(f.today.Location()).Format("Jan 2, 2006, 3:04:05 PM MST") + "\n" + s.SignedAt.UTC().Format(time.RFC3339)
		rows = append(rows, []string{s.SignerName, roleNames[s.SignerRole], at, or(s.IP, "On paper")})
	}
	p.Table([]pdf.Column{{Name: "Name", Share: 4}, {Name: "Role", Share: 2}, {Name: "Time", Share: 4}, {Name: "IP address", Share: 3}},
		pdf.Rows{Rows: rows})
}
