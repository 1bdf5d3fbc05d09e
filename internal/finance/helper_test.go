package finance_test

import (
	"strings"
	"sync"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/testkit"
)

func deal(s *testkit.Server, id string) (d deals.Deal) {
	s.Test.Get("/v1/deals/"+id, 200, &d)
	return d
}

// story is what happened to an object, oldest first, as one line.
func story(s *testkit.Server, objectID string) string {
	return strings.Join(testkit.Rows[string](s, `SELECT type FROM outbox WHERE object_id = ? ORDER BY sequence`, objectID), " ")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// all sends requests at the same time and counts the answers by status.
func all(t *testing.T, n int, send func(i int) (*testkit.Response, error)) map[int]int {
	t.Helper()
	counts := map[int]int{}
	start := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range n {
		wg.Go(func() {
			<-start
			res, err := send(i)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			counts[res.StatusCode]++
		})
	}
	close(start)
	wg.Wait()
	return counts
}
