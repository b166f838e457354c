package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	nodes "lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// GraphQuery selects a part of the knowledge as a graph.
type GraphQuery struct {
	Tenant string
	// Around is the record or event to start at; none means the newest records.
	Around memory.URI
	// Depth is how many hops to go from there; zero means 2, at most 6.
	Depth int
	// Limit is the maximum number of nodes; zero means 60, at most 1,000.
	Limit int
	// Tags also draws tags as names.
	Tags bool
	View board.View
}

// Defaults and limits of a query.
const (
	usualDepth, mostDepth = 2, 6
	usualNodes, mostNodes = 60, 1000
)

// Graph is records and their connections.
type Graph struct {
	Nodes []GraphNode
	Edges []GraphEdge // by the indexes of their nodes
	// More says that the limit cut off nodes, and Left at least how many.
	More bool
	Left int
}

// GraphNode is a record, an event, or a name that several of them mention.
type GraphNode struct {
	// ID is the URI, without a version, or name:TYPE:NAME.
	ID string
	// Kind is that of the record, event, or name.
	Kind  string
	Class string
	Label string // its text, on one line
}

// GraphEdge connects two nodes.
type GraphEdge struct {
	From, To int
	Rel      string
	// Via is the edge, relation or conflict that connects them; empty if the record itself does.
	Via string
}

// NameKind is the kind of a node that is only a name.
const NameKind = "name"

// Neighbourhood returns a part of the knowledge as a graph. It contains nothing that the view
// hides, and no path leads through it. The same state gives the same graph.
func Neighbourhood(ctx context.Context, b *board.Board, q GraphQuery) (*Graph, error) {
	q.Depth, q.Limit = cmp.Or(q.Depth, usualDepth), cmp.Or(q.Limit, usualNodes)
	for _, x := range []struct {
		name    string
		n, most int
	}{{"depth", q.Depth, mostDepth}, {"limit", q.Limit, mostNodes}} {
		if x.n < 1 || x.n > x.most {
			return nil, fault.Newf(fault.InvalidArgument, "%s: %d is not between 1 and %d", x.name, x.n, x.most).WithFix("give a number in that range, or leave it out")
		}
	}
	out := &Graph{}
	err := b.ReadAs(ctx, q.Tenant, q.View, func(s board.State) error {
		g := &grower{b: b, s: s, q: &q, out: out, at: map[string]int{}, joined: map[GraphEdge]bool{}}
		if err := g.grow(ctx); err != nil {
			return err
		}
		return g.names()
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out.Edges, func(a, b GraphEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), strings.Compare(a.Rel, b.Rel), strings.Compare(a.Via, b.Via))
	})
	return out, nil
}

// grower builds a graph.
type grower struct {
	b   *board.Board
	s   board.State
	q   *GraphQuery
	out *Graph
	// at is the index of a node by id; -1 for what is not shown.
	at        map[string]int
	heads     []*catalog.Head // of the nodes; nil of an event
	positions []uint64
	joined    map[GraphEdge]bool
}

// grow collects the nodes, and what connects them.
func (g *grower) grow(ctx context.Context) error {
	if g.q.Around.IsZero() {
		if err := g.newest(ctx); err != nil {
			return err
		}
		for n := range len(g.out.Nodes) {
			if err := g.connect(ctx, n, false); err != nil {
				return err
			}
		}
		return nil
	}
	start, err := g.add(g.q.Around.Head().String())
	if err != nil {
		return err
	}
	if start < 0 {
		return fault.Newf(fault.NotFound, "tenant %q has no %s %s", g.s.Tenant.Name, g.q.Around.Kind, g.q.Around.ID)
	}
	from := 0
	for range g.q.Depth {
		to := len(g.out.Nodes)
		for n := from; n < to; n++ {
			if err := g.connect(ctx, n, true); err != nil {
				return err
			}
		}
		from = to
	}
	for n := from; n < len(g.out.Nodes); n++ { // connects the outermost nodes with each other
		if err := g.connect(ctx, n, false); err != nil {
			return err
		}
	}
	return nil
}

// newest begins with the newest entities, artifacts, memories and policies.
func (g *grower) newest(ctx context.Context) error {
	type found struct {
		created int64
		uri     string
	}
	var list []found
	for _, k := range []record.Kind{record.Entity, record.Artifact, record.Memory, record.Policy} {
		n := 0
		var failed error
		err := catalog.List(g.s.Reader, g.s.Tenant.Number, catalog.All(k, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
			if failed = ctx.Err(); failed != nil {
				return false
			}
			h, ok, err := catalog.HeadOf(g.s.Reader, g.s.Tenant.Number, k, d)
			if failed = err; err != nil || !ok || !g.shows(h) {
				return err == nil
			}
			list = append(list, found{h.Created, memory.URI{Tenant: g.s.Tenant.Name, Kind: k, ID: h.ID}.String()})
			n++
			return n <= g.q.Limit+countedBeyond
		})
		if err := fault.First(failed, err); err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(cmp.Compare(b.created, a.created), strings.Compare(a.uri, b.uri)) })
	if len(list) > g.q.Limit {
		g.leave(len(list) - g.q.Limit)
		list = list[:g.q.Limit]
	}
	for _, x := range list {
		if _, err := g.add(x.uri); err != nil {
			return err
		}
	}
	return nil
}

// countedBeyond is how many records of a kind are counted beyond the limit.
const countedBeyond = 1000

// leave counts nodes that are left out.
func (g *grower) leave(n int) { g.out.More, g.out.Left = true, g.out.Left+n }

// shows reports whether a record belongs into a graph: it is live, valid and may be seen.
func (g *grower) shows(h *catalog.Head) bool {
	now := access.NowOf(g.s.View, g.s.Tenant)
	return h.State == catalog.Live && h.Expires > now && h.ValidFrom <= now && now < h.ValidUntil && access.Sees(g.s.View, h)
}

// add returns the index of the node of a URI. It creates the node if there is room, and returns
// -1 if it is not shown or there is none.
func (g *grower) add(uri string) (int, error) {
	if n, ok := g.at[uri]; ok {
		return n, nil
	}
	u, err := memory.ParseURI(uri)
	if err != nil || u.Tenant != g.s.Tenant.Name {
		return -1, nil
	}
	if len(g.out.Nodes) >= g.q.Limit {
		g.leave(1)
		g.at[uri] = -1
		return -1, nil
	}
	node, h, position, err := g.node(u)
	if err != nil {
		return -1, err
	}
	if node == nil {
		g.at[uri] = -1
		return -1, nil
	}
	g.at[uri] = len(g.out.Nodes)
	g.out.Nodes, g.heads, g.positions = append(g.out.Nodes, *node), append(g.heads, h), append(g.positions, position)
	return g.at[uri], nil
}

// node reads a node; nil if it does not exist or is not shown.
func (g *grower) node(u memory.URI) (*GraphNode, *catalog.Head, uint64, error) {
	gone := func(err error) (*GraphNode, *catalog.Head, uint64, error) {
		if code := fault.CodeOf(err); code == fault.Erased || code == fault.NotFound {
			err = nil
		}
		return nil, nil, 0, err
	}
	node := &GraphNode{ID: u.String(), Kind: u.Kind.String()}
	if u.Kind == record.Event {
		ev, err := g.b.EventSeen(g.s, u.ID)
		if err != nil {
			return gone(err)
		}
		node.Class, node.Label = string(ev.Event.EventType), kind.Read(ev.Event).Text
		return node, nil, ev.Position, nil
	}
	h, ok, err := catalog.HeadOf(g.s.Reader, g.s.Tenant.Number, u.Kind, catalog.ThingOf(g.s.Tenant.Name, u.Kind, u.ID))
	if err != nil || !ok || !g.shows(h) {
		return gone(err)
	}
	body, err := g.b.BodyAt(g.s, u.Kind, h.Position)
	if err != nil {
		return gone(err)
	}
	node.Class, node.Label = h.Class, Label(body)
	return node, h, h.Position, nil
}

// mostEdges is how many edges are drawn for the referrers of one node.
const mostEdges = 1000

// connect draws what a node has to do with others: with new ones too, if it may.
func (g *grower) connect(ctx context.Context, n int, further bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h := g.heads[n]; h != nil {
		for _, l := range h.Links {
			if err := g.draw(n, l.To, l.Rel, "", false, further); err != nil {
				return err
			}
		}
	}
	var failed error
	most := len(g.out.Edges) + mostEdges
	err := catalog.Referrers(g.s.Reader, g.s.Tenant.Number, g.out.Nodes[n].ID, func(ref catalog.Referrer) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		if len(g.out.Edges) >= most {
			g.leave(1)
			return false
		}
		failed = g.referrer(n, ref, further)
		return failed == nil
	})
	return fault.First(failed, err)
}

// referrer draws the connection of a record that refers to a node: an edge, a relation or a
// conflict connects it with others, any other record is a neighbour itself.
func (g *grower) referrer(n int, ref catalog.Referrer, further bool) error {
	switch ref.Kind {
	case record.Feedback, record.Violation, record.Embedding, record.Refinement, record.Fingerprint:
		return nil
	}
	h, ok, err := catalog.HeadOf(g.s.Reader, g.s.Tenant.Number, ref.Kind, ref.Thing)
	if err != nil || !ok || !g.shows(h) {
		return err
	}
	uri := memory.URI{Tenant: g.s.Tenant.Name, Kind: h.Kind, ID: h.ID}.String()
	switch {
	case (ref.Kind == record.Edge || ref.Kind == record.Relation) && (ref.Rel == "from" || ref.Rel == "to"):
		other := map[string]string{"from": "to", "to": "from"}[ref.Rel]
		for _, l := range h.Links {
			if l.Rel == other {
				return g.draw(n, l.To, h.Class, uri, ref.Rel == "to", further)
			}
		}
	case ref.Kind == record.Conflict && ref.Rel == "between":
		for _, l := range h.Links {
			if l.Rel != "between" || l.To == g.out.Nodes[n].ID {
				continue
			}
			if err := g.draw(n, l.To, "conflict", uri, l.To < g.out.Nodes[n].ID, further); err != nil {
				return err
			}
		}
	case ref.Kind != record.Edge && ref.Kind != record.Relation && ref.Kind != record.Conflict:
		return g.draw(n, uri, ref.Rel, "", true, further)
	}
	return nil
}

// draw draws an edge from a node, or to it, once.
func (g *grower) draw(n int, uri, rel, via string, back, further bool) error {
	other, ok := g.at[uri]
	if !ok {
		if !further {
			return nil
		}
		var err error
		if other, err = g.add(uri); err != nil {
			return err
		}
	}
	if other < 0 {
		return nil
	}
	if rel == "superseded_by" {
		rel, back = "supersedes", !back
	}
	e := GraphEdge{n, other, rel, via}
	if back {
		e.From, e.To = other, n
	}
	if !g.joined[e] {
		g.joined[e] = true
		g.out.Edges = append(g.out.Edges, e)
	}
	return nil
}

// names adds the names that two or more of the records mention. An entity with that name is
// drawn instead.
func (g *grower) names() error {
	type mention struct {
		node nodes.Node
		by   []int
	}
	var order []nodes.NodeID
	met := map[nodes.NodeID]*mention{}
	view := nodes.Open(g.s.Reader, g.s.Tenant.Number)
	things := len(g.out.Nodes)
	for n := range things {
		list, err := view.NodesOf(g.positions[n])
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Type == kind.EntityTag && !g.q.Tags {
				continue
			}
			if met[x.ID] == nil {
				met[x.ID] = &mention{node: x}
				order = append(order, x.ID)
			}
			met[x.ID].by = append(met[x.ID].by, n)
		}
	}
	own := g.entities()
	for _, id := range order {
		m := met[id]
		to, known := own[strings.ToLower(m.node.Name)]
		if !known && len(m.by) < 2 {
			continue
		}
		if !known {
			if len(g.out.Nodes) >= g.q.Limit {
				g.leave(1)
				continue
			}
			to = len(g.out.Nodes)
			g.out.Nodes = append(g.out.Nodes, GraphNode{ID: NameKind + ":" + m.node.Type + ":" + m.node.Name, Kind: NameKind, Class: m.node.Type, Label: m.node.Name})
		}
		for _, n := range m.by {
			if e := (GraphEdge{n, to, "mentions", ""}); n != to && !g.joined[e] {
				g.joined[e] = true
				g.out.Edges = append(g.out.Edges, e)
			}
		}
	}
	return nil
}

// entities returns the nodes that are entities, by their lower-case names.
func (g *grower) entities() map[string]int {
	own := map[string]int{}
	for n, h := range g.heads {
		if h == nil || h.Kind != record.Entity {
			continue
		}
		for _, name := range h.Names {
			if _, taken := own[strings.ToLower(name)]; !taken {
				own[strings.ToLower(name)] = n
			}
		}
	}
	return own
}

// maxLabel is how many bytes of a text make its label.
const maxLabel = 240

// Label returns the beginning of a body's text, on one line.
func Label(body memory.Body) string {
	text := ""
	switch x := body.(type) {
	case *memory.Memory:
		text = x.Text
	case *memory.Entity:
		text = x.Name
	case *memory.Policy:
		text = x.Text
	case *memory.Artifact:
		text = x.HMX.Title
	case *memory.Conflict:
		text = x.Summary
	case *memory.Relation:
		text = x.From + " " + x.Predicate + " " + x.To
	case *memory.Edge:
		text = x.From.String() + " " + string(x.EdgeKind) + " " + x.To.String()
	case *memory.Feedback:
		text = strings.TrimSpace(x.AgentID + " " + string(x.Outcome) + " " + x.Note)
	}
	if len(text) > 4*maxLabel {
		text = text[:4*maxLabel]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= maxLabel {
		return text
	}
	end := maxLabel
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimRight(text[:end], " ") + "…"
}
