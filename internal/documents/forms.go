package documents

import (
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/enum"
)

// DocumentKind is the kind of a document.
type DocumentKind string

// form is the layout of a kind of document, its usual signers, and what it
// requires of a deal.
type form struct {
	title    string
	signers  []SignerRole
	requires requires
	write    func(p *pdf.Page, f facts)
}

// requires lists what a deal must have. offer is an accepted offer: the document
// states a price that both sides agreed on. newBoat is a boat without an earlier
// owner: a manufacturer's or builder's statement is for the first sale.
// owner is the owner of a boat that is sold for someone else: the document names the seller,
// who signs it. listing is that there is such an owner. exempt is an exemption from a tax.
type requires struct{ offer, structure, trade, payment, newBoat, owner, listing, exempt bool }

var (
	both    = []SignerRole{ByBuyer, ByDealer}
	buyer   = []SignerRole{ByBuyer}
	dealer  = []SignerRole{ByDealer}
	lenders = []SignerRole{ByBuyer, ByLender}
)

// PurchaseAgreement is required before a deal can be contracted.
const PurchaseAgreement DocumentKind = "purchase_agreement"

// allKinds has the kinds in the order of a sale.
var allKinds = enum.Of("DocumentKind", "Type of document. It decides the content and the usual signers.",
	PurchaseAgreement, "buyers_order", "deposit_receipt", "bill_of_sale",
	"credit_application", "retail_installment_contract", "product_contract", "product_waiver", "privacy_notice",
	"payoff_authorization", "trade_title", "power_of_attorney", "title_application", "registration_application", "exemption_affidavit",
	"mso_boat", "mso_engine", "mso_trailer", "odometer", "insurance_binder", "survey", "sea_trial_acceptance",
	"delivery_checklist", "due_bill", "settlement_statement",
	"uscg_cg1258", "uscg_cg1261", "uscg_cg1340", "preferred_mortgage", "satisfaction_of_mortgage",
)

func (DocumentKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	s.Examples = []any{string(PurchaseAgreement)}
	return allKinds.Describe(s)
}

// forms has a form for each kind.
var forms = map[DocumentKind]form{
	PurchaseAgreement:             {"Purchase Agreement", both, requires{offer: true, owner: true}, purchaseAgreement},
	"settlement_statement":        {"Settlement Statement", dealer, requires{offer: true, owner: true, listing: true}, settlementStatement},
	"buyers_order":                {"Buyer's Order", both, requires{owner: true}, buyersOrder},
	"deposit_receipt":             {"Deposit Receipt", dealer, requires{payment: true}, depositReceipt},
	"bill_of_sale":                {"Bill of Sale", both, requires{offer: true, owner: true}, billOfSale},
	"credit_application":          {"Credit Application", buyer, requires{}, creditApplication},
	"retail_installment_contract": {"Retail Installment Contract", both, requires{offer: true, structure: true, owner: true}, installmentContract},
	"product_contract":            {"Product Contract", both, requires{structure: true}, productContract},
	"product_waiver":              {"Product Waiver", buyer, requires{}, productWaiver},
	"privacy_notice":              {"Privacy Notice", buyer, requires{}, privacyNotice},
	"payoff_authorization":        {"Payoff Authorization", buyer, requires{trade: true}, payoffAuthorization},
	"trade_title":                 {"Trade-In Title Transfer", both, requires{trade: true}, tradeTitle},
	"power_of_attorney":           {"Limited Power of Attorney", buyer, requires{}, powerOfAttorney},
	"title_application":           {"Title Application", buyer, requires{owner: true}, titleApplication},
	"exemption_affidavit":         {"Affidavit of Tax Exemption", buyer, requires{offer: true, exempt: true}, exemptionAffidavit},
	"registration_application":    {"Registration Application", buyer, requires{}, registrationApplication},
	"mso_boat":                    {"MSO Assignment: Boat", dealer, requires{newBoat: true}, msoBoat},
	"mso_engine":                  {"MSO Assignment: Engine", dealer, requires{newBoat: true}, msoEngine},
	"mso_trailer":                 {"MSO Assignment: Trailer", dealer, requires{newBoat: true}, msoTrailer},
	"odometer":                    {"Odometer Statement", both, requires{}, odometer},
	"insurance_binder":            {"Insurance Information", buyer, requires{}, insuranceBinder},
	"survey":                      {"Marine Survey Record", buyer, requires{}, survey},
	"sea_trial_acceptance":        {"Sea Trial Acceptance", both, requires{}, seaTrial},
	"delivery_checklist":          {"Delivery Checklist", both, requires{}, deliveryChecklist},
	"due_bill":                    {"Due Bill (We Owe)", both, requires{}, dueBill},
	"uscg_cg1258":                 {"Data Sheet for CG-1258, Application for Documentation", nil, requires{}, documentationApplication},
	"uscg_cg1261":                 {"Data Sheet for CG-1261, Builder's Certification", nil, requires{newBoat: true}, buildersCertification},
	"uscg_cg1340":                 {"Data Sheet for CG-1340, Bill of Sale", nil, requires{offer: true, owner: true}, coastGuardBillOfSale},
	"preferred_mortgage":          {"Preferred Ship Mortgage Data Sheet", lenders, requires{structure: true}, preferredMortgage},
	"satisfaction_of_mortgage":    {"Satisfaction of Mortgage", []SignerRole{ByLender}, requires{}, satisfaction},
}
