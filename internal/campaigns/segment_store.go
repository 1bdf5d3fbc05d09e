package campaigns

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/page"
)

var segments = db.Table[LeadSegment]{Name: "lead_segments", Prefix: "seg", Noun: "segment"}

func listSegments(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[LeadSegment], error) {
	return segments.List(ctx, tx, q, nil)
}

func insertSegment(ctx context.Context, tx *db.Tx, s *LeadSegment) error {
	if err := segments.Insert(ctx, tx, s); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead_segment.created", s.ID, events.Change{After: *s})
}

func saveSegment(ctx context.Context, tx *db.Tx, before LeadSegment, s *LeadSegment) error {
	if err := segments.Save(ctx, tx, s); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead_segment.updated", s.ID, events.Change{Before: before, After: *s})
}

func deleteSegment(ctx context.Context, tx *db.Tx, s LeadSegment) error {
	if err := segments.Delete(ctx, tx, s.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead_segment.deleted", s.ID, events.Change{After: s})
}
