package merkle

import (
	"fmt"
	"math/bits"
)

// TileHeight is the number of levels from one stored level to the next.
const TileHeight = 8

// Tiles returns the stored hashes of a tree: complete nodes of the levels 0, 8,
// 16 and so on.
type Tiles interface {
	// Hashes appends to dst the hashes of n nodes of a level, starting at
	// first. It fails if one of them is missing. A call asks for at most 128
	// nodes, and never across a boundary of 128.
	Hashes(level uint, first uint64, n int, dst []Hash) ([]Hash, error)
}

// NodesOf returns the nodes of all levels; it computes those between the stored
// levels. The result is for one goroutine at a time.
func NodesOf(t Tiles) Nodes { return &tiled{tiles: t} }

// tiled computes nodes out of tiles.
type tiled struct {
	tiles Tiles
	room  []Hash // reused between calls
}

// Node implements [Nodes].
func (t *tiled) Node(level uint, index uint64) (Hash, error) {
	up := level % TileHeight
	if bits.Len64(index)+int(up) > 64 {
		return Hash{}, fmt.Errorf("node %d of level %d lies outside of any tree", index, level)
	}
	n := 1 << up
	hashes, err := t.tiles.Hashes(level-up, index<<up, n, t.room[:0])
	if err != nil {
		return Hash{}, err
	}
	if len(hashes) != n {
		return Hash{}, fmt.Errorf("%d nodes of level %d from %d on: %d were given", n, level-up, index<<up, len(hashes))
	}
	t.room = hashes
	for ; n > 1; n /= 2 {
		for i := range n / 2 {
			hashes[i] = NodeHash(&hashes[2*i], &hashes[2*i+1])
		}
	}
	return hashes[0], nil
}
