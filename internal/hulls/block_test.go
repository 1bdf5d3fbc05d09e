package hulls

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPositions(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 7, 255, 256, 257, 2000, maxBlock} {
		want := r.Perm(maxBlock)[:n]
		slices.Sort(want)
		var p positions
		for _, i := range want {
			p.add(i)
		}
		data := p.encode()
		if got := decodePositions(data).all(); !slices.Equal(got, want) || p.count() != n || len(data) > maxBlock/8 {
			t.Errorf("%d positions: %d after %d bytes", n, len(got), len(data))
		}
	}
}

func TestMembers(t *testing.T) {
	ids := []string{"hull_01jcqz8t5n8m2x4v6b7c9d0e1f", "hull_01jcqz8t5n8m2x4v6b7c9d0e1g", "hull_01jcqz8t5n8m2x4v6b7c9d0e1h"}
	var p positions
	p.add(0)
	p.add(2)
	p.add(9) // not in this block
	if got := p.members(joinMembers(ids)); !slices.Equal(got, []string{ids[0], ids[2]}) {
		t.Error(got)
	}
}
