package node

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/testsize"
)

// rule is what docs/api.md says about who may call an operation.
type rule struct {
	rights    string // by their first letters
	then      string // those that some requests need as well, including that of a cell
	operators bool
	noScope   bool
	anyTenant bool
}

// rules parses docs/api.md.
func rules(t *testing.T) map[string]rule {
	t.Helper()
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	all, name := map[string]rule{}, ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "### `"); ok {
			name, _, _ = strings.Cut(rest, "`")
		}
		_, says, ok := strings.Cut(line, " · rights: ")
		if !ok || !strings.HasPrefix(line, "`") {
			continue
		}
		var r rule
		for i, part := range strings.Split(strings.TrimSpace(says), " · ") {
			switch {
			case i == 0:
				for _, right := range strings.Split(part, ", ") {
					r.rights += right[:1]
				}
			case strings.HasPrefix(part, "for some requests also: "):
				for _, right := range strings.Split(strings.TrimPrefix(part, "for some requests also: "), ", ") {
					r.then += right[:1]
				}
			case part == "operators":
				r.operators = true
			case part == "no scope":
				r.noScope = true
			case part == "any tenant":
				r.anyTenant = true
			}
		}
		all[name] = r
	}
	return all
}

// says returns the code that a credential gets for an operation, or nothing if it is permitted.
func (r rule) says(c *credential) string {
	if c.refused != "" {
		return c.refused
	}
	for _, right := range r.rights {
		if !strings.ContainsRune(c.rights, right) {
			return "not_permitted"
		}
	}
	switch {
	case r.operators && (!c.operator || c.scoped):
		return "not_permitted"
	case r.noScope && c.scoped:
		return "out_of_scope"
	case c.deals == "" && !r.anyTenant:
		return "invalid_argument" // the header with the tenant is missing
	}
	for _, right := range r.then {
		if !strings.ContainsRune(c.rights, right) {
			return "not_permitted"
		}
	}
	return ""
}

// statuses are the HTTP statuses of codes.
var statuses = map[string]int{
	"": 200, "unauthenticated": 401, "scope_invalid": 401, "scope_expired": 401, "not_permitted": 403, "out_of_scope": 403,
	"invalid_argument": 422, "not_found": 404,
}

// hears reports whether a successful answer to a caller may mention a tenant.
func (r rule) hears(c *credential, tenant string) bool {
	return tenant == c.deals || c.operator && !c.scoped && (c.deals == "" || r.operators && r.anyTenant)
}

// cell is one operation over one transport with one credential.
type cell struct {
	op  *operation.Operation
	as  string // how it is called, such as "GET" or "tool"
	who *credential
	// got is the reply.
	got *reply
}

func (c *cell) String() string { return fmt.Sprintf("%s over %s by %s", c.op.Name, c.as, c.who.name) }

// Exactly the permitted callers may call each operation, over every transport, and no answer
// contains a word of another tenant. The expectations are read from docs/api.md.
func TestMatrix(t *testing.T) {
	h := newHouse(t)
	says := rules(t)
	for _, o := range api.Operations() {
		if _, ok := says[o.Name]; !ok || asked[o.Name] == "" {
			t.Fatalf("%s is not documented, or no test asks it", o.Name)
		}
	}
	if len(says) != len(api.Operations()) || len(asked) != len(says) {
		t.Fatalf("%d operations, %d are documented and %d asked", len(api.Operations()), len(says), len(asked))
	}
	for tenant := range canaries {
		h.names[tenant]["tomorrow"] = time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	}
	stride := testsize.Of(t, "matrix-stride", 12, 1, 1)
	var cells, tried, good atomic.Int64
	t.Run("cells", func(t *testing.T) {
		for _, who := range h.credentials() {
			t.Run(who.name, func(t *testing.T) {
				t.Parallel()
				row := &row{stride: int64(stride), house: h, t: t, who: who, says: says, cells: &cells, tried: &tried, good: &good}
				row.overHTTP()
				row.overMCP()
				row.overStdio()
			})
		}
	})
	for _, o := range api.Operations() {
		if _, ok := h.done.Load(o.Name); !ok && stride == 1 {
			t.Errorf("%s was never done", o.Name)
		}
	}
	t.Logf("%d cells, %d tried, %d allowed", cells.Load(), tried.Load(), good.Load())
	if good.Load() == 0 || good.Load() == tried.Load() {
		t.Errorf("%d of %d are allowed", good.Load(), tried.Load())
	}
	for _, tenant := range slices.Sorted(maps.Keys(canaries)) {
		if got := h.call(&credential{bearer: h.operator, tenant: tenant}, "POST", "/v1/verify", `{"deep":true}`); got.status != http.StatusOK {
			t.Errorf("%s afterwards: %s", tenant, got.body)
		}
	}
}

// row is all cells of a credential.
type row struct {
	*house
	t                  *testing.T
	who                *credential
	stride             int64 // one in this many cells is tried
	says               map[string]rule
	cells, tried, good *atomic.Int64
}

// try checks a cell, unless it is left out.
func (r *row) try(op *operation.Operation, as string, ask func(n int64, args string) *reply) {
	n := r.serial.Add(1)
	if r.cells.Add(1); n%r.stride != 0 {
		return
	}
	r.tried.Add(1)
	rule := r.says[op.Name]
	want := rule.says(r.who)
	names := r.who.uses()
	if slices.Contains([]string{"verify_pack", "import_fingerprint"}, op.Name) && r.who.deals != "" {
		names = r.who.deals // what it sends is its own
	}
	if want == "" {
		r.prepare(op.Name, n)
	}
	c := &cell{op: op, as: as, who: r.who, got: ask(n, r.fill(names, asked[op.Name], n))}
	if c.got == nil {
		r.t.Errorf("%s: no answer", c)
		return
	}
	if want == "" {
		r.good.Add(1)
		r.allowed(c)
	} else if c.got.code != want && as != "HEAD" {
		r.t.Errorf("%s: got %d %q, want %s: %.300s", c, c.got.status, c.got.code, want, c.got.body)
	}
	if status := statuses[want]; want != "" && c.got.status != 0 && c.got.status != status {
		r.t.Errorf("%s: got status %d, want %d: %.300s", c, c.got.status, status, c.got.body)
	}
	word, leaked := tells(c.got.body, c.got.header, func(tenant string) bool { return want == "" && rule.hears(r.who, tenant) })
	if leaked {
		r.t.Errorf("%s: it says %s: %.2000s", c, word, c.got.body)
	}
}

// allowed checks the answer of a cell that has to succeed.
func (r *row) allowed(c *cell) {
	want := []string{""}
	if code := strange[c.op.Name]; code != "" && r.who.names != "" {
		if want = []string{code}; strings.HasPrefix(c.as, "resources/") {
			want = []string{"not_found"} // an id without a tenant
		}
	} else {
		want = append(want, settled[c.op.Name]...)
	}
	if c.as == http.MethodHead {
		if c.got.status != statuses[want[0]] {
			r.t.Errorf("%s: got %d, want %d", c, c.got.status, statuses[want[0]])
		}
		return
	}
	if !slices.Contains(want, c.got.code) {
		r.t.Errorf("%s: it is allowed, and got %d %q, want %q: %.300s", c, c.got.status, c.got.code, want, c.got.body)
	}
	if c.got.code == "" && c.got.status != 0 && c.got.status != http.StatusOK {
		r.t.Errorf("%s: it is allowed, and got %d: %.300s", c, c.got.status, c.got.body)
	}
	if c.got.code == "" {
		r.done.Store(c.op.Name, true)
	}
}

// prepare creates what an operation removes.
func (r *row) prepare(operation string, n int64) {
	tenant := r.who.deals
	switch operation {
	case "forget", "delete_memory", "redact_memory", "restore_memory":
		r.low(tenant, "put_memory", fmt.Sprintf(`{"key":"cell/%d","text":"Made for a cell."}`, n))
	}
	if operation == "restore_memory" {
		r.low(tenant, "forget", fmt.Sprintf(`{"name":"cell/%d"}`, n))
	}
}
