package documents

import "slipway/internal/platform/pdf"

// DocumentKind is what a document is for.
type DocumentKind string

// form is how a kind of document looks, who signs it, and what a deal must
// have for it.
type form struct {
	title   string
	signers []SignerRole
	needs   needs
	write   func(p *pdf.Page, f facts)
}

type needs struct{ structure, trade, payment bool }

var (
	both    = []SignerRole{ByBuyer, ByDealer}
	buyer   = []SignerRole{ByBuyer}
	dealer  = []SignerRole{ByDealer}
	lenders = []SignerRole{ByBuyer, ByLender}
)

// PurchaseAgreement is the kind of document that a deal is contracted by.
const PurchaseAgreement DocumentKind = "purchase_agreement"

// kinds are all kinds of documents, in the order of a deal.
var kinds = []DocumentKind{
	PurchaseAgreement, "buyers_order", "deposit_receipt", "bill_of_sale",
	"credit_application", "retail_installment_contract", "product_contract", "product_waiver", "privacy_notice",
	"payoff_authorization", "trade_title", "power_of_attorney", "title_application", "registration_application",
	"mso_boat", "mso_engine", "mso_trailer", "odometer", "insurance_binder", "survey", "sea_trial_acceptance",
	"delivery_checklist", "due_bill",
	"uscg_cg1258", "uscg_cg1261", "uscg_cg1340", "preferred_mortgage", "satisfaction_of_mortgage",
}

// forms has one form for every kind.
var forms = map[DocumentKind]form{
	PurchaseAgreement:             {"Purchase Agreement", both, needs{}, purchaseAgreement},
	"buyers_order":                {"Buyer's Order", both, needs{}, buyersOrder},
	"deposit_receipt":             {"Deposit Receipt", dealer, needs{payment: true}, depositReceipt},
	"bill_of_sale":                {"Bill of Sale", both, needs{}, billOfSale},
	"credit_application":          {"Credit Application", buyer, needs{}, creditApplication},
	"retail_installment_contract": {"Retail Installment Contract", both, needs{structure: true}, installmentContract},
	"product_contract":            {"Product Contract", both, needs{structure: true}, productContract},
	"product_waiver":              {"Product Waiver", buyer, needs{}, productWaiver},
	"privacy_notice":              {"Privacy Notice", buyer, needs{}, privacyNotice},
	"payoff_authorization":        {"Payoff Authorization", buyer, needs{trade: true}, payoffAuthorization},
	"trade_title":                 {"Trade-In Title Transfer", both, needs{trade: true}, tradeTitle},
	"power_of_attorney":           {"Limited Power of Attorney", buyer, needs{}, powerOfAttorney},
	"title_application":           {"Title Application", buyer, needs{}, titleApplication},
	"registration_application":    {"Registration Application", buyer, needs{}, registrationApplication},
	"mso_boat":                    {"MSO Assignment: Boat", dealer, needs{}, msoBoat},
	"mso_engine":                  {"MSO Assignment: Engine", dealer, needs{}, msoEngine},
	"mso_trailer":                 {"MSO Assignment: Trailer", dealer, needs{}, msoTrailer},
	"odometer":                    {"Odometer Statement", both, needs{}, odometer},
	"insurance_binder":            {"Insurance Information", buyer, needs{}, insuranceBinder},
	"survey":                      {"Marine Survey Record", buyer, needs{}, survey},
	"sea_trial_acceptance":        {"Sea Trial Acceptance", both, needs{}, seaTrial},
	"delivery_checklist":          {"Delivery Checklist", both, needs{}, deliveryChecklist},
	"due_bill":                    {"Due Bill (We Owe)", both, needs{}, dueBill},
	"uscg_cg1258":                 {"Data Sheet for CG-1258, Application for Documentation", nil, needs{}, documentationApplication},
	"uscg_cg1261":                 {"Data Sheet for CG-1261, Builder's Certification", nil, needs{}, buildersCertification},
	"uscg_cg1340":                 {"Data Sheet for CG-1340, Bill of Sale", nil, needs{}, coastGuardBillOfSale},
	"preferred_mortgage":          {"Preferred Ship Mortgage Data Sheet", lenders, needs{structure: true}, preferredMortgage},
	"satisfaction_of_mortgage":    {"Satisfaction of Mortgage", []SignerRole{ByLender}, needs{}, satisfaction},
}
