// Package assist says what assistants and other programs can do with an operation: read
// it, propose it so that a person decides, or neither.
package assist

// Rule is the decision about an operation. The zero Rule means that nobody has decided,
// and so no.
type Rule struct {
	kind kind
	why  string
}

type kind string

const (
	read    kind = "read"
	propose kind = "propose"
	never   kind = "never"
)

var (
	// Read is for what assistants can read within their scopes.
	Read = Rule{kind: read}
	// Propose is for an operation that can be proposed. Its route says what it would do, so
	// that a person can judge it.
	Propose = Rule{kind: propose}
)

// Never is for an operation that only people and their own programs use. The reason
// completes "It ...".
func Never(why string) Rule { return Rule{kind: never, why: why} }

// Why assistants can't use an operation.
const (
	Campaigns      = "sends messages to many people"
	ChangesNothing = "changes nothing. Call it directly"
	Consents       = "records or revokes consent, or decides about it"
	Credentials    = "manages credentials or secrets"
	Decides        = "decides about proposals"
	Deletes        = "deletes or merges records permanently"
	Exports        = "exports personal data"
	Files          = "needs or returns a file"
	Money          = "records, returns or reverses money"
	Resolves       = "says what a person found out about a message"
	Settings       = "changes the settings of the dealership"
	Signs          = "signs or voids a document"
	Twin           = "has the ID of an operation of /v1. Use that one"
	Users          = "manages users and roles"
	Webhooks       = "manages webhooks"
)

// Decided reports whether there is a decision.
func (r Rule) Decided() bool { return r.kind != "" }

// CanRead reports whether assistants can read it.
func (r Rule) CanRead() bool { return r.kind == read }

// CanPropose reports whether it can be proposed.
func (r Rule) CanPropose() bool { return r.kind == propose }

// Why returns the reason why it can't be proposed.
func (r Rule) Why() string {
	if r.why == "" {
		return ChangesNothing
	}
	return r.why
}

// String is the rule in the description: read, propose, or nothing.
func (r Rule) String() string {
	if r.kind == never {
		return ""
	}
	return string(r.kind)
}
