package proposals

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Holder lets the proposals about a contact follow a merge, an export or an erasure.
func (a *API) Holder() contacts.Holder {
	return contacts.Holder{Move: move, Export: a.export, Erase: erase}
}

// ofContact returns the proposals about a contact, its leads and its deals.
func ofContact(ctx context.Context, tx *db.Tx, contactID string) ([]ProposalState, error) {
	objects, err := deals.ObjectsOf(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}

	all, seen := []ProposalState{}, map[string]bool{}
	for _, id := range objects {
		found, err := db.All[ProposalState](ctx, tx, `SELECT {cols} FROM proposals WHERE env = ? AND about LIKE ? ORDER BY id`, tx.Env, `%"`+id+`"%`)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if !seen[p.ID] {
				all = append(all, p)
			}
			seen[p.ID] = true
		}
	}
	return all, nil
}

func move(ctx context.Context, tx *db.Tx, from, to string) error {
	_, err := db.Exec(ctx, tx, `UPDATE proposals SET about = REPLACE(about, ?, ?) WHERE env = ? AND about LIKE ?`, from, to, tx.Env, `%"`+from+`"%`)
	return err
}

// reader sees what any employee sees.
var reader = auth.Principal{Scopes: []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.DealsRead}}

func (a *API) export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	found, err := ofContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	all := []Proposal{}
	for _, p := range found {
		full, err := open(ctx, tx, a.Box, p)
		if err != nil {
			return nil, err
		}
		full.Preview = visible(full.Preview, reader) // costs and floors are not the contact's
		all = append(all, full)
	}
	return map[string]any{"proposals": all}, nil
}

// erase deletes the proposals. The audit log still has who proposed and approved them.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := ofContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := events.Redact(ctx, tx, p.ID); err != nil {
			return err
		}
		if err := proposals.Delete(ctx, tx, p.ID); err != nil {
			return err
		}
	}
	return nil
}
