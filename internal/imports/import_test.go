package imports

import (
	"testing"
	"time"
)

func TestNextBatch(t *testing.T) {
	for _, c := range []struct {
		size int
		took time.Duration
		want int
	}{
		{20, 25 * time.Millisecond, 20},
		{20, 50 * time.Millisecond, 10},
		{20, 0, 40}, // at most doubles
		{20, time.Hour, 5},
		{150, 5 * time.Millisecond, 200},
		{200, 25 * time.Millisecond, 200},
		{5, time.Second, 5},
	} {
		if got := nextBatch(c.size, c.took, takesOnSQLite); got != c.want {
			t.Errorf("after %d rows in %s: got %d, want %d", c.size, c.took, got, c.want)
		}
	}
}
