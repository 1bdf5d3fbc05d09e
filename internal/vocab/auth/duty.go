package auth

// Duty is a step that users can only take if they are managers.
type Duty string

// The duties.
const (
	Exception Duty = "exception" // an exception to a rule: for managers, and for credentials with the admin scope
	Payout    Duty = "payout"    // money that is paid out or booked: for managers if a user does it
)

// Allows reports whether a caller can take the step. A program has the scopes that an
// administrator gave it, so it can book money, but it doesn't make exceptions.
func (d Duty) Allows(p Principal) bool {
	return d == "" || p.Manager || p.Can(Admin) || d == Payout && !p.Personal
}

// Doc is a sentence about who can take the step, for the description of an operation.
func (d Duty) Doc() string {
	switch d {
	case Exception:
		return "Requires the scope admin, or a user with a role for managers."
	case Payout:
		return "A user needs a role for managers, or the scope admin."
	}
	return ""
}
