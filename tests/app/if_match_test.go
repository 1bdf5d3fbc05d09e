package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Each operation that documents If-Match rejects another version. The others
// ignore the header.
func TestIfMatchIsCheckedWhereDocumented(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, o := range operations() {
			if o.Method == http.MethodGet {
				continue
			}
			r, path := recipes[o.OperationID], o.Path
			var params map[string]string
			if r.params != nil {
				params = r.params(s.Test)
			}
			for name, value := range params {
				path = strings.ReplaceAll(path, "{"+name+"}", value)
			}
			var body any
			if r.body != nil {
				body = r.body(s.Test)
			}
			res := send(t, callerOf(s, o, params).With("If-Match", `"999"`), o.Method, path, body)
			if documentsIfMatch(o) {
				assert.Equal(t, res.StatusCode, 409, o.OperationID, "with a stale If-Match")
				res.WantDetail(t, "If-Match", "stale", o.OperationID)
			} else if res.StatusCode >= 300 {
				t.Errorf("%s does not document If-Match: got %d %s, want success", o.OperationID, res.StatusCode, res.Bytes)
			}
		}
	})
}

func documentsIfMatch(o *huma.Operation) bool {
	return slices.ContainsFunc(o.Parameters, func(p *huma.Param) bool {
		return p.Name == "If-Match" || strings.HasSuffix(p.Ref, "/If-Match")
	})
}
