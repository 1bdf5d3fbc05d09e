// Package documents issues the documents of a deal as PDFs and records who
// signed them.
package documents

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Document is a paper of a deal: a PDF that never changes, and who signed it.
type Document struct {
	Env             auth.Env            `json:"-" db:"env"`
	ID              string              `json:"id" db:"id" example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID          string              `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind            DocumentKind        `json:"kind" db:"kind"`
	Title           string              `json:"title" db:"title" example:"Purchase Agreement"`
	Status          DocumentStatus      `json:"status" db:"status" enum:"issued,partially_signed,signed,voided"`
	RequiredSigners []SignerRole        `json:"required_signers" db:"required_signers,json" nullable:"false" enum:"buyer,co_buyer,dealer,lender"`
	Signatures      []DocumentSignature `json:"signatures" db:"signatures,json" nullable:"false" audit:"-"`
	ContentType     string              `json:"content_type" example:"application/pdf" audit:"-"`
	SHA256          string              `json:"sha256" db:"sha256" doc:"Of the PDF, in hexadecimal."`
	SizeBytes       int64               `json:"size_bytes" db:"size_bytes"`
	PageCount       int64               `json:"page_count" db:"page_count"`
	SupersedesID    *string             `json:"supersedes_id" db:"supersedes_id" doc:"The document that it took the place of."`
	VoidReason      *string             `json:"void_reason" db:"void_reason"`
	VoidedAt        *time.Time          `json:"voided_at" db:"voided_at"`
	SignedAt        *time.Time          `json:"signed_at" db:"signed_at" doc:"When the last signature was recorded."`
	IssuedBy        auth.Actor          `json:"issued_by" db:"issued_by,json"`
	Version         int64               `json:"version" db:"version" doc:"Counts the changes of the record; the PDF never changes."`
	CreatedAt       time.Time           `json:"created_at" db:"created_at"`
	UpdatedAt       time.Time           `json:"updated_at" db:"updated_at"`
}

// Revision is the document's version.
func (d Document) Revision() int64 { return d.Version }

// DocumentSignature is one signature on a document.
type DocumentSignature struct {
	SignerRole SignerRole `json:"signer_role" enum:"buyer,co_buyer,dealer,lender"`
	SignerName string     `json:"signer_name" example:"Ann Bell"`
	SignedAt   time.Time  `json:"signed_at"`
	IP         *string    `json:"ip" doc:"Where the signature came from, if it was given online."`
}

// DocumentStatus is how far the signatures are.
type DocumentStatus string

// The statuses of a document.
const (
	Issued          DocumentStatus = "issued"
	PartiallySigned DocumentStatus = "partially_signed"
	AllSigned       DocumentStatus = "signed"
	Voided          DocumentStatus = "voided"
)

// SignerRole is as what somebody signs.
type SignerRole string

// The roles in which documents are signed.
const (
	ByBuyer   SignerRole = "buyer"
	ByCoBuyer SignerRole = "co_buyer"
	ByDealer  SignerRole = "dealer"
	ByLender  SignerRole = "lender"
)

// DocumentIssue asks for a document.
type DocumentIssue struct {
	Kind            DocumentKind `json:"kind"`
	Title           *string      `json:"title" required:"false" minLength:"1" maxLength:"200" doc:"Without it: the kind's usual title."`
	RequiredSigners []SignerRole `json:"required_signers,omitempty" maxItems:"4" uniqueItems:"true" enum:"buyer,co_buyer,dealer,lender" doc:"Who has to sign. Without it: whoever usually signs this kind, with the co-buyer if there is one."`
	SupersedesID    *string      `json:"supersedes_id" required:"false" maxLength:"64" doc:"A document of the same kind that this one takes the place of: it is voided."`
}

// document makes the record, before it is set in type.
func (i DocumentIssue) document(f facts, by auth.Actor) (Document, error) {
	form := forms[i.Kind]
	if err := f.may(i.Kind, form); err != nil {
		return Document{}, err
	}
	d := Document{
		Kind: i.Kind, Title: form.title, Status: Issued, RequiredSigners: slices.Clone(form.signers), Signatures: []DocumentSignature{},
		SupersedesID: i.SupersedesID, IssuedBy: by,
	}
	if i.Title != nil {
		d.Title = *i.Title
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
		bad.Add("required_signers", "not_found", "names a co-buyer, and the deal has none")
		return d, bad.Err()
	}
	return d, nil
}

// may says whether a deal has what a kind of document is about.
func (f facts) may(kind DocumentKind, form form) error {
	var missing fault.Fields
	if f.deal.Status == deals.Cancelled {
		missing.Add("status", "state", "is cancelled")
	}
	if form.needs.structure && f.structure == nil {
		missing.Add("selected_structure_id", "state", "is missing: a %s needs a selected finance structure", kind)
	}
	if form.needs.trade && len(f.trades) == 0 {
		missing.Add("trade_ins", "state", "are missing: a %s is about a trade-in", kind)
	}
	if form.needs.payment && f.deal.PaidCents <= 0 {
		missing.Add("totals.paid_cents", "state", "is 0: a %s is about money that was paid", kind)
	}
	if len(missing) == 0 {
		return nil
	}
	c := fault.Conflict("The %s cannot be issued: %s", kind, fault.Sentence(missing))
	c.Details = missing
	return c
}

// DocumentSign records a signature.
type DocumentSign struct {
	SignerRole SignerRole `json:"signer_role" enum:"buyer,co_buyer,dealer,lender"`
	SignerName string     `json:"signer_name" minLength:"1" maxLength:"200" example:"Ann Bell"`
	SignedAt   *time.Time `json:"signed_at" required:"false" doc:"Without it: now."`
	IP         *string    `json:"ip" required:"false" maxLength:"45" doc:"Where an online signature came from."`
}

// Check says what the schema cannot.
func (s DocumentSign) Check(now time.Time) error {
	var bad fault.Fields
	if s.SignedAt != nil && s.SignedAt.After(now) {
		bad.Add("signed_at", "maximum", "must not be in the future")
	}
	return bad.Err()
}

// sign adds a signature. The last one that is required makes the document
// signed.
func (d *Document) sign(s DocumentSign, now time.Time) error {
	if err := s.Check(now); err != nil {
		return err
	}
	switch {
	case d.Status == Voided:
		return fault.Conflict("The document is voided.").Detail("status", "state", "is voided")
	case slices.ContainsFunc(d.Signatures, func(known DocumentSignature) bool { return known.SignerRole == s.SignerRole }):
		return fault.Conflict("The %s has signed already.", s.SignerRole).Detail("signer_role", "state", "has signed already")
	case !slices.Contains(d.RequiredSigners, s.SignerRole):
		return fault.Conflict("The document is not for the %s to sign.", s.SignerRole).Detail("signer_role", "state", "must be one of %s", roles(d.RequiredSigners))
	}
	signed := DocumentSignature{SignerRole: s.SignerRole, SignerName: s.SignerName, SignedAt: now, IP: s.IP}
	if s.SignedAt != nil {
		signed.SignedAt = s.SignedAt.UTC().Truncate(time.Millisecond)
	}
	d.Signatures = append(slices.Clone(d.Signatures), signed)
	d.Status = PartiallySigned
	if len(d.Signatures) == len(d.RequiredSigners) {
		d.Status, d.SignedAt = AllSigned, &now
	}
	return nil
}

func roles(all []SignerRole) string {
	if len(all) == 0 {
		return "nobody"
	}
	text := fmt.Sprint(all)
	return text[1 : len(text)-1]
}

// DocumentVoid ends a document.
type DocumentVoid struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

// void ends the document. The agreement that a contracted deal rests on stays.
func (d *Document) void(reason string, deal deals.Deal, now time.Time) error {
	switch {
	case d.Status == Voided:
		return fault.Conflict("The document is voided already.").Detail("status", "state", "is voided")
	case d.binds(deal) && deal.Status != deals.Open && deal.Status != deals.Accepted && deal.Status != deals.InFinance && deal.Status != deals.Cancelled:
		return fault.Conflict("The deal is %s by this agreement.", deal.Status).Detail("status", "state", "is that of the agreement of a deal that is %s", deal.Status)
	}
	d.Status, d.VoidReason, d.VoidedAt = Voided, &reason, &now
	return nil
}

// binds reports whether the document is the signed agreement of the deal.
func (d Document) binds(deal deals.Deal) bool {
	return deal.SignedAgreementID != nil && *deal.SignedAgreementID == d.ID
}
