package imports

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// addFigures stores what rows say.
func addFigures(ctx context.Context, tx *db.Tx, i HullImport, rows []figure) error {
	if !i.Review || i.DryRun {
		return nil
	}
	return db.Insert(ctx, tx, "hull_import_figures", rows...)
}

func getReconciliation(ctx context.Context, tx *db.Tx, in *ByImport) (HullImportReconciliation, error) {
	i, err := findImport(ctx, tx, in.ImportID, 0)
	if err != nil {
		return HullImportReconciliation{}, err
	}
	if !i.Review || i.DryRun || i.FinishedAt == nil {
		return HullImportReconciliation{}, fault.Conflict("Only an import with review=true that was started and has ended can be compared.").
			Detail("state", "state", "is %s", i.State)
	}
	rows, err := db.All[figure](ctx, tx, `SELECT {cols} FROM hull_import_figures WHERE env = ? AND import_id = ? ORDER BY row_no`, tx.Env, i.ID)
	if err != nil {
		return HullImportReconciliation{}, err
	}
	var ids []string
	for _, r := range rows {
		if r.HullID != nil {
			ids = append(ids, *r.HullID)
		}
	}
	boats, err := hulls.FindFigures(ctx, tx, ids)
	return reconcile(rows, boats), err
}
