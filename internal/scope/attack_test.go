package scope

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// grant is a first block with every field.
func grant() Grant {
	return Grant{
		Tenant: "acme", By: "ann", To: "coder", Mode: Write, BudgetTokens: 2000, Trust: record.User,
		NotBefore: epoch, Expires: epoch.Add(time.Hour),
		Include: Selectors{Types: []string{"fact", "event"}, Frames: []string{"modify:file=internal/*"}},
		Exclude: Selectors{Tags: []string{"secret"}, Sessions: []string{"s9"}},
	}
}

// three is a token of three blocks, and the two that it was made from.
func three(t testing.TB) (board ed25519.PrivateKey, tokens [3]Token) {
	t.Helper()
	board = testKey(1)
	var err error
	if tokens[0], err = Mint(board, grant()); err != nil {
		t.Fatal(err)
	}
	if tokens[1], err = tokens[0].Narrow(Grant{To: "tests", Mode: Read, BudgetTokens: 500}); err != nil {
		t.Fatal(err)
	}
	if tokens[2], err = tokens[1].Narrow(Grant{Include: Selectors{Types: []string{"fact"}}, Expires: epoch.Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	return board, tokens
}

func seal(t testing.TB, token Token) Token {
	t.Helper()
	sealed, err := token.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// try parses and verifies a text at a time at which the tokens of three are valid.
func try(board ed25519.PrivateKey, text string) error {
	token, err := Parse(text)
	if err != nil {
		return err
	}
	_, err = token.Verify(public(board), "acme", epoch.Add(time.Second))
	return err
}

// refused fails the test unless a text is refused as an invalid token, without revealing a
// secret.
func refused(t *testing.T, what string, board ed25519.PrivateKey, text string, secrets ...string) {
	t.Helper()
	err := try(board, text)
	if fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("%s: %v", what, err)
		return
	}
	discreet(t, what, err, append(secrets, text)...)
}

// discreet fails the test if an error repeats a secret or a part of one.
func discreet(t *testing.T, what string, err error, secrets ...string) {
	t.Helper()
	told := strings.ReplaceAll(err.Error()+fault.From(err).Advice(), prefix, "")
	for _, s := range secrets {
		for len(s) >= 16 {
			if strings.Contains(told, s[:16]) {
				t.Errorf("%s: the error tells the secret: %s", what, told)
				return
			}
			s = s[16:]
		}
	}
	if len(told) > 600 || strings.ContainsAny(told, "\n\x1b") {
		t.Errorf("%s: the error is no line: %q", what, told)
	}
}

// secretText is a token's secret as in its JSON.
func secretText(token Token) string { return encoding.EncodeToString(token.secret.Seed()) }

// packed makes the text of a token out of JSON.
func packed(json string) string { return prefix + encoding.EncodeToString([]byte(json)) }

// unpacked returns the JSON of a token.
func unpacked(t testing.TB, token Token) string {
	t.Helper()
	data, err := encoding.DecodeString(strings.TrimPrefix(token.String(), prefix))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestGoodTokens(t *testing.T) {
	board, tokens := three(t)
	for i, token := range tokens {
		for _, tok := range []Token{token, seal(t, token)} {
			if err := try(board, tok.String()); err != nil {
				t.Errorf("token %d, sealed %v: %v", i, tok.Sealed(), err)
			}
		}
	}
}

// TestEveryByte flips bits of every character of a token's text, and of every
// byte beneath the base64.
func TestEveryByte(t *testing.T) {
	testsize.Long(t, "it changes every byte of a scope")
	board, tokens := three(t)
	for _, token := range []Token{tokens[1], seal(t, tokens[1])} {
		text := token.String()
		for i := range len(text) {
			for _, flip := range []byte{0x01, 0x02, 0x20, 0x80} {
				b := []byte(text)
				b[i] ^= flip
				if try(board, string(b)) == nil {
					t.Fatalf("bits %#x of character %d make no difference", flip, i)
				}
			}
			for _, c := range "A_-z0 \n=." {
				if b := []byte(text); byte(c) != b[i] {
					b[i] = byte(c)
					if try(board, string(b)) == nil {
						t.Fatalf("%q at character %d makes no difference", c, i)
					}
				}
			}
		}
		json := unpacked(t, token)
		for i := range len(json) {
			for bit := range 8 {
				b := []byte(json)
				b[i] ^= 1 << bit
				if try(board, packed(string(b))) == nil {
					t.Fatalf("bit %d of byte %d makes no difference", bit, i)
				}
			}
		}
	}
}

// TestEveryLength cuts a token short at every length, and adds to it.
func TestEveryLength(t *testing.T) {
	board, tokens := three(t)
	for _, token := range []Token{tokens[2], seal(t, tokens[2])} {
		text, json := token.String(), unpacked(t, token)
		for n := range len(text) {
			refused(t, fmt.Sprintf("the first %d characters", n), board, text[:n])
		}
		for n := range len(json) {
			refused(t, fmt.Sprintf("the first %d bytes", n), board, packed(json[:n]))
		}
		for _, more := range []string{"A", "AA", "=", "==", " ", "\n", "\r\n", ".", text, "\x00"} {
			refused(t, fmt.Sprintf("%q behind it", more), board, text+more)
			refused(t, fmt.Sprintf("%q before it", more), board, more+text)
			refused(t, fmt.Sprintf("%q in it", more), board, text[:40]+more+text[40:])
		}
	}
}

// TestSpelling writes the same token in other spellings.
func TestSpelling(t *testing.T) {
	board, tokens := three(t)
	token := tokens[1]
	json := unpacked(t, token)
	secret := secretText(token)
	old := func(from, to string) string {
		changed := strings.Replace(json, from, to, 1)
		if changed == json {
			t.Fatalf("the token has no %s", from)
		}
		return changed
	}
	for what, changed := range map[string]string{
		"white space":               old(`{"blocks":[`, `{ "blocks":[`),
		"a line break at the end":   json + "\n",
		"an escape":                 old(`"coder"`, `"\u0063oder"`),
		"a name in another case":    old(`"secret":`, `"Secret":`),
		"names in another order":    old(`"tenant":"acme","to":"coder"`, `"to":"coder","tenant":"acme"`),
		"a member left out":         old(`"mode":"write",`, ``),
		"a name twice":              old(`"mode":"write"`, `"mode":"read","mode":"write"`),
		"a name twice, as it was":   old(`"mode":"write"`, `"mode":"write","mode":"write"`),
		"blocks twice":              old(`{"blocks":[`, `{"blocks":[],"blocks":[`),
		"a secret twice":            old(`"secret":"`, `"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","secret":"`),
		"an unknown member":         old(`"mode":"write"`, `"mode":"write","more":true`),
		"an unknown member on top":  old(`{"blocks":[`, `{"alg":"none","blocks":[`),
		"an unknown selector":       old(`"types":[`, `"kinds":["memory"],"types":[`),
		"a null":                    old(`"mode":"write"`, `"mode":null`),
		"a number as text":          old(`"budget_tokens":2000`, `"budget_tokens":"2000"`),
		"a number with an exponent": old(`"budget_tokens":2000`, `"budget_tokens":2e3`),
		"a number with a fraction":  old(`"budget_tokens":2000`, `"budget_tokens":2000.0`),
		"a negative number":         old(`"budget_tokens":2000`, `"budget_tokens":-1`),
		"a huge number":             old(`"budget_tokens":2000`, `"budget_tokens":1e300`),
		"a list out of order":       old(`["event","fact"]`, `["fact","event"]`),
		"a list with doubles":       old(`["event","fact"]`, `["event","event"]`),
		"an empty list":             old(`["event","fact"]`, `[]`),
		"an empty include":          old(`"include":{`, `"include":{},"x":{`),
		"no list":                   old(`["event","fact"]`, `"fact"`),
		"a time with a fraction":    old(`"expires":"2026-03-14T01:00:00Z"`, `"expires":"2026-03-14T01:00:00.0Z"`),
		"a time with a zone":        old(`"expires":"2026-03-14T01:00:00Z"`, `"expires":"2026-03-14T02:00:00+01:00"`),
		"no time":                   old(`"expires":"2026-03-14T01:00:00Z"`, `"expires":"0001-01-01T00:00:00Z"`),
		"a padded secret":           old(secret, secret+"="),
		"a secret with stray bits":  old(secret, secret[:len(secret)-1]+"B"),
		"a short secret":            old(secret, secret[:40]),
		"no secret":                 old(`,"secret":"`+secret+`"`, ``),
		"an array":                  "[" + json + "]",
		"nothing":                   "",
		"null":                      "null",
		"no blocks":                 `{"blocks":[],"secret":"` + secret + `"}`,
		"a link that is none":       `{"blocks":[1],"secret":"` + secret + `"}`,
		"a link without a block":    `{"blocks":[{"signature":"` + strings.Repeat("A", 86) + `"}],"secret":"` + secret + `"}`,
		"not UTF-8":                 old(`"coder"`, "\"c\xffder\""),
		"a byte order mark":         "\xef\xbb\xbf" + json,
		"deep nesting":              strings.Repeat(`{"blocks":[`, 300) + "1" + strings.Repeat(`]}`, 300),
	} {
		refused(t, what, board, packed(changed), secret)
	}
	// Trailing bits that base64 ignores, and line breaks that Go's decoder skips.
	text := token.String()
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if last := text[:len(text)-1] + string(c); last != text {
			refused(t, "another last character", board, last, secret)
		}
	}
	refused(t, "padded", board, text+strings.Repeat("=", (4-len(text[len(prefix):])%4)%4+4), secret)
	refused(t, "the other alphabet", board, prefix+base64.StdEncoding.EncodeToString([]byte(json)), secret)
	refused(t, "folded", board, text[:60]+"\n"+text[60:], secret)
	refused(t, "another format", board, strings.Replace(text, "_1.", "_2.", 1), secret)
	refused(t, "in upper case", board, strings.ToUpper(text), secret)
}

// link makes a token out of parts, as an attacker would.
func link(secret ed25519.PrivateKey, sealed []byte, blocks ...block) string {
	return Token{blocks: blocks, secret: secret, seal: sealed}.String()
}

// TestForgery takes tokens apart and recombines them, with all secrets that a holder of the
// longest token has.
func TestForgery(t *testing.T) {
	board, tokens := three(t)
	_, others := three(t) // of the same board, with other keys
	all, mine := tokens[2].blocks, tokens[2].secret
	own, _ := newKey(zeros{})
	theirs := testKey(2)
	signedBy := func(key ed25519.PrivateKey, g Grant, before ...block) block {
		made, err := Token{blocks: before}.add(key, g, own)
		if err != nil {
			t.Fatal(err)
		}
		return made.blocks[len(before)]
	}
	changed := func(i int, change func(*block)) []block {
		out := slices.Clone(all)
		change(&out[i])
		return out
	}
	further := Grant{By: "coder/tests", Include: Selectors{All: true}}
	for what, text := range map[string]string{
		"the last block dropped":                link(mine, nil, all[:2]...),
		"all but the first dropped":             link(mine, nil, all[0]),
		"the first block dropped":               link(mine, nil, all[1:]...),
		"a block in the middle dropped":         link(mine, nil, all[0], all[2]),
		"blocks in another order":               link(mine, nil, all[0], all[2], all[1]),
		"a block twice":                         link(mine, nil, all[0], all[1], all[1], all[2]),
		"the first block twice":                 link(mine, nil, all[0], all[0]),
		"the middle of another token":           link(mine, nil, all[0], others[2].blocks[1], all[2]),
		"the end of another token":              link(others[2].secret, nil, all[0], others[2].blocks[1], others[2].blocks[2]),
		"the beginning of another token":        link(mine, nil, others[2].blocks[0], all[1], all[2]),
		"another token's secret":                link(others[2].secret, nil, all...),
		"a secret of one's own":                 link(own, nil, all...),
		"an earlier secret":                     link(tokens[1].secret, nil, all...),
		"a seal by a key of one's own":          link(nil, ed25519.Sign(own, tokens[2].sealed()), all...),
		"a seal of another chain":               link(nil, seal(t, others[2]).seal, all...),
		"a seal of a shorter chain":             link(nil, seal(t, tokens[1]).seal, all...),
		"a seal with the end dropped":           link(nil, seal(t, tokens[2]).seal, all[:2]...),
		"a seal as the signature of a block":    link(mine, nil, changed(2, func(b *block) { b.signature = seal(t, tokens[1]).seal })...),
		"a signature as the seal":               link(nil, all[2].signature, all...),
		"a sealed token narrowed":               link(own, nil, append(slices.Clone(all), signedBy(own, further, all...))...),
		"secret and seal":                       link(mine, seal(t, tokens[2]).seal, all...),
		"neither secret nor seal":               link(nil, nil, all...),
		"a block signed by a key of one's own":  link(own, nil, append(slices.Clone(all), signedBy(own, further, all...))...),
		"a first block of one's own":            link(own, nil, signedBy(own, grant0())),
		"a first block by another board":        link(own, nil, signedBy(theirs, grant0())),
		"a first block signed with the secret":  link(own, nil, signedBy(mine, grant0())),
		"a block signed without the one before": link(own, nil, append(slices.Clone(all), signedBy(mine, further))...),
		"a block signed for another place":      link(own, nil, append(slices.Clone(all), signedBy(mine, further, all[:2]...))...),
		"another tenant":                        link(mine, nil, changed(0, func(b *block) { b.grant.Tenant = "other" })...),
		"a wider include":                       link(mine, nil, changed(0, func(b *block) { b.grant.Include = Selectors{All: true} })...),
		"no exclude":                            link(mine, nil, changed(0, func(b *block) { b.grant.Exclude = Selectors{} })...),
		"a later end":                           link(mine, nil, changed(0, func(b *block) { b.grant.Expires = b.grant.Expires.Add(time.Hour) })...),
		"more trust":                            link(mine, nil, changed(0, func(b *block) { b.grant.Trust = record.Operator })...),
		"another key in a block":                link(mine, nil, changed(1, func(b *block) { b.next = public(own) })...),
		"no signature":                          link(mine, nil, changed(1, func(b *block) { b.signature = make([]byte, 64) })...),
		"a zero key":                            link(mine, nil, changed(2, func(b *block) { b.next = make([]byte, 32) })...),
	} {
		refused(t, what, board, text, secretText(tokens[0]), secretText(tokens[2]))
	}
	if err := try(theirs, tokens[2].String()); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("at another board: %v", err)
	}
	token := tokens[2]
	for _, key := range []ed25519.PublicKey{nil, {}, make([]byte, 32), make([]byte, 31), all[0].next} {
		if _, err := token.Verify(key, "acme", epoch); fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("with the key %x: %v", key, err)
		}
	}
	// Adding the order of the group to a signature gives a second valid one for the same text,
	// unless the verifier checks for it.
	for i := range all {
		bent := changed(i, func(b *block) { b.signature = addOrder(b.signature) })
		refused(t, "a bent signature", board, link(mine, nil, bent...))
	}
}

// grant0 is a first block that allows everything.
func grant0() Grant {
	return Grant{
		ID: "mine", Tenant: "acme", By: "ann", To: "root", Mode: Write, Trust: record.Operator,
		Expires: epoch.Add(time.Hour), Include: Selectors{All: true},
	}
}

// zeros is a source of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// addOrder adds the order of Ed25519's group to the second half of a signature.
func addOrder(signature []byte) []byte {
	order := [32]byte{
		0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
	}
	out := bytes.Clone(signature)
	carry := 0
	for i := range order {
		sum := int(out[32+i]) + int(order[i]) + carry
		out[32+i], carry = byte(sum), sum>>8
	}
	return out
}

// TestWidened signs blocks that claim too much with the right secret, as the holder of a token
// can.
func TestWidened(t *testing.T) {
	board, tokens := three(t)
	base := tokens[1] // reads, 500 tokens, coder/tests
	own, _ := newKey(zeros{})
	for what, c := range map[string]struct {
		grant Grant
		code  string
	}{
		"mode":           {Grant{Mode: Write}, "mode"},
		"budget":         {Grant{BudgetTokens: 501}, "budget_tokens"},
		"end":            {Grant{Expires: epoch.Add(time.Hour + time.Second)}, "expires"},
		"beginning":      {Grant{NotBefore: epoch.Add(-time.Second)}, "not_before"},
		"trust":          {Grant{Trust: record.Operator}, "trust"},
		"another agent":  {Grant{To: "ann"}, "to"},
		"the agent over": {Grant{To: "coder"}, "to"},
		"a near name":    {Grant{To: "coder/testsuite"}, "to"},
		"another giver":  {Grant{By: "ann"}, "by"},
		"a tenant":       {Grant{Tenant: "acme"}, "tenant"},
		"no time at all": {Grant{NotBefore: epoch.Add(time.Hour - 1)}, "expires"},
	} {
		g := c.grant.normal()
		if g.By == "" {
			g.By = "coder/tests"
		}
		forged, err := base.add(base.secret, g, own)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []Token{forged, seal(t, forged)} {
			err := try(board, token.String())
			if fault.CodeOf(err) != fault.ScopeInvalid || !strings.Contains(err.Error(), c.code+":") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := forged.Narrow(Grant{}); fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("%s: what is widened can be narrowed: %v", what, err)
		}
	}
	// Narrow itself refuses them, or moves names below their giver.
	for what, g := range map[string]Grant{
		"mode": {Mode: Write}, "budget": {BudgetTokens: 501}, "end": {Expires: epoch.Add(2 * time.Hour)}, "beginning": {NotBefore: epoch.Add(-1 * time.Hour)},
		"trust": {Trust: record.Operator}, "tenant": {Tenant: "acme"}, "giver": {By: "ann"},
	} {
		if _, err := base.Narrow(g); fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("narrowing by a wider %s: %v", what, err)
		}
	}
	below, err := base.Narrow(Grant{To: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if got := verifyText(t, board, below).Agent(); got != "coder/tests/ann" {
		t.Errorf("the agent is %q", got)
	}
}

func TestTimes(t *testing.T) {
	board, tokens := three(t)
	token := tokens[2] // from epoch, for a minute
	for what, c := range map[string]struct {
		at   time.Time
		code fault.Code
	}{
		"before its time":     {epoch.Add(-1), fault.ScopeInvalid},
		"at its first moment": {epoch, ""},
		"at its last moment":  {epoch.Add(time.Minute - 1), ""},
		"at its end":          {epoch.Add(time.Minute), fault.ScopeExpired},
		"long after":          {epoch.AddDate(10, 0, 0), fault.ScopeExpired},
		"in another zone":     {epoch.Add(time.Minute).In(time.FixedZone("", 3600)), fault.ScopeExpired},
		"without a time":      {time.Time{}, fault.InvalidArgument},
	} {
		if _, err := token.Verify(public(board), "acme", c.at); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := token.Verify(public(board), "other", epoch); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("for another tenant: %v", err)
	}
	for _, tenant := range []string{"", "acme ", "ACME", "acm", "acme\x00"} {
		if _, err := token.Verify(public(board), tenant, epoch); fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("for the tenant %q: %v", tenant, err)
		}
	}
	// Fractions of a second are cut so that nothing widens.
	g := grant()
	g.NotBefore, g.Expires = epoch.Add(time.Millisecond), epoch.Add(time.Minute+time.Second-1)
	cut, err := Mint(board, g)
	if err != nil {
		t.Fatal(err)
	}
	access := verifyText(t, board, cut)
	if !access.NotBefore().Equal(epoch.Add(time.Second)) || !access.Expires().Equal(epoch.Add(time.Minute)) {
		t.Errorf("it is good from %s to %s", access.NotBefore(), access.Expires())
	}
}

func TestSizes(t *testing.T) {
	board := testKey(1)
	for what, text := range map[string]string{
		"a megabyte":          prefix + strings.Repeat("A", 1<<20),
		"one byte too many":   prefix + strings.Repeat("A", MaxText-len(prefix)+1),
		"a megabyte of words": strings.Repeat("word ", 1<<18),
		"nothing":             "",
		"the beginning":       prefix,
		"something else":      "Bearer abc",
	} {
		refused(t, what, board, text)
	}
	token, err := Mint(board, grant())
	if err != nil {
		t.Fatal(err)
	}
	for len(token.blocks) < MaxBlocks {
		if token, err = token.Narrow(Grant{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := try(board, token.String()); err != nil {
		t.Errorf("with %d blocks: %v", MaxBlocks, err)
	}
	if _, err := token.Narrow(Grant{}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("a block too many: %v", err)
	}
	own, _ := newKey(zeros{})
	more, err := token.add(token.secret, Grant{By: "coder"}, own)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "17 blocks, well signed", board, more.String())

	many := grant()
	for i := range MaxItems {
		many.Include.Tags = append(many.Include.Tags, fmt.Sprintf("%0128d", i))
		many.Include.IDs = append(many.Include.IDs, fmt.Sprintf("%01024d", i))
	}
	if _, err := Mint(board, many); fault.CodeOf(err) != fault.ScopeInvalid || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a token of more than %d bytes: %v", MaxText, err)
	}
	full := grant()
	full.Include = Selectors{IDs: []string{strings.Repeat("x", 1024)}}
	if token, err = Mint(board, full); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		token, err = token.Narrow(Grant{Include: full.Include})
	}
	if fault.CodeOf(err) != fault.ScopeInvalid || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("narrowing beyond %d bytes: %v", MaxText, err)
	}
}

// TestWellSigned signs invalid blocks with the right keys: the holder of a token can sign
// anything.
func TestWellSigned(t *testing.T) {
	board := testKey(1)
	sign := func(grants ...Grant) string {
		token, key := Token{}, board
		for _, g := range grants {
			next, err := newKey(zeros{})
			if err != nil {
				t.Fatal(err)
			}
			b := block{grant: g, next: public(next)}
			b.signature = ed25519.Sign(key, token.signed(len(token.blocks), b.append(nil)))
			token, key = Token{blocks: append(slices.Clone(token.blocks), b), secret: next}, next
		}
		return token.String()
	}
	first := grant0()
	if err := try(board, sign(first, Grant{By: "root", Include: Selectors{Tags: []string{"a", "b"}}})); err != nil {
		t.Fatalf("a good chain: %v", err)
	}
	many := make([]string, MaxItems+1)
	for i := range many {
		many[i] = fmt.Sprintf("%03d", i)
	}
	for what, g := range map[string]Grant{
		"a list out of order":   {Exclude: Selectors{Tags: []string{"b", "a"}}},
		"a list with doubles":   {Exclude: Selectors{Tags: []string{"a", "a"}}},
		"too many items":        {Include: Selectors{IDs: many}},
		"a hostile name":        {To: "root/\u202e"},
		"a long name":           {To: "root/" + strings.Repeat("x", 1024)},
		"an unknown mode":       {Mode: "admin"},
		"an unknown type":       {Include: Selectors{Types: []string{"facts"}}},
		"an unknown section":    {Exclude: Selectors{Sections: []string{"x"}}},
		"no frame":              {Exclude: Selectors{Frames: []string{"x"}}},
		"all and a list":        {Include: Selectors{All: true, Tags: []string{"a"}}},
		"exclude all":           {Exclude: Selectors{All: true}},
		"a budget beyond":       {BudgetTokens: MaxBudget + 1},
		"an end before 1970":    {Expires: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)},
		"an empty item":         {Include: Selectors{Tags: []string{""}}},
		"more than the limit":   {Include: Selectors{IDs: []string{strings.Repeat("a", 1024), strings.Repeat("b", 1024), strings.Repeat("c", 1024), strings.Repeat("d", 1024), strings.Repeat("e", 1024), strings.Repeat("f", 1024), strings.Repeat("g", 1024), strings.Repeat("h", 1024), strings.Repeat("i", 1024), strings.Repeat("j", 1024), strings.Repeat("k", 1024), strings.Repeat("l", 1024)}}},
		"an end that is no end": {NotBefore: first.Expires},
	} {
		g.By = "root"
		refused(t, what, board, sign(first, g))
	}
	for what, change := range map[string]func(*Grant){
		"no id": func(g *Grant) { g.ID = "" }, "no giver": func(g *Grant) { g.By = "" }, "no agent": func(g *Grant) { g.To = "" }, "no mode": func(g *Grant) { g.Mode = "" },
		"no tier": func(g *Grant) { g.Trust = 0 }, "no end": func(g *Grant) { g.Expires = time.Time{} }, "no include": func(g *Grant) { g.Include = Selectors{} },
		"no tenant": func(g *Grant) { g.Tenant = "" },
	} {
		g := grant0()
		change(&g)
		refused(t, "a first block with "+what, board, sign(g))
	}
}
