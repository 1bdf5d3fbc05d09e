package documents

import (
	"context"
	"errors"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
)

func (a *API) listMissing(ctx context.Context, tx *db.Tx, in *deals.ByDeal) (MissingDocuments, error) {
	f, err := gather(ctx, tx, in.DealID)
	if err != nil {
		return MissingDocuments{}, err
	}
	existing, err := documentsOf(ctx, tx, f.deal)
	return MissingDocuments{Data: f.missing(existing)}, err
}

// issueMissing renders the documents before the transaction, like issue.
func (a *API) issueMissing(ctx context.Context, in *deals.ByDeal) (IssuedDocuments, error) {
	const tries = 5
	numbers := map[DocumentKind]*int64{}
	for try := 1; ; try++ {
		issued, err := a.issueMissingOnce(ctx, in, numbers)
		if !errors.Is(err, errOutdated) || try == tries {
			return issued, err
		}
	}
}

// rendered is a document and its PDF before they are stored.
type rendered struct {
	doc  Document
	pdf  []byte
	deal int64 // version of the deal
}

// issueMissingOnce takes the numbers of an earlier try, and adds its own.
func (a *API) issueMissingOnce(ctx context.Context, in *deals.ByDeal, numbers map[DocumentKind]*int64) (IssuedDocuments, error) {
	missing, failed := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (MissingDocuments, error) { return a.listMissing(ctx, tx, in) })
	var all []rendered
	for _, m := range missing.Data {
		if numbers[m.Kind] == nil {
			numbers[m.Kind] = new(int64)
		}
		f, doc, pdf, err := a.render(ctx, in.DealID, DocumentIssue{Kind: m.Kind}, numbers[m.Kind])
		if err != nil {
			failed = err
			break
		}
		all = append(all, rendered{doc, pdf, f.deal.Version})
	}

	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (issued IssuedDocuments, err error) {
		d, err := deals.FindForUpdate(ctx, tx, in.DealID)
		switch {
		case err != nil:
			return issued, err
		case failed != nil:
			return issued, failed
		case len(all) == 0:
			return issued, fault.Conflict("No document is missing that can be issued now.").Detail("documents", "state", "are complete")
		}
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return issued, err
		}
		now, err := a.listMissing(ctx, tx, in)
		if err != nil {
			return issued, err
		}
		for i, r := range all {
			if r.deal != d.Version || i >= len(now.Data) || now.Data[i].Kind != r.doc.Kind {
				return issued, fault.Conflict("The deal keeps changing. Try again.").Detail("version", "stale", "has changed").WithCause(errOutdated)
			}
			if err := insertDocument(ctx, tx, d, &r.doc, r.pdf); err != nil {
				return issued, err
			}
			issued.Data = append(issued.Data, r.doc)
		}
		return issued, nil
	})
}
