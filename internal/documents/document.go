// Package documents issues the documents of a deal as PDFs and records who
// signed them.
package documents

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Document is a PDF of a deal and the record of its signatures. The PDF never
// changes.
type Document struct {
	_ struct{} `doc:"A document of a deal: the record of a PDF and its signatures." columns:"id number kind title status signed_at / deal_id page_count:PAGES size_bytes created_at"`

	Env             auth.Env            `json:"-" db:"env"`
	ID              string              `json:"id" db:"id" doc:"Identifies the document. Starts with doc_." example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Number          int64               `json:"number" db:"number" doc:"Number of the document for people, printed on each page. Increases with each document of the dealership, from 1001." example:"1042" since:"next"`
	DealID          string              `json:"deal_id" db:"deal_id" doc:"Deal that the document belongs to." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind            DocumentKind        `json:"kind" db:"kind" doc:"Type of document. It decides the content of the PDF and the usual signers." since:"next settlement_statement=bill_of_sale exemption_affidavit=title_application"`
	Title           string              `json:"title" db:"title" doc:"Title on the first page." example:"Purchase Agreement" privacy:"personal,sale"`
	Status          DocumentStatus      `json:"status" db:"status" doc:"Whether the document is waiting for signatures, signed by all required signers, or voided."`
	RequiredSigners []SignerRole        `json:"required_signers" db:"required_signers,json" nullable:"false" doc:"Roles that must sign."`
	Signatures      []DocumentSignature `json:"signatures" db:"signatures,json" nullable:"false" doc:"Signatures that were recorded, oldest first." privacy:"personal,sale"`
	Origin          DocumentOrigin      `json:"origin" db:"origin" doc:"Whether Slipway created the content or you uploaded it." since:"next"`
	ContentType     string              `json:"content_type" db:"content_type" doc:"Media type of the content." example:"application/pdf" audit:"-" privacy:"plain"`
	SHA256          string              `json:"sha256" db:"sha256" privacy:"plain" doc:"SHA-256 hash of the content in hexadecimal."`
	SizeBytes       int64               `json:"size_bytes" db:"size_bytes" doc:"Size of the content in bytes."`
	PageCount       int64               `json:"page_count" db:"page_count" doc:"Number of pages of an issued PDF. 0 for an uploaded document."`
	SupersedesID    *string             `json:"supersedes_id" db:"supersedes_id" doc:"Document that this one replaces. Null if it replaces none."`
	VoidReason      *string             `json:"void_reason" db:"void_reason" doc:"Why the document was voided. Null unless it is voided."`
	VoidedAt        *time.Time          `json:"voided_at" db:"voided_at" doc:"When the document was voided. Null unless it is voided."`
	SignedAt        *time.Time          `json:"signed_at" db:"signed_at" doc:"When the last signature was recorded. Null until all required signers have signed."`
	IssuedBy        auth.Actor          `json:"issued_by" db:"issued_by,json" doc:"User, key or app that issued the document."`
	Blob            *string             `json:"-" db:"blob"`  // key of an uploaded file
	HIN             *string             `json:"-" db:"hin"`   // that it states; nil if the boat had none
	Terms           *string             `json:"-" db:"terms"` // hash of the terms that it states, if it states agreed terms
	Version         int64               `json:"version" db:"version" doc:"Number of the current version of the record. The PDF never changes."`
	CreatedAt       time.Time           `json:"created_at" db:"created_at" doc:"When the document was issued."`
	UpdatedAt       time.Time           `json:"updated_at" db:"updated_at" doc:"When a signature or a status was last recorded."`
}

// Revision returns the version for the ETag.
func (d Document) Revision() int64 { return d.Version }

// DocumentSignature is one signature on a document.
type DocumentSignature struct {
	_ struct{} `doc:"One signature on a document."`

	SignerRole SignerRole `json:"signer_role" doc:"Role in which the person signs. It must be one of the required signers."`
	SignerName string     `json:"signer_name" doc:"Name of the person who signed." example:"Ann Bell"`
	SignedAt   time.Time  `json:"signed_at" doc:"When the person signed."`
	IP         *string    `json:"ip" doc:"IP address of an online signature. Null for a signature on paper."`
}

// DocumentOrigin is where the content of a document is from.
type DocumentOrigin string

// The origins of documents.
const (
	FromSlipway DocumentOrigin = "issued"
	FromUpload  DocumentOrigin = "uploaded"
)

var documentOrigins = enum.Of("DocumentOrigin", "Where the content of a document is from.",
	FromSlipway, FromUpload)

func (DocumentOrigin) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return documentOrigins.Describe(s)
}

// DocumentStatus is the progress of the signatures.
type DocumentStatus string

// The statuses of a document.
const (
	Issued          DocumentStatus = "issued"
	PartiallySigned DocumentStatus = "partially_signed"
	FullySigned     DocumentStatus = "signed"
	Voided          DocumentStatus = "voided"
)

var documentStatuses = enum.Of("DocumentStatus", "Whether a document is signed.",
	Issued, PartiallySigned, FullySigned, Voided)

func (DocumentStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return documentStatuses.Describe(s)
}

// SignerRole is the role of a signer.
type SignerRole string

// The roles of signers.
const (
	ByBuyer   SignerRole = "buyer"
	ByCoBuyer SignerRole = "co_buyer"
	ByDealer  SignerRole = "dealer"
	ByLender  SignerRole = "lender"
)

var signerRoles = enum.Of("SignerRole", "Role in which a person signs a document.",
	ByBuyer, ByCoBuyer, ByDealer, ByLender)

func (SignerRole) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return signerRoles.Describe(s)
}

// DocumentIssue is the request body for issuing a document.
type DocumentIssue struct {
	_ struct{} `doc:"A document to create from the current state of a deal."`

	Kind            DocumentKind  `json:"kind" doc:"Type of document. It decides the content of the PDF and the usual signers." since:"next settlement_statement=bill_of_sale exemption_affidavit=title_application"`
	Title           *string       `json:"title" required:"false" minLength:"1" maxLength:"200" doc:"Defaults to the usual title of this kind."`
	RequiredSigners []SignerRole  `json:"required_signers,omitempty" maxItems:"4" uniqueItems:"true" doc:"Roles that must sign. Defaults to the usual signers of this kind, including the co-buyer if the deal has one."`
	SupersedesID    *string       `json:"supersedes_id" required:"false" maxLength:"64" doc:"Document of the same kind to replace. It is voided."`
	Lines           []DueBillLine `json:"lines,omitempty" maxItems:"40" doc:"Parts and services that the dealership owes the buyer. Only for a due_bill. Without lines, it has blank ones to fill in by hand." since:"next"`
}

// DueBillLine is a part or a service that the dealership owes the buyer.
type DueBillLine struct {
	_ struct{} `doc:"A part or a service that the dealership owes the buyer."`

	Description string  `json:"description" minLength:"1" maxLength:"200" doc:"Part or service." example:"Install the second battery"`
	DueOn       *string `json:"due_on" required:"false" format:"date" doc:"Date by which it is due. Null if none was agreed." example:"2026-12-15"`
}

// document builds the record, before the PDF is rendered.
func (i DocumentIssue) document(f facts, by auth.Actor) (Document, error) {
	form := forms[i.Kind]
	if len(i.Lines) > 0 && i.Kind != "due_bill" {
		var bad fault.Fields
		bad.Add("lines", "exclusive", "must be omitted unless the kind is due_bill")
		return Document{}, bad.Err()
	}
	if err := f.checkForm(i.Kind, form); err != nil {
		return Document{}, err
	}

	d := Document{
		Kind: i.Kind, Title: form.title, Status: Issued, RequiredSigners: slices.Clone(form.signers), Signatures: []DocumentSignature{},
		SupersedesID: i.SupersedesID, IssuedBy: by, Origin: FromSlipway, ContentType: contentType, HIN: f.hull.HIN,
	}
	if i.Title != nil {
		d.Title = *i.Title
	}
	if form.requires.offer {
		d.Terms = new(termsOf(f.deal, f.trades, f.listing))
	}
	switch {
	case i.RequiredSigners != nil:
		d.RequiredSigners = i.RequiredSigners
	case f.coBuyer != nil && slices.Contains(form.signers, ByBuyer):
		d.RequiredSigners = slices.Insert(d.RequiredSigners, 1, ByCoBuyer)
	}
	if d.RequiredSigners == nil {
		d.RequiredSigners = []SignerRole{}
	}

	if slices.Contains(d.RequiredSigners, ByCoBuyer) && f.coBuyer == nil {
		var bad fault.Fields
		bad.Add("required_signers", "not_found", "includes co_buyer, but the deal has no co-buyer")
		return d, bad.Err()
	}
	return d, nil
}

// checkForm fails if the deal doesn't have the data that the document requires.
func (f facts) checkForm(kind DocumentKind, form form) error {
	var missing fault.Fields
	if f.deal.Status == deals.Cancelled {
		missing.Add("status", "state", "is cancelled")
	}
	if form.requires.offer && f.deal.AcceptedOfferID == nil {
		missing.Add("accepted_offer_id", "state", "is required for a %s: accept an offer first", kind)
	}
	if form.requires.structure && f.structure == nil {
		missing.Add("selected_structure_id", "state", "is required for a %s", kind)
	}
	if form.requires.trade && len(f.trades) == 0 {
		missing.Add("trade_ins", "state", "must have at least one trade-in for a %s", kind)
	}
	if form.requires.newBoat && f.hull.Condition != "new" {
		missing.Add("hull.condition", "state", "must be new for a %s, but is %s", kind, f.hull.Condition)
	}
	f.checkOwner(&missing, kind, form.requires)
	if form.requires.exempt && len(f.exemptions()) == 0 {
		missing.Add("taxes", "state", "must have an exempt_reason for a %s", kind)
	}
	if form.requires.payment && f.deal.PaidCents <= 0 {
		missing.Add("totals.paid_cents", "state", "must be more than 0 for a %s", kind)
	}
	if len(missing) == 0 {
		return nil
	}
	c := fault.Conflict("The %s can't be issued: %s", kind, fault.Sentence(missing))
	c.Details = missing
	return c
}

// checkOwner fails if the document names the seller and the owner of the boat is unknown: the
// dealership can't warrant the title of someone else's boat.
func (f facts) checkOwner(missing *fault.Fields, kind DocumentKind, r requires) {
	switch {
	case r.listing && !f.isForOwner():
		missing.Add("hull.ownership", "state", "must be consignment or brokerage for a %s", kind)
	case !r.owner || !f.isForOwner():
	case f.owner == nil:
		missing.Add("hull.listing_agreement", "state", "is required for a %s: the boat is sold for its owner, who is the seller", kind)
	case f.listing.EndsOn != nil && *f.listing.EndsOn < f.deal.CreatedAt.In(f.today.Location()).Format(time.DateOnly):
		missing.Add("hull.listing_agreement", "state", "ended on %s, before the deal was created", formatDate(*f.listing.EndsOn))
	}
}

// DocumentSign is the request body for recording a signature.
type DocumentSign struct {
	_ struct{} `doc:"A signature to record."`

	SignerRole SignerRole `json:"signer_role" doc:"Role in which the person signs. It must be one of the required signers."`
	SignerName string     `json:"signer_name" minLength:"1" maxLength:"200" doc:"Name of the person who signed." example:"Ann Bell"`
	SignedAt   *time.Time `json:"signed_at" required:"false" doc:"Defaults to the current time."`
	IP         *string    `json:"ip" required:"false" maxLength:"45" doc:"IP address of an online signature."`
}

// Check validates what the schema can't express.
func (s DocumentSign) Check(now time.Time) error {
	var bad fault.Fields
	if s.SignedAt != nil && s.SignedAt.After(now) {
		bad.Add("signed_at", "maximum", "must not be in the future")
	}
	return bad.Err()
}

// checkTerms fails if the deal has changed since the document was issued. Its
// signature would agree to terms that the deal doesn't have.
func (d Document) checkTerms(deal deals.Deal, trades []deals.TradeIn, listing *deals.ListingAgreement) error {
	if d.Terms == nil || d.Status == Voided || *d.Terms == termsOf(deal, trades, listing) {
		return nil
	}
	return fault.Conflict("The terms of the deal have changed since the document was issued. Issue it again with supersedes_id.").
		Detail("document_id", "stale", "states earlier terms of the deal")
}

// sign adds a signature. With the last required one, the document is signed.
func (d *Document) sign(s DocumentSign, now time.Time) error {
	if err := s.Check(now); err != nil {
		return err
	}
	hasSigned := slices.ContainsFunc(d.Signatures, func(other DocumentSignature) bool { return other.SignerRole == s.SignerRole })
	switch {
	case d.Status == Voided:
		return fault.Conflict("The document is voided. You can't sign it.").Detail("status", "state", "is voided")
	case hasSigned:
		return fault.Conflict("The %s has already signed.", s.SignerRole).Detail("signer_role", "state", "has already signed")
	case !slices.Contains(d.RequiredSigners, s.SignerRole):
		return fault.Conflict("The %s is not a required signer of this document.", s.SignerRole).
			Detail("signer_role", "state", "must be one of: %s", rolesText(d.RequiredSigners))
	}

	signed := DocumentSignature{SignerRole: s.SignerRole, SignerName: s.SignerName, SignedAt: now, IP: s.IP}
	if s.SignedAt != nil {
		signed.SignedAt = s.SignedAt.UTC().Truncate(time.Millisecond)
	}
	d.Signatures = append(slices.Clone(d.Signatures), signed)
	d.Status = PartiallySigned
	if len(d.Signatures) == len(d.RequiredSigners) {
		d.Status, d.SignedAt = FullySigned, &now
	}
	return nil
}

func rolesText(all []SignerRole) string {
	if len(all) == 0 {
		return "(none)"
	}
	text := fmt.Sprint(all)
	return text[1 : len(text)-1]
}

// DocumentVoid is the request body for voiding a document.
type DocumentVoid struct {
	_ struct{} `doc:"Why a document is voided."`

	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why the document is voided. It becomes void_reason."`
}

// void voids the document. The purchase agreement of a contracted deal can't be
// voided.
func (d *Document) void(reason string, deal deals.Deal, now time.Time) error {
	if d.Status == Voided {
		return fault.Conflict("The document is already voided.").Detail("status", "state", "is voided")
	}
	voidable := []deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Cancelled}
	if d.isAgreementOf(deal) && !slices.Contains(voidable, deal.Status) {
		return fault.Conflict("The deal is %s. You can't void its purchase agreement.", deal.Status).
			Detail("status", "state", "can't be voided while the deal is %s", deal.Status)
	}

	d.Status, d.VoidReason, d.VoidedAt = Voided, &reason, &now
	return nil
}

// isAgreementOf reports whether the document is the signed purchase agreement of
// the deal.
func (d Document) isAgreementOf(deal deals.Deal) bool {
	return deal.SignedAgreementID != nil && *deal.SignedAgreementID == d.ID
}
