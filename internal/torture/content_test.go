package torture

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// markStart and markEnd enclose the name in every text, so that texts can be
// found in the bytes of files.
const (
	markStart = "cnry:"
	markEnd   = ";"
)

func mark(name string) string { return markStart + name + markEnd }

// textOf returns the text of a name: most are short, some long.
func textOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	n := 40 + int(sum[0])*4
	if sum[1] < 4 {
		n *= 20
	}
	filler := strings.Repeat(hex.EncodeToString(sum[:])+" ", n/65+1)
	return mark(name) + " " + filler[:n]
}

// eventOf returns the event with an id. It depends only on the id, so that
// child and parent agree on every byte.
func eventOf(tenant, id string) *hmx.Event {
	sum := sha256.Sum256([]byte(id))
	text := fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a%d","tenant_id":%q,"session_id":"s%d","timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":%q},"metadata":{}}`,
		id, sum[2]%5, tenant, sum[3]%50, binary.BigEndian.Uint32(sum[4:]), textOf(id))
	ev, _, err := hmx.DecodeEvent([]byte(text))
	if err != nil {
		panic(err)
	}
	return ev
}

// memoryOf returns a version of a memory.
func memoryOf(id string, version uint32) *memory.Memory {
	return &memory.Memory{ID: id, Type: "fact", Key: "k/" + id, Text: textOf(versionName(id, version)), Tags: []string{"t" + id[len(id)-1:]}}
}

func versionName(id string, version uint32) string { return fmt.Sprintf("%s#%d", id, version) }

// payloadOf returns the bytes that are stored for a name.
func payloadOf(kind record.Kind, tenant, id string, version uint32) []byte {
	var payload []byte
	var err error
	if kind == record.Event {
		payload, err = eventOf(tenant, id).AppendJSON(nil)
	} else {
		m := memoryOf(id, version)
		m.Normalize()
		if err = m.FillForms(tokens.O200k()); err == nil {
			payload, err = m.AppendJSON(nil)
		}
	}
	if err != nil {
		panic(err)
	}
	return payload
}
