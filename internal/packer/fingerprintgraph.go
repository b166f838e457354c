package packer

import (
	"context"
	"slices"

	"lukasa.dev/internal/fingerprint"
	nodes "lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/kind"
)

// Limits of what is counted of the graph.
const (
	graphDocuments = 1 << 14 // documents with names, the newest
	graphNames     = 8       // names of a document, the first, that are paired with each other
	graphTogether  = 2       // how often two must have been named together
)

// known counts the names in the newest documents: how many there are of each kind, and
// which occur together.
func (p *printing) known(ctx context.Context) error {
	rows, err := p.roster()
	if err != nil {
		return err
	}
	view := nodes.Open(p.s.Reader, p.s.Tenant.Number)
	kinds, seen := make(map[string]int64), make(map[nodes.NodeID]bool)
	pairs := make(map[[2]nodes.NodeID]int64)
	names := make(map[nodes.NodeID]string)
	left := graphDocuments
	agent := roster.AgentOf(p.o.Agent)
	for chunk := rows.Chunks() - 1; chunk >= 0 && left > 0; chunk-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		var list []uint64
		err := rows.Each(chunk, func(offset int, row *roster.Row) {
			own := row.Agent == agent
			if p.o.Agent != "" && !own || row.Private && !own {
				return
			}
			list = append(list, uint64(chunk)*1024+uint64(offset))
		})
		if err != nil {
			return err
		}
		for _, position := range slices.Backward(list) {
			named, err := view.NodesOf(position)
			if err != nil {
				return err
			}
			if len(named) == 0 {
				continue
			}
			for i := range named {
				if n := &named[i]; !seen[n.ID] {
					seen[n.ID] = true
					kinds[kind.NormalName(kind.EntityName, n.Type)]++
					names[n.ID] = kind.NormalName(n.Type, n.Name)
				}
			}
			pairUp(pairs, named[:min(len(named), graphNames)])
			if left--; left == 0 {
				break
			}
		}
	}
	for name, n := range kinds {
		p.in.Entities = append(p.in.Entities, fingerprint.Kind{Name: name, Count: n})
	}
	for ids, n := range pairs {
		if n >= graphTogether {
			p.in.Links = append(p.in.Links, fingerprint.Link{A: names[ids[0]], B: names[ids[1]], Count: n})
		}
	}
	return nil
}

// pairUp counts each pair of nodes once.
func pairUp(pairs map[[2]nodes.NodeID]int64, list []nodes.Node) {
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			a, b := list[i].ID, list[k].ID
			switch slices.Compare(a[:], b[:]) {
			case 1:
				a, b = b, a
			case 0:
				continue
			}
			pairs[[2]nodes.NodeID{a, b}]++
		}
	}
}
