package scope

import (
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestGrantRules breaks one rule of a grant at a time.
func TestGrantRules(t *testing.T) {
	board := testKey(1)
	long := strings.Repeat("x", 1025)
	for what, c := range map[string]struct {
		change func(*Grant)
		field  string
	}{
		"no tenant":              {func(g *Grant) { g.Tenant = "" }, "tenant"},
		"a hostile tenant":       {func(g *Grant) { g.Tenant = "a\x00b" }, "tenant"},
		"no giver":               {func(g *Grant) { g.By = "" }, "by"},
		"no agent":               {func(g *Grant) { g.To = "" }, "to"},
		"a hostile agent":        {func(g *Grant) { g.To = "co\u202eder" }, "to"},
		"a long agent":           {func(g *Grant) { g.To = long }, "to"},
		"a hostile id":           {func(g *Grant) { g.ID = "\x1b[31m" }, "id"},
		"an unknown mode":        {func(g *Grant) { g.Mode = "admin" }, "mode"},
		"a negative budget":      {func(g *Grant) { g.BudgetTokens = -1 }, "budget_tokens"},
		"a billion billions":     {func(g *Grant) { g.BudgetTokens = MaxBudget + 1 }, "budget_tokens"},
		"no end":                 {func(g *Grant) { g.Expires = time.Time{} }, "expires"},
		"an end before 1970":     {func(g *Grant) { g.Expires = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) }, "expires"},
		"an end after 9999":      {func(g *Grant) { g.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "expires"},
		"an end at the begin":    {func(g *Grant) { g.NotBefore = g.Expires }, "expires"},
		"an unknown tier":        {func(g *Grant) { g.Trust = 9 }, "trust"},
		"no include":             {func(g *Grant) { g.Include = Selectors{} }, "include"},
		"an empty list":          {func(g *Grant) { g.Include = Selectors{Types: []string{}} }, "include.types"},
		"an empty list beside":   {func(g *Grant) { g.Include.IDs = []string{} }, "include.ids"},
		"an empty exclude":       {func(g *Grant) { g.Exclude = Selectors{Tags: []string{}} }, "exclude.tags"},
		"all and a list":         {func(g *Grant) { g.Include.All = true }, "include"},
		"exclude all":            {func(g *Grant) { g.Exclude = Selectors{All: true} }, "exclude.all"},
		"exclude pinned":         {func(g *Grant) { g.Exclude = Selectors{Pinned: true} }, "exclude.pinned"},
		"all and pinned":         {func(g *Grant) { g.Include = Selectors{All: true, Pinned: true} }, "include.pinned"},
		"an unknown type":        {func(g *Grant) { g.Include.Types = []string{"facts"} }, "include.types[0]"},
		"a type of violations":   {func(g *Grant) { g.Include.Types = []string{"violation"} }, "include.types[0]"},
		"an empty tag":           {func(g *Grant) { g.Include.Tags = []string{""} }, "include.tags[0]"},
		"a tag with space":       {func(g *Grant) { g.Include.Tags = []string{" a"} }, "include.tags[0]"},
		"a long tag":             {func(g *Grant) { g.Include.Tags = []string{long[:129]} }, "include.tags[0]"},
		"a hostile id in a list": {func(g *Grant) { g.Include.IDs = []string{"a\nb"} }, "include.ids[0]"},
		"a long id in a list":    {func(g *Grant) { g.Include.IDs = []string{long} }, "include.ids[0]"},
		"not a frame":            {func(g *Grant) { g.Include.Frames = []string{"file"} }, "include.frames[0]"},
		"an unknown verb":        {func(g *Grant) { g.Include.Frames = []string{"edit:file"} }, "verb"},
		"an unknown object kind": {func(g *Grant) { g.Include.Frames = []string{"modify:path=x"} }, "kind"},
		"a star inside":          {func(g *Grant) { g.Include.Frames = []string{"modify:file=a*b"} }, "include.frames[0]"},
		"two stars":              {func(g *Grant) { g.Exclude.Frames = []string{"modify:file=a/**"} }, "exclude.frames[0]"},
		"a name with a gap":      {func(g *Grant) { g.To = "coder//x" }, "to"},
		"a name that ends open":  {func(g *Grant) { g.To = "coder/" }, "to"},
		"a name with space":      {func(g *Grant) { g.To = " coder" }, "to"},
		"a frame without a ref":  {func(g *Grant) { g.Include.Frames = []string{"modify:file="} }, "include.frames[0]"},
		"a long frame":           {func(g *Grant) { g.Include.Frames = []string{"modify:file=" + long} }, "include.frames[0]"},
		"an unknown section":     {func(g *Grant) { g.Include.Sections = []string{"all"} }, "include.sections[0]"},
		"a hostile session":      {func(g *Grant) { g.Exclude.Sessions = []string{"\xff"} }, "exclude.sessions[0]"},
		"too many": {func(g *Grant) {
			for i := range MaxItems + 1 {
				g.Include.IDs = append(g.Include.IDs, strings.Repeat("i", i+1))
			}
		}, "include.ids"},
	} {
		g := grant()
		c.change(&g)
		_, err := Mint(board, g)
		if fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: the message does not name %s: %v", what, c.field, err)
		}
		discreet(t, what, err)
	}
	for what, change := range map[string]func(*Grant){
		"everything":            func(g *Grant) { g.Include, g.Exclude = Selectors{All: true}, Selectors{} },
		"no exclude":            func(g *Grant) { g.Exclude = Selectors{} },
		"no budget":             func(g *Grant) { g.BudgetTokens = 0 },
		"a billion":             func(g *Grant) { g.BudgetTokens = 1_000_000_000 },
		"doubles, out of order": func(g *Grant) { g.Include.Tags = []string{"b", "a", "b"} },
		"an id of its own":      func(g *Grant) { g.ID = "my scope" },
		"no beginning":          func(g *Grant) { g.NotBefore = time.Time{} },
	} {
		g := grant()
		change(&g)
		token, err := Mint(board, g)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		verifyText(t, board, token)
	}
}

func TestDefaults(t *testing.T) {
	board := testKey(1)
	g := Grant{Tenant: "acme", By: "ann", To: "coder", Expires: epoch.Add(time.Hour), Include: Selectors{All: true}}
	token, err := Mint(board, g)
	if err != nil {
		t.Fatal(err)
	}
	a := verifyText(t, board, token)
	if a.MayWrite() || a.Trust() != record.Agent || a.Budget() != 0 || a.Agent() != "coder" || len(a.ID()) != 2*idBytes || !a.Everything() || a.Sealed() || a.By() != "ann" {
		t.Errorf("a grant that says little allows %+v", a)
	}
	narrow, err := token.Narrow(Grant{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verifyText(t, board, narrow); got.Agent() != "coder" || got.ID() != a.ID() || got.Trust() != a.Trust() || !got.Expires().Equal(a.Expires()) {
		t.Errorf("a block that says nothing changes something: %+v", got)
	}
	// The token shares no memory with what was passed in or returned.
	g.Include = Selectors{Tags: []string{"b", "a"}}
	if token, err = Mint(board, g); err != nil {
		t.Fatal(err)
	}
	text := token.String()
	g.Include.Tags[0] = "changed"
	token.Grants()[0].Include.Tags[0] = "changed"
	verifyText(t, board, token).Grants()[0].Include.Tags[0] = "changed"
	if token.String() != text {
		t.Error("a token can be changed from outside")
	}
}

func TestNoScope(t *testing.T) {
	var a *Access
	if !a.Allows(&Subject{Kind: record.Violation}) || !a.MayWrite() || a.Budget() != 0 || a.Trust() != record.Operator || a.Agent() != "" || a.ID() != "" ||
		a.Tenant() != "" || a.By() != "" || a.At(epoch) != nil || a.NotOver(epoch) != nil || !a.Everything() || !a.MayHoldSession("x") || a.Sealed() ||
		a.Grants() != nil || !a.Expires().IsZero() || !a.NotBefore().IsZero() {
		t.Error("no scope narrows something")
	}
	var none Token
	if none.String() != "" || none.Sealed() || len(none.Grants()) != 0 || none.Extends(none) {
		t.Error("no token is something")
	}
	for _, err := range []error{
		second(none.Narrow(Grant{})), second(none.Seal()), second(none.Verify(public(testKey(1)), "acme", epoch)), second(Parse(none.String())),
	} {
		if fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("of no token: %v", err)
		}
	}
	sealed := seal(t, mustMint(t))
	for _, err := range []error{second(sealed.Narrow(Grant{})), second(sealed.Seal())} {
		if fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("of a sealed token: %v", err)
		}
	}
	if _, err := Mint(nil, grant()); fault.CodeOf(err) != fault.Internal {
		t.Errorf("without a key: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func mustMint(t testing.TB) Token {
	t.Helper()
	token, err := Mint(testKey(1), grant())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestExtends: which tokens the holder of one may use in its place.
func TestExtends(t *testing.T) {
	_, tokens := three(t)
	_, others := three(t)
	sealed := seal(t, tokens[1])
	for what, c := range map[string]struct {
		token, from Token
		want        bool
	}{
		"itself":           {tokens[1], tokens[1], true},
		"narrowed":         {tokens[2], tokens[0], true},
		"sealed":           {sealed, tokens[1], true},
		"narrowed, sealed": {seal(t, tokens[2]), tokens[0], true},
		"wider":            {tokens[0], tokens[1], false},
		"another":          {others[2], tokens[0], false},
		"with its seal":    {sealed, sealed, true},
		"without its seal": {tokens[1], sealed, false},
		"beyond its seal":  {tokens[2], sealed, false},
	} {
		if got := c.token.Extends(c.from); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	bent := tokens[2]
	bent.blocks = append([]block(nil), bent.blocks...)
	bent.blocks[0].grant.Include = Selectors{All: true}
	if bent.Extends(tokens[0]) {
		t.Error("another block with the same signature")
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		want        bool
	}{
		{"coder", "coder", true}, {"coder/tests", "coder", true}, {"coder/a/b", "coder/a", true},
		{"coders", "coder", false}, {"code", "coder", false}, {"coder/", "coder", false}, {"", "coder", false}, {"x", "", false}, {"/x", "", false}, {"Coder/x", "coder", false},
	} {
		if got := Below(c.name, c.agent); got != c.want {
			t.Errorf("%q below %q: %v", c.name, c.agent, got)
		}
	}
}

// TestTypesAndSections: every type and kind has a section, and callers cannot invent types.
func TestTypesAndSections(t *testing.T) {
	known := make(map[string]bool)
	for _, s := range sections() {
		known[s] = true
	}
	for _, k := range append(memory.BodyKinds(), record.Event) {
		classes := []string{"made-up"}
		switch k {
		case record.Memory:
			classes = nil
			for _, typ := range memory.Types() {
				classes = append(classes, string(typ))
			}
		case record.Policy:
			classes = nil
			for _, p := range memory.PolicyKinds() {
				classes = append(classes, string(p))
			}
		}
		for _, class := range classes {
			if s := string(SectionOf(k, class)); !known[s] {
				t.Errorf("%s of class %s is in the section %q", k, class, s)
			}
			typ := TypeOf(k, class)
			if err := oneOf("type", typ, "type", Types()); (err == nil) != !boards(k) {
				t.Errorf("%s of class %s has the type %q: %v", k, class, typ, err)
			}
		}
	}
	if got := TypeOf(record.Entity, "fact"); got != "entity" {
		t.Errorf("an entity that calls itself a fact is a %s", got)
	}
	if SectionOf(record.Policy, "constraint") != "constraints" || SectionOf(record.Memory, "event") != "episodes" || SectionOf(record.Feedback, "") != "evidence" {
		t.Error("the table of sections is another one")
	}
}
