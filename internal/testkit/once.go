package testkit

import (
	"sync"
	"testing"
)

// Concurrently sends n requests at the same time and counts the statuses.
func Concurrently(t *testing.T, n int, send func(i int) (*Response, error)) map[int]int {
	t.Helper()
	statuses, start := make([]int, n), make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			res, err := send(i)
			if err != nil {
				t.Error(err)
				return
			}
			if statuses[i] = res.StatusCode; res.StatusCode >= 500 {
				t.Errorf("%s", res.Bytes)
			}
		})
	}
	close(start)
	wg.Wait()
	tally := map[int]int{}
	for _, status := range statuses {
		tally[status]++
	}
	return tally
}
