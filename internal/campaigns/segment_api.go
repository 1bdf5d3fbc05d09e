package campaigns

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/page"
)

// mountSegments registers the endpoints for segments.
func (a *API) mountSegments(p *rest.Router) {
	rest.Get(p, rest.Route{
		Path: "/lead_segments", ID: "listLeadSegments", Needs: read, AllLocations: true,
		Summary: "List segments, newest first",
		Assist:  assist.Read,
	}, a.listSegments)
	rest.PostCreated(p, rest.Route{
		Path: "/lead_segments", ID: "createLeadSegment", Needs: write, AllLocations: true,
		Summary: "Create a segment of leads",
		Text:    "A segment is a saved filter. The leads are found when a campaign starts.",
		Assist:  assist.Never(assist.Campaigns),
	}, a.createSegment)
	rest.Get(p, rest.Route{
		Path: "/lead_segments/{segment_id}", ID: "getLeadSegment", Needs: read, AllLocations: true,
		Summary: "Retrieve a segment",
		Assist:  assist.Read,
	}, a.getSegment)
	rest.Patch(p, rest.Route{
		Path: "/lead_segments/{segment_id}", ID: "updateLeadSegment", Needs: write, AllLocations: true,
		Summary: "Update a segment",
		Text:    "Campaigns keep the filter that they copied.",
		Assist:  assist.Never(assist.Campaigns),
	}, a.updateSegment)
	rest.Delete(p, rest.Route{
		Path: "/lead_segments/{segment_id}", ID: "deleteLeadSegment", Needs: write, AllLocations: true,
		Summary: "Delete a segment",
		Text:    "Campaigns keep the filter that they copied.",
		Assist:  assist.Never(assist.Deletes),
	}, a.deleteSegment)
}

// BySegment is the path parameter of a segment.
type BySegment struct {
	SegmentID string `path:"segment_id" example:"seg_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the segment."`
}

func (a *API) listSegments(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[LeadSegment], error) {
	return listSegments(ctx, tx, in.Query)
}

func (a *API) createSegment(ctx context.Context, tx *db.Tx, in *struct{ Body LeadSegmentCreate }) (LeadSegment, error) {
	s := LeadSegment{Name: in.Body.Name, Filter: in.Body.Filter.Normalized()}
	if err := in.Body.Check(tx.Now); err != nil {
		return s, err
	}
	err := insertSegment(ctx, tx, &s)
	return s, err
}

func (a *API) getSegment(ctx context.Context, tx *db.Tx, in *BySegment) (LeadSegment, error) {
	return segments.Find(ctx, tx, in.SegmentID)
}

func (a *API) updateSegment(ctx context.Context, tx *db.Tx, in *struct {
	BySegment
	Body LeadSegmentPatch
}) (LeadSegment, error) {
	return rest.Change(ctx, tx, segments.Find, in.SegmentID, func(before LeadSegment, s *LeadSegment) error {
		if err := in.Body.apply(s); err != nil {
			return err
		}
		return saveSegment(ctx, tx, before, s)
	})
}

func (a *API) deleteSegment(ctx context.Context, tx *db.Tx, in *BySegment) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, segments.Find, in.SegmentID, func(s LeadSegment, _ *LeadSegment) error {
		return deleteSegment(ctx, tx, s)
	})
	return none, err
}
