package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/vocab/auth"
)

// long returns facts with long names, many line items and many products.
func long() facts {
	f := everything()
	f.buyer.FirstName = new("Wilhelmina Alexandra Konstantina Maria")
	f.buyer.Address.Line1 = new("Building 14, Slip 1207, Old Harbor Yacht Club, 12 Straße des 17. Juni")
	f.hull.Model = "Freedom 235 Limited Edition Tournament Package with Tower"
	f.hull.StockNumber = new("GW-1042-2024-ANNAPOLIS-EAST-0001")
	for i := range 12 {
		f.deal.LineItems = append(f.deal.LineItems, deals.DealLineItem{Kind: "accessory", AmountCents: 12500, Taxable: new(true),
			Description: new(fmt.Sprintf("Accessory number %d with a long description that needs more than one line on the page, installed", i+1))})
	}
	f.trades = append(f.trades, deals.TradeIn{Year: new(int64(2009)), Make: new("Sea Ray"), Model: new("Sundancer 310 with hardtop"),
		HIN: new("SERV1234A909"), AllowanceCents: 0, PayoffCents: 0})
	for _, kind := range []finance.ProductKind{"tire_wheel", "gelcoat_protection", "prop_protection", "credit_life", "disability"} {
		f.structure.Products = append(f.structure.Products, finance.FinanceProduct{Kind: kind, Provider: new("Mid-Atlantic Marine Protection Company"),
			PriceCents: 49900, TermMonths: new(int64(84)), Financed: true})
	}
	return f
}

// render returns the PDF of each kind that the facts allow.
func render(t *testing.T, f facts) map[DocumentKind][]byte {
	t.Helper()
	all := map[DocumentKind][]byte{}
	for _, kind := range allKinds.Values {
		f := allowing(f, kind)
		doc, err := DocumentIssue{Kind: kind}.document(f, auth.System)
		if err != nil {
			continue
		}
		doc.ID, doc.Number = "doc_01jcqz8t5n8m2x4v6b7c9d0e1f", 1207
		if all[kind], _, err = f.render(doc); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	return all
}

// Writes each kind with long, usual and little data as PDFs to look at. Set SLIPWAY_PAPERS to
// a folder.
func TestWritePapers(t *testing.T) {
	folder := os.Getenv("SLIPWAY_PAPERS")
	if folder == "" {
		folder = t.TempDir()
	}
	brokerage := allowing(everything(), "settlement_statement")
	brokerage.listing.EscrowHolder = new("Harbor Escrow")
	for name, f := range map[string]facts{"long": long(), "usual": everything(), "short": bare(), "brokerage": brokerage, "order": onOrder()} {
		for kind, pdf := range render(t, f) {
			if err := os.WriteFile(filepath.Join(folder, strings.Join([]string{string(kind), name, "pdf"}, ".")), pdf, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
