package deals

import (
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
)

// DescribeRestructure says what another finance structure does to a contracted deal.
func DescribeRestructure(caller auth.Principal, e *effect.ProposalEffect, d Described, after Deal) {
	if d.Status != Contracted || after.TotalCents() == d.TotalCents() {
		return
	}
	e.Change("Total", d.ID, effect.Cents(d.TotalCents()), effect.Cents(after.TotalCents()))
	e.Change("Deal", d.ID, effect.Word(d.Status), effect.Word(Accepted))
	warnManagers(caller, e, auth.Exception, exception{rule: "new_total", text: "The purchase agreement is voided. Everyone must sign a new one."})
}

// exception is a step that only managers can take.
type exception struct{ rule, text string }

// warnManagers warns of a step that only managers can take, and says whether the caller,
// who proposes it, is one.
func warnManagers(caller auth.Principal, e *effect.ProposalEffect, d auth.Duty, x exception) {
	if !d.Allows(caller) {
		x.text = mayNot(caller, x.text, "Managers")
	}
	e.Warn(effect.Danger, x.rule, x.text)
}

// mayNot adds whom a rule allows, and that it refuses the caller, who proposes it.
func mayNot(caller auth.Principal, text, who string) string {
	return text + " " + who + " may do this, " + caller.Actor.Label + " may not."
}
