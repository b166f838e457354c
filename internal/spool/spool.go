// Package spool keeps events in files until somebody has the board open and folds them in.
//
// One process at a time has a board. A hook of an agent that cannot have it, and must not
// keep the agent waiting, leaves its events in the directory SPOOL of the data directory.
// docs/formats/spool.md describes the files.
//
// # What is guaranteed
//
//   - [Write] returns nil when the events are on the disk, whole. A file that is not whole is
//     never seen under its name: it is written under another, synced and renamed.
//   - [Fold] records every event of every file exactly once, by its id, however often it is
//     called, stopped or killed. A file is removed when its events are on the disk in the
//     journal, and not before.
//   - Events of a session are folded in by their sequence, whatever files they are in.
//   - Damage costs the file that has it and nothing else: it is put aside and reported. What
//     the board refuses for good is put aside as well.
//   - Nothing is trusted further than the file says, and never further than a user.
//
// # What is not
//
// Whoever can write to the data directory can leave events there. Files that nobody folds in
// stay; nothing reads them but [Fold].
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
	raw   = ".input" // in aside: what could not be read as anything
)

// Limits of what is put aside for a person to look at.
const (
	maxKept      = 32
	maxKeptBytes = 1 << 20
)

// version is the number of the format. A file of a newer one is left where it is.
const version = 1

// maxFile is how large a file may be. A batch is far below: no hook has more than a few events.
const maxFile = 64 << 20

// Batch is what one file holds.
type Batch struct {
	// Tenant is whose events they are. Empty leaves it to whoever folds them in.
	Tenant string
	// Scope is a token that the events are held to, or empty.
	Scope string
	Items []Item
}

// Item is an event and how far it may be trusted at most.
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

// Write leaves a batch in a data directory, which it makes if it is not there, and returns the
// name of the file. Secrets are taken out first, as the board does it.
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

// Keep puts aside what could not be read as anything, for a person to look at. At most
// [maxKept] such files are kept, the newest, and at most [maxKeptBytes] of each. Secrets are
// taken out, as far as they are found in what is not known to be anything.
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

// name is one that no other batch has. Names sort by the first sequence.
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

// eventText writes an event without the secrets in it. It has the tenant of the head, or any:
// the head alone counts.
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

// ceiling is how far an event is trusted at most that came through a file.
func ceiling(t record.Trust) record.Trust {
	if t == 0 || t > record.User {
		return record.User
	}
	return t
}

// decode reads a file. An error says what is damaged.
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

// files lists the files of a data directory that wait to be folded in, in order. Those that
// are being written have another ending.
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
