// Package spool keeps events in files until a process has the board open and folds them in.
//
// One process at a time opens a board. A hook that cannot open it, and must not make the agent
// wait, writes its events to the directory SPOOL of the data directory. docs/formats/spool.md
// describes the files.
//
// # What is guaranteed
//
//   - [Write] returns nil when the events are durable. A partial file never has the final
//     name: it is written under another name, synced and renamed.
//   - [Fold] records every event of every file exactly once, by its id, however often it is
//     called, stopped or killed. It removes a file only when its events are durable in the
//     journal.
//   - Events of a session are folded in by their sequence, across files.
//   - Damage affects only its own file, which is put aside and reported. So is what the board
//     refuses for good.
//   - No event is trusted more than its file says, and never more than a user.
//
// # What is not
//
// A process that can write the data directory can spool events. Files stay until [Fold] reads
// them.
package spool

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/secret"
)

// Names in a data directory.
const (
	Dir   = "SPOOL" // in the data directory
	aside = "aside" // in Dir: what could not be folded in
	ext   = ".spool"
	raw   = ".input" // in aside: unrecognizable input
)

// Limits on what is kept aside for inspection.
const (
	maxKept      = 32
	maxKeptBytes = 1 << 20
)

// version is the format number. A file with a newer one is left in place.
const version = 1

// maxFile is the largest file in bytes. A batch is far smaller: no hook has more than a few
// events.
const maxFile = 64 << 20

// Batch is what one file holds.
type Batch struct {
	// Tenant owns the events. If empty, the folding process decides.
	Tenant string
	// Scope is a token that limits the events, or empty.
	Scope string
	Items []Item
}

// Item is an event with its maximum trust.
type Item struct {
	Event   *hmx.Event
	Ceiling record.Trust
}

// head is the first line of a file.
type head struct {
	Spool  int    `json:"lukasa_spool"`
	Tenant string `json:"tenant,omitempty"`
	Scope  string `json:"scope,omitempty"`
	Events int    `json:"events"`
	SHA256 string `json:"sha256"` // of everything after this line
}

// line is every other line.
type line struct {
	Ceiling string          `json:"ceiling"`
	Event   json.RawMessage `json:"event"`
}

// Write writes a batch to a data directory, which it creates if it is missing, and returns the
// name of the file. It scrubs secrets first, as the board does.
func Write(fs disk.FS, dir string, b Batch) (name string, err error) {
	if len(b.Items) == 0 {
		return "", nil
	}
	data, err := b.encode()
	if err != nil {
		return "", err
	}
	in := fs.PathJoin(dir, Dir)
	if err := disk.MkdirAll(fs, in); err != nil {
		return "", fmt.Errorf("make %s: %w", in, disk.Fault(err))
	}
	name = b.name()
	if err := disk.WriteFile(fs, fs.PathJoin(in, name), data); err != nil {
		return "", fmt.Errorf("leave events in %s: %w", in, disk.Fault(err))
	}
	return name, nil
}

// Keep puts aside unrecognizable input, for inspection. It keeps at most [maxKept] such files,
// the newest, and at most [maxKeptBytes] of each. It scrubs the secrets that it finds.
func Keep(fs disk.FS, dir string, at int64, data []byte) (name string, err error) {
	in := fs.PathJoin(dir, Dir, aside)
	if err := disk.MkdirAll(fs, in); err != nil {
		return "", fmt.Errorf("make %s: %w", in, disk.Fault(err))
	}
	names, err := fs.List(in)
	if err != nil {
		return "", disk.Fault(err)
	}
	kept := slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, raw) })
	slices.Sort(kept) // the oldest first
	for len(kept) >= maxKept {
		if err := fs.Remove(fs.PathJoin(in, kept[0])); err != nil && !notThere(err) {
			return "", disk.Fault(err)
		}
		kept = kept[1:]
	}
	clean, _ := secret.Text(string(data[:min(len(data), maxKeptBytes)]))
	sum := sha256.Sum256(data)
	name = fmt.Sprintf("%020d-%s%s", max(at, 0), hex.EncodeToString(sum[:8]), raw)
	if err := disk.WriteFile(fs, fs.PathJoin(in, name), []byte(clean)); err != nil {
		return "", fmt.Errorf("put an input aside: %w", disk.Fault(err))
	}
	return name, nil
}

// name returns a unique name. Names sort by the first sequence.
func (b *Batch) name() string {
	var r [8]byte
	_, _ = rand.Read(r[:]) // it never fails
	return fmt.Sprintf("%020d-%s%s", max(b.Items[0].Event.Sequence, 0), hex.EncodeToString(r[:]), ext)
}

// encode writes a batch.
func (b *Batch) encode() ([]byte, error) {
	var body bytes.Buffer
	for _, it := range b.Items {
		text, err := eventText(it.Event, cmp.Or(b.Tenant, "default"))
		if err != nil {
			return nil, err
		}
		l, err := json.Marshal(line{Ceiling: ceiling(it.Ceiling).String(), Event: text})
		if err != nil {
			return nil, fault.Newf(fault.Internal, "write an event: %w", err)
		}
		body.Write(append(l, '\n'))
	}
	sum := sha256.Sum256(body.Bytes())
	first, err := json.Marshal(head{version, b.Tenant, b.Scope, len(b.Items), hex.EncodeToString(sum[:])})
	if err != nil {
		return nil, fault.Newf(fault.Internal, "write the head of a file: %w", err)
	}
	return append(append(first, '\n'), body.Bytes()...), nil
}

// eventText encodes an event without its secrets, with the given tenant. A reader uses only
// the tenant of the head.
func eventText(ev *hmx.Event, tenant string) ([]byte, error) {
	clean := *ev
	clean.TenantID = tenant
	content, _ := secret.JSON(string(ev.Content))
	meta, _ := secret.JSON(string(ev.Metadata))
	clean.Content, clean.Metadata = hmx.Raw(content), hmx.Raw(meta)
	text, err := json.Marshal(&clean)
	if err != nil {
		return nil, fault.Newf(fault.Internal, "write event %q: %w", ev.EventID, err)
	}
	return text, nil
}

// ceiling is the maximum trust of an event that came through a file.
func ceiling(t record.Trust) record.Trust {
	if t == 0 || t > record.User {
		return record.User
	}
	return t
}

// decode reads a file. The error describes the damage.
func decode(data []byte) (*Batch, error) {
	first, body, ok := bytes.Cut(data, []byte("\n"))
	var h head
	if !ok || json.Unmarshal(first, &h) != nil || h.Spool == 0 {
		return nil, fault.New(fault.Damaged, "it has no head")
	}
	if h.Spool != version {
		return nil, errNewer
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, fault.New(fault.Damaged, "its content is not what was written")
	}
	b := &Batch{Tenant: h.Tenant, Scope: h.Scope}
	for text := range bytes.Lines(body) {
		it, err := decodeLine(text)
		if err != nil {
			return nil, fault.Newf(fault.Damaged, "line %d: %w", len(b.Items)+2, err)
		}
		b.Items = append(b.Items, it)
	}
	if len(b.Items) != h.Events {
		return nil, fault.New(fault.Damaged, "it has "+strconv.Itoa(len(b.Items))+" events instead of "+strconv.Itoa(h.Events))
	}
	return b, nil
}

// errNewer says that a newer program wrote a file.
var errNewer = fault.New(fault.NewerFormat, "a newer program wrote it").WithFix("fold it in with that program")

func decodeLine(text []byte) (Item, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	trust, ok := record.ParseTrust(l.Ceiling)
	if !ok {
		return Item{}, fault.Newf(fault.Damaged, "there is no tier %q", l.Ceiling)
	}
	var ev hmx.Event
	if err := json.Unmarshal(l.Event, &ev); err != nil {
		return Item{}, err
	}
	return Item{Event: &ev, Ceiling: ceiling(trust)}, nil
}

// files lists the spooled files of a data directory, in order. Files that are being written
// have another suffix.
func files(fs disk.FS, dir string) ([]string, error) {
	names, err := fs.List(fs.PathJoin(dir, Dir))
	if err != nil {
		if notThere(err) {
			return nil, nil
		}
		return nil, disk.Fault(err)
	}
	var out []string
	for _, n := range names {
		if strings.HasSuffix(n, ext) {
			out = append(out, n)
		}
	}
	return out, nil
}
