package deals

import (
	"fmt"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// order lists the statuses of a deal that is not cancelled.
var order = []Status{Open, Accepted, InFinance, Contracted, Funded, Delivered, Closed}

// DealNext is what a deal requires for each later status.
type DealNext struct {
	_ struct{} `doc:"The later statuses of a deal, with what each requires."`

	DealID  string     `json:"deal_id" doc:"ID of the deal." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Status  Status     `json:"status" doc:"Current status of the deal."`
	Default *Status    `json:"default" doc:"Status that advance changes to by default. Null if the status can't change, or an offer must be accepted first."`
	Steps   []DealStep `json:"steps" nullable:"false" doc:"The later statuses, in order. Empty if the deal is closed or cancelled."`
}

// DealStep is whether a deal can advance to a status now.
type DealStep struct {
	_ struct{} `doc:"Whether a deal can advance to a status now."`

	To      Status        `json:"to" doc:"Status to advance to."`
	Allowed bool          `json:"allowed" doc:"Whether the deal can advance to this status now."`
	Missing []DealMissing `json:"missing" nullable:"false" doc:"What the deal requires first. Empty if the step is allowed."`
}

// DealMissing is something that a deal requires before it can advance.
type DealMissing struct {
	_ struct{} `doc:"Something that a deal requires before it can advance."`

	Code    MissingCode `json:"code" doc:"What is missing, for programs."`
	Message string      `json:"message" doc:"What to do, for people." example:"Everyone must sign the purchase agreement."`

	field, detail string // of the error of advance
}

// MissingCode is what a deal requires before it can advance.
type MissingCode string

// The values.
const (
	missingOffer     MissingCode = "accepted_offer"
	missingStatus    MissingCode = "earlier_status"
	missingAgreement MissingCode = "signed_agreement"
	missingStructure MissingCode = "selected_structure"
	missingFunding   MissingCode = "funding"
	missingPayment   MissingCode = "payment"
	missingHIN       MissingCode = "hin"
	missingReissue   MissingCode = "agreement_hin"
)

var allMissingCodes = enum.Of("DealMissingCode", "What a deal requires before it can advance. agreement_hin means that the purchase agreement must be issued again, because it is from before the boat had its HIN.",
	missingOffer, missingStatus, missingAgreement, missingStructure, missingFunding, missingPayment, missingHIN, missingReissue)

func (MissingCode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allMissingCodes.Describe(s)
}

// details returns the requirements as details of an error.
func details(all []DealMissing) (bad fault.Fields) {
	for _, m := range all {
		bad.Add(m.field, "state", "%s", m.detail)
	}
	return bad
}

// requirements is what a step depends on besides the deal.
type requirements struct {
	rules    dealership.Settings
	hull     hulls.Hull
	writeOff bool
}

// next returns what the deal requires for each later status.
func (d Deal) next(r requirements) DealNext {
	n := DealNext{DealID: d.ID, Status: d.Status, Steps: []DealStep{}}
	if to := d.nextStatus(); to != "" {
		n.Default = &to
	}
	at := slices.Index(order, d.Status)
	if at < 0 {
		return n
	}
	for _, to := range order[at+1:] {
		step := DealStep{To: to, Missing: []DealMissing{}}
		if d.checkAdvance(to) != nil {
			step.Missing = append(step.Missing, d.before(to))
		}
		step.Missing = append(step.Missing, d.missing(to, r)...)
		step.Allowed = len(step.Missing) == 0
		n.Steps = append(n.Steps, step)
	}
	return n
}

// before returns the step that a deal requires before a status that it can't advance
// to directly.
func (d Deal) before(to Status) DealMissing {
	if d.Status == Open {
		return DealMissing{Code: missingOffer, Message: "Accept an offer first."}
	}
	var from []string
	for _, s := range order {
		if slices.Contains(next[s], to) {
			from = append(from, string(s))
		}
	}
	message := "The deal must be " + from[0] + " first."
	if len(from) == 2 {
		message = "The deal must be " + from[0] + " or " + from[1] + " first."
	}
	return DealMissing{Code: missingStatus, Message: message}
}

// missing lists what the deal requires before it can have a status.
func (d Deal) missing(to Status, r requirements) (missing []DealMissing) {
	switch to {
	case Contracted:
		if d.SignedAgreementID == nil {
			missing = append(missing, DealMissing{
				Code: missingAgreement, Message: "Everyone must sign the purchase agreement.",
				field: "signed_agreement_id", detail: "is required: everyone must sign the purchase agreement",
			})
		}
		if d.DealType == Finance && d.SelectedStructureID == nil {
			missing = append(missing, DealMissing{
				Code: missingStructure, Message: "Select a finance structure.", field: "selected_structure_id", detail: "is required: select a finance structure",
			})
		}
	case Funded:
		if !r.writeOff {
			missing = d.unpaid()
		}
	case Delivered:
		if d.Status == Contracted && !r.rules.AllowDeliveryBeforeFunding {
			missing = append(missing, DealMissing{
				Code: missingStatus, Message: "The dealership does not allow delivery before funding.",
				field: "status", detail: "must be funded, because the dealership does not allow delivery before funding",
			})
		}
		missing = append(missing, d.unidentified(r.hull)...)
	case Closed:
		if r.writeOff {
			break
		}
		if d.FundedAt == nil && d.DealType == Finance { // delivered before funding
			missing = d.unpaid()
		}
		if due := d.Totals.BalanceDueCents; due > d.lostCents() { // not what was written off before
			missing = append(missing, DealMissing{
				Code: missingPayment, Message: money.Format(due) + " is due. Record the payments, or write the balance off.",
				field: "totals.balance_due_cents", detail: fmt.Sprintf("must be 0 or less but is %d; record the payments, or send write_off_reason", due),
			})
		}
	}
	return missing
}

// unidentified lists what is missing because the boat was sold before it had its HIN.
func (d Deal) unidentified(h hulls.Hull) []DealMissing {
	switch {
	case h.HIN == nil && h.HINAbsentReason == nil:
		return []DealMissing{{
			Code: missingHIN, Message: "The boat has no HIN yet. Enter it. Then issue the purchase agreement again.",
			field: "hull_id", detail: "refers to a hull without a hin or a hin_absent_reason",
		}}
	case d.NeedsAgreement(h.HIN):
		return []DealMissing{{
			Code: missingReissue, Message: "The purchase agreement doesn't state the HIN of the boat. Issue it again, and have everyone sign it.",
			field: "signed_agreement_id", detail: "must state the hin of the hull; issue the purchase agreement again",
		}}
	}
	return nil
}

// unpaid lists what must be paid.
func (d Deal) unpaid() []DealMissing {
	switch due := d.Totals.BalanceDueCents; {
	case d.DealType == Finance && d.FundingState != FundingFunded:
		return []DealMissing{{
			Code: missingFunding, Message: "The lender must fund the deal.", field: "funding_state", detail: fmt.Sprintf("must be funded but is %s", d.FundingState),
		}}
	case d.DealType != Finance && due > 0:
		return []DealMissing{{
			Code: missingPayment, Message: money.Format(due) + " is due. Record the payments, or write the balance off.", field: "totals.balance_due_cents", detail: fmt.Sprintf("must be 0 but is %d; record the payments, or send write_off_reason", due),
		}}
	}
	return nil
}
