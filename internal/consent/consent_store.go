package consent

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var consents = db.Table[Consent]{Name: "consents", Prefix: "cns", Noun: "consent"}

// Hash returns the keyed hash of an address. It differs between environments, and
// the address can't be found from it without the key.
func Hash(tx *db.Tx, env auth.Env, address string) []byte {
	return site.Of(tx).MAC(fmt.Appendf(nil, "address/%d/%s", env, address))
}

// Lock locks the records of an address until the transaction ends. Of two
// concurrent STOPs, the second sees the first.
func Lock(ctx context.Context, tx *db.Tx, hash []byte) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO consent_addresses (env, address_hash, changes) VALUES (?, ?, 1)
		ON CONFLICT (env, address_hash) DO UPDATE SET changes = consent_addresses.changes + 1`, tx.Env, hash)
	return err
}

// LockAddresses locks several addresses in a fixed order, to avoid deadlocks. It
// ignores "".
func LockAddresses(ctx context.Context, tx *db.Tx, addresses ...string) error {
	var hashes [][]byte
	for _, a := range addresses {
		if a != "" {
			hashes = append(hashes, Hash(tx, tx.Env, a))
		}
	}
	return lockAll(ctx, tx, hashes)
}

func lockAll(ctx context.Context, tx *db.Tx, hashes [][]byte) error {
	slices.SortFunc(hashes, bytes.Compare)
	for _, hash := range slices.CompactFunc(hashes, bytes.Equal) {
		if err := Lock(ctx, tx, hash); err != nil {
			return err
		}
	}
	return nil
}

// StandingOf returns the current consent for messages of a purpose.
func StandingOf(ctx context.Context, tx *db.Tx, hash []byte, channel Channel, purpose Scope) (Standing, error) {
	records, err := ListOfAddress(ctx, tx, hash, channel)
	return Fold(records, channel, purpose, tx.Now), err
}

// ListOfAddress returns all records of an address and a channel.
func ListOfAddress(ctx context.Context, tx *db.Tx, hash []byte, channel Channel) ([]Consent, error) {
	return db.All[Consent](ctx, tx, `SELECT {c.cols} FROM consent_bindings b JOIN consents c ON c.env = b.env AND c.id = b.id
		WHERE b.env = ? AND b.address_hash = ? AND b.channel = ?`, tx.Env, hash, channel)
}

// ListOfAddresses returns all records of addresses and a channel, by the hash of the address.
func ListOfAddresses(ctx context.Context, tx *db.Tx, hashes [][]byte, channel Channel) (map[string][]Consent, error) {
	type bound struct {
		AddressHash []byte `db:"address_hash"`
		ID          string `db:"id"`
	}
	found := map[string][]Consent{}
	marks, args := db.In(hashes)
	bindings, err := db.All[bound](ctx, tx, `SELECT address_hash, id FROM consent_bindings WHERE env = ? AND channel = ? AND address_hash IN `+marks,
		append([]any{tx.Env, channel}, args...)...)
	if err != nil {
		return nil, err
	}
	byID := map[string]Consent{}
	for _, part := range db.Chunks(bindings, 500) {
		var ids []string
		for _, b := range part {
			ids = append(ids, b.ID)
		}
		marks, args := db.In(ids)
		all, err := db.All[Consent](ctx, tx, `SELECT {cols} FROM consents WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			byID[c.ID] = c
		}
	}
	for _, b := range bindings {
		found[string(b.AddressHash)] = append(found[string(b.AddressHash)], byID[b.ID])
	}
	return found, nil
}

// IsRevoked reports whether consent is revoked for all messages to an address.
func IsRevoked(ctx context.Context, tx *db.Tx, hash []byte, channel Channel) (bool, error) {
	for _, purpose := range []Scope{Marketing, Transactional} {
		if s, err := StandingOf(ctx, tx, hash, channel, purpose); err != nil || s.Code != CodeRevoked {
			return false, err
		}
	}
	return true, nil
}

type binding struct {
	Env         auth.Env `db:"env"`
	AddressHash []byte   `db:"address_hash"`
	Channel     Channel  `db:"channel"`
	ID          string   `db:"id"`
}

// Append adds a record and emits the event.
func Append(ctx context.Context, tx *db.Tx, c *Consent) error {
	var hashes [][]byte
	var rows []binding
	consents.Stamp(tx, c)
	for _, b := range c.Bindings {
		hash := Hash(tx, tx.Env, b.Address)
		hashes, rows = append(hashes, hash), append(rows, binding{tx.Env, hash, b.Channel, c.ID})
	}
	return c.append(ctx, tx, hashes, rows)
}

// AppendHashed adds a record for the address of an erased contact, of which only
// the hash is stored. It is used when the person unsubscribes later.
func AppendHashed(ctx context.Context, tx *db.Tx, c *Consent, hash []byte) error {
	consents.Stamp(tx, c)
	var rows []binding
	for _, channel := range c.Channels {
		rows = append(rows, binding{tx.Env, hash, channel, c.ID})
	}
	return c.append(ctx, tx, [][]byte{hash}, rows)
}

func (c *Consent) append(ctx context.Context, tx *db.Tx, hashes [][]byte, rows []binding) error {
	if c.Evidence == nil {
		c.Evidence = map[string]any{}
	}
	if c.Bindings == nil {
		c.Bindings = []ConsentBinding{}
	}
	if len(c.Bindings) > 0 {
		c.Address = &c.Bindings[0].Address
	}
	if c.CapturedBy == nil {
		c.CapturedBy = new(auth.From(ctx).Actor.ID)
	}

	if err := lockAll(ctx, tx, hashes); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "consents", *c); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "consent_bindings", rows...); err != nil {
		return err
	}

	noun, object := "contact", c.ContactID
	if c.LeadID != nil {
		noun, object = "lead", *c.LeadID
	}
	event := noun + ".consent_captured"
	if c.Direction == Revoked {
		event = noun + ".consent_revoked"
	}
	return events.Emit(ctx, tx, event, object, events.Change{After: *c})
}

// Find returns a record.
func Find(ctx context.Context, tx *db.Tx, id string) (Consent, error) {
	return consents.Find(ctx, tx, id)
}

// FindOfLead returns a record that belongs to a lead.
func FindOfLead(ctx context.Context, tx *db.Tx, leadID, id string) (Consent, error) {
	c, err := db.One[Consent](ctx, tx, `SELECT {cols} FROM consents WHERE env = ? AND id = ? AND lead_id = ?`, tx.Env, id, leadID)
	if db.IsNoRows(err) {
		return c, fault.NotFound("consent", id)
	}
	return c, err
}

// NotRevoked returns a conflict that names the revocation if a record is already
// revoked. A unique index enforces the rule.
func NotRevoked(ctx context.Context, tx *db.Tx, c Consent) error {
	by, err := db.All[string](ctx, tx, `SELECT id FROM consents WHERE env = ? AND revokes_id = ?`, c.Env, c.ID)
	if err == nil && len(by) > 0 {
		err = fault.Conflict("The consent was already revoked by %s.", by[0]).Detail("consent_id", "state", "was revoked by %s", by[0])
	}
	return err
}

// ListOfLead returns a page of the records of a lead.
func ListOfLead(ctx context.Context, tx *db.Tx, leadID string, q page.Query) (page.Page[Consent], error) {
	return list(ctx, tx, q, "lead_id = ?", leadID)
}

// ListOfContact returns a page of the records of a contact.
func ListOfContact(ctx context.Context, tx *db.Tx, contactID string, q page.Query) (page.Page[Consent], error) {
	return list(ctx, tx, q, "contact_id = ?", contactID)
}

func list(ctx context.Context, tx *db.Tx, q page.Query, cond string, arg any) (page.Page[Consent], error) {
	var w db.Where
	w.And(cond, arg)
	return consents.List(ctx, tx, q, &w)
}

// AllOfContact returns every record of a contact, oldest first.
func AllOfContact(ctx context.Context, tx *db.Tx, contactID string) ([]Consent, error) {
	return db.All[Consent](ctx, tx, `SELECT {cols} FROM consents WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
}

// Move assigns the records of a merged contact to the remaining one.
func Move(ctx context.Context, tx *db.Tx, from, to string) error {
	_, err := db.Exec(ctx, tx, `UPDATE consents SET contact_id = ? WHERE env = ? AND contact_id = ?`, to, tx.Env, from)
	return err
}

// Merged are two addresses of the same person. Either can be "".
type Merged struct {
	Channels []Channel
	From, To string
}

// CopyRevocations applies the revocations of one address to another, after two
// contacts of the same person are merged into one.
func CopyRevocations(ctx context.Context, tx *db.Tx, contactID string, m Merged) error {
	if m.From == "" || m.To == "" || m.From == m.To {
		return nil
	}
	for _, channel := range m.Channels {
		for _, purpose := range []Scope{Marketing, Transactional} {
			was, err := StandingOf(ctx, tx, Hash(tx, tx.Env, m.From), channel, purpose)
			if err != nil {
				return err
			}

			is, err := StandingOf(ctx, tx, Hash(tx, tx.Env, m.To), channel, purpose)
			if err != nil {
				return err
			}

			if was.Code != CodeRevoked || is.Code == CodeRevoked {
				continue
			}
			if err := Append(ctx, tx, &Consent{
				ContactID: contactID, Direction: Revoked, Channels: []Channel{channel}, Scope: purpose, Bindings: []ConsentBinding{{Channel: channel, Address: m.To}},
				CapturedAt: tx.Now, Source: new("merge"), Method: new("merge"), Evidence: map[string]any{"consent_id": *was.ConsentID},
			}); err != nil {
				return err
			}
		}
	}

	return nil
}

// Erase removes the personal data from the records of a contact. Its consents no
// longer apply. Its revocations still apply to the hashes of the addresses.
func Erase(ctx context.Context, tx *db.Tx, contactID string) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM consent_bindings WHERE env = ? AND id IN
		(SELECT id FROM consents WHERE env = ? AND contact_id = ? AND direction = 'granted')`, tx.Env, tx.Env, contactID); err != nil {
		return err
	}
	return db.Erase[Consent](ctx, tx, db.Rows{Table: "consents", Where: "contact_id = ?", Args: []any{contactID}}, false)
}
