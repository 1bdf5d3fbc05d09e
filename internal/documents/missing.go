package documents

import (
	"slices"

	"slipway/internal/deals"
)

// MissingDocument is a document that a deal still needs.
type MissingDocument struct {
	_ struct{} `doc:"A document that a deal still needs."`

	Kind            DocumentKind `json:"kind" doc:"Type of document."`
	Title           string       `json:"title" doc:"Usual title." example:"Bill of Sale" privacy:"plain"`
	RequiredSigners []SignerRole `json:"required_signers" nullable:"false" doc:"Roles that must sign."`
}

// MissingDocuments are the documents that a deal still needs.
type MissingDocuments struct {
	_ struct{} `doc:"The documents that a deal still needs, in the order of a sale."`

	Data []MissingDocument `json:"data" nullable:"false" doc:"The documents. Empty if none is missing."`
}

// IssuedDocuments are documents that were issued together.
type IssuedDocuments struct {
	_ struct{} `doc:"Documents that were issued together."`

	Data []Document `json:"data" nullable:"false" doc:"The documents, in the order of a sale."`
}

// usual returns the documents of a deal like this one, in the order of a sale.
func (f facts) usual() (kinds []DocumentKind) {
	add := func(applies bool, kind DocumentKind) {
		if applies {
			kinds = append(kinds, kind)
		}
	}
	financed := f.deal.DealType == deals.Finance && f.structure != nil
	add(true, PurchaseAgreement)
	add(f.deal.PaidCents > 0, "deposit_receipt")
	add(financed, "retail_installment_contract")
	add(f.structure != nil && len(f.structure.Products) > 0, "product_contract")
	add(slices.ContainsFunc(f.trades, func(t deals.TradeIn) bool { return t.PayoffCents > 0 }), "payoff_authorization")
	add(len(f.trades) > 0, "trade_title")
	add(len(f.exemptions()) > 0, "exemption_affidavit")
	add(true, "bill_of_sale")
	add(f.isForOwner(), "settlement_statement")
	return kinds
}

// missing returns the usual documents that don't exist and can be issued.
func (f facts) missing(existing []Document) []MissingDocument {
	all := []MissingDocument{}
	for _, kind := range f.usual() {
		form := forms[kind]
		exists := slices.ContainsFunc(existing, func(d Document) bool { return d.Kind == kind && d.Status != Voided })
		if exists || f.checkForm(kind, form) != nil {
			continue
		}
		all = append(all, MissingDocument{Kind: kind, Title: form.title, RequiredSigners: append([]SignerRole{}, form.signers...)})
	}
	return all
}
