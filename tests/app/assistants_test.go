package app

import (
	"slices"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

// Each route says whether assistants can read or propose it, or why not. A new one is not
// offered until someone decides.
func TestAssistantsAreDecided(t *testing.T) {
	r := app.Routes()
	stable, preview, _ := r.Surfaces()
	all := slices.Concat(stable.Operations, preview.Operations)
	for _, op := range all {
		rule := op.Assist
		switch {
		case !rule.Decided():
			t.Errorf("the route of %s must have Assist: assist.Read, assist.Propose or assist.Never", op.ID)
		case rule.CanRead() != (op.Method == "GET") && rule.String() != "":
			t.Errorf("%s is a %s, so assistants can't %s it", op.ID, op.Method, rule)
		case rule.CanPropose() && op.Accepts.Types != nil:
			t.Errorf("%s needs a file, so it can't be proposed", op.ID)
		case rule.CanPropose() && forAdministrators(op):
			t.Errorf("%s is for administrators and developers, so it can't be proposed", op.ID)
		case rule.CanPropose() != (op.Effect != nil):
			t.Errorf("%s must have an Effect exactly if it can be proposed", op.ID)
		case rule.String() != "" && r.FindOperation(op.ID) != op:
			t.Errorf("%s shares its ID with an operation of /v1, so assistants can't choose it", op.ID)
		}
	}
}

func forAdministrators(op *rest.Operation) bool {
	return slices.ContainsFunc(op.Needs, func(set []auth.Scope) bool {
		return slices.Contains(set, auth.Admin) || slices.Contains(set, auth.Webhooks)
	})
}
