package sales

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/proposals"
)

// Each operation that writes can be proposed, or there is a reason why not.
func TestEveryWriteIsClassified(t *testing.T) {
	reasons, known := map[string]string{}, map[string]bool{}
	for reason, ids := range proposals.Excluded {
		for _, id := range ids {
			reasons[id] = reason
		}
	}
	for _, doc := range []*huma.OpenAPI{app.OpenAPI(), app.PreviewOpenAPI()} {
		for _, item := range doc.Paths {
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
				if op == nil {
					continue
				}
				known[op.OperationID] = true
				_, ok := proposals.Allowed[op.OperationID]
				if op.Method != http.MethodGet && ok == (reasons[op.OperationID] != "") {
					t.Errorf("%s must be in either allowed or excluded of operations.go", op.OperationID)
				}
				if ok && op.RequestBody != nil && op.RequestBody.Content["application/json"] == nil {
					t.Errorf("%s needs a file, so it can't be proposed", op.OperationID)
				}
				for _, set := range op.Security {
					if ok && (slices.Contains(set["oauth2"], "admin") || slices.Contains(set["oauth2"], "webhooks")) {
						t.Errorf("%s is for administrators and developers, so it can't be proposed", op.OperationID)
					}
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(proposals.Allowed)) {
		if reads := proposals.Allowed[id]; !known[id] || reads != "" && !known[reads] {
			t.Errorf("%s or %q is not an operation", id, reads)
		}
	}
	for id := range reasons {
		if !known[id] {
			t.Errorf("%s is not an operation", id)
		}
	}
}
