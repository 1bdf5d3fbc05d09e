package consent

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
)

// renewBefore is how long before its end a consent from an inquiry is recorded again. Otherwise each
// message of a conversation would add a record.
const renewBefore = 30 * 24 * time.Hour

// AppendInquiry records that a person wrote from an address of the record, or left it with a message:
// the dealership can answer by text message for three months. No permission is expected for an answer
// to someone who wrote first (CTIA, Messaging Principles). It changes nothing after an opt-out, or if a
// consent lasts long enough.
func AppendInquiry(ctx context.Context, tx *db.Tx, c Consent) error {
	hash := Hash(tx, tx.Env, c.Bindings[0].Address)
	if err := Lock(ctx, tx, hash); err != nil {
		return err
	}
	records, err := ListOfAddress(ctx, tx, hash, SMS)
	if err != nil || !needsInquiry(records, tx.Now) {
		return err
	}
	c.Direction, c.Channels, c.Scope = Granted, []Channel{SMS}, Transactional
	c.Basis, c.ExpiresAt, c.CapturedBy = new(ImpliedInquiry), new(AfterInquiry(c.CapturedAt)), new("system")
	return Append(ctx, tx, &c)
}

// needsInquiry reports whether an inquiry adds to the records of an address.
func needsInquiry(records []Consent, now time.Time) bool {
	s := Fold(records, SMS, Transactional, now)
	if s.Code != "" {
		return s.Code != CodeRevoked
	}
	i := slices.IndexFunc(records, func(r Consent) bool { return r.ID == *s.ConsentID })
	end := records[i].ExpiresAt
	return end != nil && end.Before(now.Add(renewBefore))
}
