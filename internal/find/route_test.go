package find

import (
	"strings"
	"testing"

	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/record"
)

// TestPassing checks how many skipped spots a route may have: ten times as many
// as spots that are read, and no more.
func TestPassing(t *testing.T) {
	passed := 0
	along := func(n, wanted int) route {
		return route{"session", func(visit func(spot) bool) error {
			for i := range n {
				at := spot{}
				if i >= n-wanted {
					at = spot{kind: record.Event, position: uint64(i)}
				}
				if passed++; !visit(at) {
					return nil
				}
			}
			return nil
		}}
	}
	for _, tc := range []struct {
		rows, wanted int
		all          bool
	}{
		{200_000, 0, true}, {200_001, 0, false}, {200_003, 3, true}, {200_004, 3, false}, {220_000, 20_000, true}, {220_001, 20_001, false}, {20_000, 20_000, true},
	} {
		passed = 0
		s := &search{q: &query{}}
		spots, all, err := s.narrowest(t.Context(), []route{along(tc.rows, tc.wanted)})
		if err != nil || all != tc.all || all && len(spots) != tc.wanted {
			t.Errorf("%d rows of which %d are wanted: %d, all %v, %v", tc.rows, tc.wanted, len(spots), all, err)
		}
		if passed > 3*220_000 {
			t.Errorf("%d rows were walked", passed)
		}
	}
	// A short route is taken before a long one.
	s := &search{q: &query{}}
	if spots, all, err := s.narrowest(t.Context(), []route{along(200_001, 0), along(5000, 7)}); err != nil || !all || len(spots) != 7 {
		t.Error(len(spots), all, err)
	}
}

// TestFewerThings: the advice names only predicates that records of the wanted
// kinds have, and that have a list.
func TestFewerThings(t *testing.T) {
	for name, tc := range map[string]struct {
		o    FindOptions
		want string
	}{
		"knowledge":      {FindOptions{Tags: []string{"x"}}, "types, key_prefix, agent, frame with its reference"},
		"memories":       {FindOptions{Kinds: []record.Kind{record.Memory}, Types: []string{"fact"}}, "tags, key_prefix, agent, frame with its reference"},
		"feedback":       {FindOptions{Kinds: []record.Kind{record.Feedback}, Agent: "a"}, "session"},
		"edges":          {FindOptions{Kinds: []record.Kind{record.Edge}, Agent: "a"}, "types"},
		"edges by type":  {FindOptions{Kinds: []record.Kind{record.Edge}, Agent: "a", Types: []string{"supports"}}, ""},
		"entities":       {FindOptions{Kinds: []record.Kind{record.Entity}, Agent: "a"}, "types, tags"},
		"and events":     {FindOptions{Kinds: []record.Kind{record.Memory, record.Event}, Agent: "a"}, "types, tags, frame with its reference"},
		"what is not":    {FindOptions{Tags: []string{"x"}, State: catalog.Forgotten}, ""},
		"by key already": {FindOptions{KeyPrefix: "k", Agent: "a", Kinds: []record.Kind{record.Policy}}, "types, tags"},
	} {
		tc.o.Tenant = "acme"
		q, err := tc.o.compile()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(q.fewerThings(), "narrow the time with after and before")
		got = strings.TrimPrefix(strings.TrimPrefix(got, "; or add "), "one of ")
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
