package scope

import (
	"crypto/ed25519"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/record"
)

// prefix is the prefix of every token, with its format.
const prefix = "lukasa_scope_1."

// encoding is the unpadded base64 of RFC 4648, section 5.
var encoding = base64.RawURLEncoding.Strict()

// timeForm is the format of times.
const timeForm = "2006-01-02T15:04:05Z"

// String returns the text of the token, or "" for none.
func (t Token) String() string {
	if len(t.blocks) == 0 {
		return ""
	}
	return prefix + encoding.EncodeToString(t.append(nil))
}

// append appends the token as canonical JSON.
func (t Token) append(dst []byte) []byte {
	dst = append(dst, `{"blocks":[`...)
	for i := range t.blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"block":`...)
		dst = t.blocks[i].append(dst)
		dst = appendBytes(append(dst, `,"signature":`...), t.blocks[i].signature)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if t.seal != nil {
		dst = appendBytes(append(dst, `,"seal":`...), t.seal)
	}
	if t.secret != nil {
		dst = appendBytes(append(dst, `,"secret":`...), t.secret.Seed())
	}
	return append(dst, '}')
}

func appendBytes(dst, b []byte) []byte {
	return append(encoding.AppendEncode(append(dst, '"'), b), '"')
}

// object writes the members of a JSON object. The caller must keep the order of names.
type object struct {
	dst  []byte
	more bool
}

func (o *object) name(name string) {
	if o.more {
		o.dst = append(o.dst, ',')
	}
	o.more = true
	o.dst = append(canon.AppendQuoted(o.dst, name), ':')
}

func (o *object) text(name, value string) {
	if value != "" {
		o.name(name)
		o.dst = canon.AppendQuoted(o.dst, value)
	}
}

func (o *object) time(name string, at time.Time) {
	if !at.IsZero() {
		o.text(name, at.UTC().Format(timeForm))
	}
}

func (o *object) selectors(name string, s *Selectors) {
	if s.empty() {
		return
	}
	o.name(name)
	in := object{dst: append(o.dst, '{')}
	if s.All {
		in.name("all")
		in.dst = append(in.dst, "true"...)
	}
	for _, l := range s.lists() {
		if l.of == bySection && s.Pinned {
			in.name("pinned") // in the order of names
			in.dst = append(in.dst, "true"...)
		}
		if len(*l.items) == 0 {
			continue
		}
		in.name(l.name)
		in.dst = append(in.dst, '[')
		for i, item := range *l.items {
			if i > 0 {
				in.dst = append(in.dst, ',')
			}
			in.dst = canon.AppendQuoted(in.dst, item)
		}
		in.dst = append(in.dst, ']')
	}
	o.dst = append(in.dst, '}')
}

// append appends a block without its signature as canonical JSON.
func (b *block) append(dst []byte) []byte {
	g := &b.grant
	o := object{dst: append(dst, '{')}
	if g.BudgetTokens > 0 {
		o.name("budget_tokens")
		o.dst = strconv.AppendInt(o.dst, int64(g.BudgetTokens), 10)
	}
	o.text("by", g.By)
	o.selectors("exclude", &g.Exclude)
	o.time("expires", g.Expires)
	o.text("id", g.ID)
	o.selectors("include", &g.Include)
	o.text("mode", string(g.Mode))
	o.name("next")
	o.dst = appendBytes(o.dst, b.next)
	o.time("not_before", g.NotBefore)
	o.text("tenant", g.Tenant)
	o.text("to", g.To)
	if g.Trust != 0 {
		o.text("trust", g.Trust.String())
	}
	return append(o.dst, '}')
}

// Parse strictly parses the text of a token: it accepts only what String writes. It verifies
// nothing.
func Parse(text string) (Token, error) {
	const fix = "use the whole token as it was given, in one line"
	if len(text) > MaxText {
		return Token{}, invalid("it has %d bytes, but may have at most %d", len(text), MaxText).WithFix(fix)
	}
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return Token{}, invalid("it does not begin with %s", prefix).WithFix(fix)
	}
	data, err := encoding.DecodeString(rest)
	if err != nil {
		return Token{}, invalid("it is cut short, or not in canonical base64").WithFix(fix)
	}
	r := reader{}
	if flaws := r.doc.Parse(data); flaws != nil {
		return Token{}, invalid("it is cut short, or not strict JSON (%s)", flaws[0].Code).WithFix(fix)
	}
	t := r.token(r.doc.Root())
	if r.err != nil {
		return Token{}, r.err
	}
	// A text that String would write differently is another spelling.
	if t.String() != text {
		return Token{}, invalid("it is not spelled as tokens are").WithFix(fix)
	}
	return t, nil
}

// reader parses a token's JSON. It keeps the first problem.
type reader struct {
	doc canon.Doc
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = invalid(format, args...)
	}
}

// members calls visit for every member of an object; visit reports whether it knows the name.
func (r *reader) members(n canon.Node, what string, visit func(name string, v canon.Node) bool) {
	if r.err != nil {
		return
	}
	if r.doc.Kind(n) != canon.Object {
		r.fail("%s is not an object", what)
		return
	}
	for c := r.doc.First(n); c != canon.None && r.err == nil; c = r.doc.Next(n, c) {
		if !visit(string(r.doc.Key(c)), c) {
			r.fail("%s has a member that is not known", what)
		}
	}
}

func (r *reader) text(n canon.Node, what string) string {
	if r.doc.Kind(n) != canon.String {
		r.fail("%s is not a string", what)
		return ""
	}
	return r.doc.Text(n)
}

// bytes reads base64 of a given length.
func (r *reader) bytes(n canon.Node, what string, size int) []byte {
	b, err := encoding.DecodeString(r.text(n, what))
	if err != nil || len(b) != size {
		r.fail("%s is not %d bytes in canonical base64", what, size)
		return nil
	}
	return b
}

func (r *reader) time(n canon.Node, what string) time.Time {
	at, err := time.Parse(timeForm, r.text(n, what))
	if err != nil || at.IsZero() {
		r.fail("%s is not a time in whole seconds of UTC", what)
	}
	return at
}

func (r *reader) token(n canon.Node) Token {
	var t Token
	r.members(n, "the token", func(name string, v canon.Node) bool {
		switch name {
		case "blocks":
			t.blocks = r.blocks(v)
		case "seal":
			t.seal = r.bytes(v, "the seal", ed25519.SignatureSize)
		case "secret":
			if seed := r.bytes(v, "the secret", ed25519.SeedSize); seed != nil {
				t.secret = ed25519.NewKeyFromSeed(seed)
			}
		default:
			return false
		}
		return true
	})
	switch {
	case len(t.blocks) == 0:
		r.fail("it has no blocks")
	case (t.seal == nil) == (t.secret == nil):
		r.fail("it must end with either a secret or a seal")
	}
	return t
}

func (r *reader) blocks(n canon.Node) []block {
	if r.doc.Kind(n) != canon.Array {
		r.fail("blocks is not an array")
		return nil
	}
	if count := r.doc.Len(n); count > MaxBlocks {
		r.fail("it has %d blocks, but may have at most %d", count, MaxBlocks)
		return nil
	}
	var blocks []block
	for c := r.doc.First(n); c != canon.None && r.err == nil; c = r.doc.Next(n, c) {
		var b block
		r.members(c, "a link", func(name string, v canon.Node) bool {
			switch name {
			case "block":
				r.block(v, &b)
			case "signature":
				b.signature = r.bytes(v, "a signature", ed25519.SignatureSize)
			default:
				return false
			}
			return true
		})
		if b.next == nil || b.signature == nil {
			r.fail("a link lacks its block, key or signature")
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// block reads one block, by the rules that apply to it alone.
func (r *reader) block(n canon.Node, b *block) {
	g := &b.grant
	r.members(n, "a block", func(name string, v canon.Node) bool {
		switch name {
		case "budget_tokens":
			count, whole := int64(0), false
			if r.doc.Kind(v) == canon.Number {
				count, whole = r.doc.Int(v)
			}
			if !whole || count < 1 || count > MaxBudget {
				r.fail("budget_tokens is not a whole number from 1 to %d", MaxBudget)
			}
			g.BudgetTokens = int(count)
		case "by":
			g.By = r.text(v, name)
		case "exclude":
			g.Exclude = r.selectors(v, name)
		case "expires":
			g.Expires = r.time(v, name)
		case "id":
			g.ID = r.text(v, name)
		case "include":
			g.Include = r.selectors(v, name)
		case "mode":
			g.Mode = Mode(r.text(v, name))
		case "next":
			b.next = r.bytes(v, name, ed25519.PublicKeySize)
		case "not_before":
			g.NotBefore = r.time(v, name)
		case "tenant":
			g.Tenant = r.text(v, name)
		case "to":
			g.To = r.text(v, name)
		case "trust":
			var ok bool
			if g.Trust, ok = record.ParseTrust(r.text(v, name)); !ok {
				r.fail("trust is not a tier")
			}
		default:
			return false
		}
		return true
	})
	if r.err == nil {
		r.err = g.check()
	}
}

func (r *reader) selectors(n canon.Node, what string) Selectors {
	var s Selectors
	r.members(n, what, func(name string, v canon.Node) bool {
		if name == "all" {
			if s.All = r.doc.Kind(v) == canon.True; !s.All {
				r.fail("%s.all is not true", what)
			}
			return true
		}
		if name == "pinned" {
			if s.Pinned = r.doc.Kind(v) == canon.True; !s.Pinned {
				r.fail("%s.pinned is not true", what)
			}
			return true
		}
		for _, l := range s.lists() {
			if l.name == name {
				*l.items = r.words(v, what+"."+name)
				return true
			}
		}
		return false
	})
	if s.empty() {
		r.fail("%s is given and empty", what)
	}
	return s
}

// words reads a list of texts. An empty list is not nil.
func (r *reader) words(n canon.Node, what string) []string {
	list := []string{}
	if r.doc.Kind(n) != canon.Array {
		r.fail("%s is not an array", what)
		return list
	}
	for c := r.doc.First(n); c != canon.None && r.err == nil; c = r.doc.Next(n, c) {
		list = append(list, r.text(c, what))
	}
	return list
}
