package notary

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// MaxProof is the largest proof document that is read, in bytes. A reader of a
// stream should stop there.
const MaxProof = 32 << 20

// maxTokens limits the values in a proof document, so that a hostile one cannot
// make a JSON reader use many times its length in memory.
const maxTokens = 4096

// Proof proves that a record is in a tenant's log. docs/formats/proof.md
// describes the document; as JSON it is one object.
type Proof struct {
	Tenant   string
	Position uint64
	Header   []byte // the record's header, encoded
	// Salt and Payload are the record's body. Both are nil if it was erased or
	// is withheld; an empty payload is not nil.
	Salt       []byte
	Payload    []byte
	LeafHash   merkle.Hash
	Size       uint64 // of the tree
	Root       merkle.Hash
	Path       []merkle.Hash // from the leaf up
	Checkpoint string        // signed note over size and root, or ""
}

// ConsistencyProof proves that a tree of a tenant's log is a prefix of a later
// one.
type ConsistencyProof struct {
	Tenant   string
	From, To uint64
	FromRoot merkle.Hash
	ToRoot   merkle.Hash
	Path     []merkle.Hash
}

// MarshalJSON writes the document. The tenant must be valid UTF-8.
func (p *Proof) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(p.Tenant) || !utf8.ValidString(p.Checkpoint) {
		return nil, fault.New(fault.InvalidArgument, "proof: tenant or checkpoint is not valid UTF-8, so JSON cannot carry it")
	}
	b := canon.AppendQuoted([]byte(`{"tenant":`), p.Tenant)
	b = strconv.AppendUint(append(b, `,"position":`...), p.Position, 10)
	b = appendHex(append(b, `,"header":`...), p.Header)
	if p.Salt != nil {
		b = appendHex(append(b, `,"salt":`...), p.Salt)
	}
	if p.Payload != nil {
		b = base64.StdEncoding.AppendEncode(append(b, `,"payload":"`...), p.Payload)
		b = append(b, '"')
	}
	b = appendHex(append(b, `,"leaf_hash":`...), p.LeafHash[:])
	b = strconv.AppendUint(append(b, `,"size":`...), p.Size, 10)
	b = appendHex(append(b, `,"root":`...), p.Root[:])
	b = appendPath(append(b, `,"path":`...), p.Path)
	if p.Checkpoint != "" {
		b = canon.AppendQuoted(append(b, `,"checkpoint":`...), p.Checkpoint)
	}
	return append(b, '}'), nil
}

// ParseProof parses a proof document strictly: it refuses unknown, repeated or
// differently spelled names, numbers with a fraction, and upper-case hex. It
// does not verify the proof.
func ParseProof(data []byte) (Proof, error) {
	var p Proof
	d := document{kind: "proof"}
	err := d.read(data, []member{
		{"tenant", true, d.text(&p.Tenant)},
		{"position", true, d.number(&p.Position)},
		{"header", true, d.hexBytes(&p.Header)},
		{"salt", false, d.hexBytes(&p.Salt)},
		{"payload", false, d.base64(&p.Payload)},
		{"leaf_hash", true, d.hash(&p.LeafHash)},
		{"size", true, d.number(&p.Size)},
		{"root", true, d.hash(&p.Root)},
		{"path", true, d.path(&p.Path)},
		{"checkpoint", false, d.note(&p.Checkpoint)},
	})
	if err != nil {
		return Proof{}, err
	}
	return p, nil
}

// UnmarshalJSON is [ParseProof].
func (p *Proof) UnmarshalJSON(data []byte) (err error) {
	*p, err = ParseProof(data)
	return err
}

// MarshalJSON writes the document. The tenant must be valid UTF-8.
func (p *ConsistencyProof) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(p.Tenant) {
		return nil, fault.New(fault.InvalidArgument, "consistency proof: the tenant is not valid UTF-8, so JSON cannot carry it")
	}
	b := canon.AppendQuoted([]byte(`{"tenant":`), p.Tenant)
	b = strconv.AppendUint(append(b, `,"from":`...), p.From, 10)
	b = strconv.AppendUint(append(b, `,"to":`...), p.To, 10)
	b = appendHex(append(b, `,"from_root":`...), p.FromRoot[:])
	b = appendHex(append(b, `,"to_root":`...), p.ToRoot[:])
	b = appendPath(append(b, `,"path":`...), p.Path)
	return append(b, '}'), nil
}

// ParseConsistencyProof parses a consistency proof as strictly as [ParseProof].
func ParseConsistencyProof(data []byte) (ConsistencyProof, error) {
	var p ConsistencyProof
	d := document{kind: "consistency proof"}
	err := d.read(data, []member{
		{"tenant", true, d.text(&p.Tenant)},
		{"from", true, d.number(&p.From)},
		{"to", true, d.number(&p.To)},
		{"from_root", true, d.hash(&p.FromRoot)},
		{"to_root", true, d.hash(&p.ToRoot)},
		{"path", true, d.path(&p.Path)},
	})
	if err != nil {
		return ConsistencyProof{}, err
	}
	return p, nil
}

// UnmarshalJSON is [ParseConsistencyProof].
func (p *ConsistencyProof) UnmarshalJSON(data []byte) (err error) {
	*p, err = ParseConsistencyProof(data)
	return err
}

// appendHex appends b as a JSON string of lower-case hex.
func appendHex(dst, b []byte) []byte {
	return append(hex.AppendEncode(append(dst, '"'), b), '"')
}

// appendPath appends hashes as a JSON array.
func appendPath(dst []byte, path []merkle.Hash) []byte {
	dst = append(dst, '[')
	for i := range path {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendHex(dst, path[i][:])
	}
	return append(dst, ']')
}

// document reads one JSON object strictly.
type document struct {
	kind string
	doc  canon.Doc
}

// member is an allowed member of a document: a name and how its value is read.
type member struct {
	name     string
	required bool
	read     func(canon.Node) error
}

// read reads data, which must be one object with these members and no others.
func (d *document) read(data []byte, members []member) error {
	if len(data) > MaxProof {
		return fault.Newf(fault.TooLarge, "%s: %d bytes are more than %d", d.kind, len(data), MaxProof)
	}
	tokens := 0
	for _, c := range data {
		if c == ',' || c == '[' || c == '{' {
			tokens++
		}
	}
	if tokens > maxTokens {
		return fault.Newf(fault.InvalidDocument, "%s: it has far more values than a proof has", d.kind)
	}
	if flaws := d.doc.Parse(data); flaws != nil {
		return fault.Newf(fault.InvalidDocument, "%s: %w", d.kind, &canon.Error{Flaws: flaws[:1:1]})
	}
	root := d.doc.Root()
	if d.doc.Kind(root) != canon.Object {
		return fault.Newf(fault.InvalidDocument, "%s: it is a JSON %s, not an object", d.kind, d.doc.Kind(root))
	}
	seen := make([]bool, len(members))
	for c := d.doc.First(root); c != canon.None; c = d.doc.Next(root, c) {
		i := 0
		for i < len(members) && members[i].name != string(d.doc.Key(c)) {
			i++
		}
		if i == len(members) {
			return fault.Newf(fault.InvalidDocument, "%s: it cannot have a member %q; names are in lower case", d.kind, clip(string(d.doc.Key(c))))
		}
		seen[i] = true
		if err := members[i].read(c); err != nil {
			return fault.Newf(fault.InvalidDocument, "%s: %s: %w", d.kind, members[i].name, err)
		}
	}
	for i, m := range members {
		if m.required && !seen[i] {
			return fault.Newf(fault.InvalidDocument, "%s: the member %q is missing", d.kind, m.name)
		}
	}
	return nil
}

// Each method below returns a reader that stores a value of one type.

func (d *document) text(to *string) func(canon.Node) error {
	return func(n canon.Node) error {
		s, err := d.str(n)
		*to = s
		return err
	}
}

func (d *document) note(to *string) func(canon.Node) error {
	return func(n canon.Node) error {
		s, err := d.str(n)
		if err == nil && s == "" {
			err = errors.New("it is empty; without a checkpoint the member is left out")
		}
		*to = s
		return err
	}
}

func (d *document) number(to *uint64) func(canon.Node) error {
	return func(n canon.Node) error {
		if k := d.doc.Kind(n); k != canon.Number {
			return fmt.Errorf("it is a JSON %s, not a number", k)
		}
		v, err := merkle.ParseSize(string(d.doc.Raw(n)))
		*to = v
		return err
	}
}

func (d *document) hexBytes(to *[]byte) func(canon.Node) error {
	return func(n canon.Node) error {
		s, err := d.str(n)
		if err != nil {
			return err
		}
		b, err := hex.DecodeString(s)
		if err != nil || hex.EncodeToString(b) != s {
			return fmt.Errorf("%q is not lower-case hex", clip(s))
		}
		*to = b
		return nil
	}
}

func (d *document) base64(to *[]byte) func(canon.Node) error {
	return func(n canon.Node) error {
		s, err := d.str(n)
		if err != nil {
			return err
		}
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil || len(s) != base64.StdEncoding.EncodedLen(len(b)) {
			return errors.New("it is not canonical base64")
		}
		if *to = b; b == nil {
			*to = []byte{}
		}
		return nil
	}
}

func (d *document) hash(to *merkle.Hash) func(canon.Node) error {
	return func(n canon.Node) error {
		s, err := d.str(n)
		if err != nil {
			return err
		}
		*to, err = parseHex(s)
		return err
	}
}

func (d *document) path(to *[]merkle.Hash) func(canon.Node) error {
	return func(n canon.Node) error {
		if k := d.doc.Kind(n); k != canon.Array {
			return fmt.Errorf("it is a JSON %s, not an array", k)
		}
		for c := d.doc.First(n); c != canon.None; c = d.doc.Next(n, c) {
			if len(*to) == merkle.MaxPath {
				return fmt.Errorf("it has more than %d hashes", merkle.MaxPath)
			}
			s, err := d.str(c)
			if err != nil {
				return err
			}
			h, err := parseHex(s)
			if err != nil {
				return err
			}
			*to = append(*to, h)
		}
		return nil
	}
}

// str returns the value of a string.
func (d *document) str(n canon.Node) (string, error) {
	if k := d.doc.Kind(n); k != canon.String {
		return "", fmt.Errorf("it is a JSON %s, not a string", k)
	}
	return d.doc.Text(n), nil
}
