package notary

import (
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"sort"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// Seen is the largest signed tree of a log.
type Seen struct {
	Size uint64
	Root merkle.Hash
	Time time.Time // when it was signed, to the second, in UTC
}

const (
	memoryMagic   = "lukasa-signed"
	memoryVersion = "1"
	// maxMemory is the largest memory that is read. It fits millions of logs.
	maxMemory = 1 << 30
	// slack is how many outdated lines a memory may have beyond those in use
	// before it is rewritten.
	slack = 1024
)

// memory is a file that records which trees were signed. The package comment
// describes it.
type memory struct {
	fs      disk.FS
	path    string
	owner   string // the owner of the memory, second word of the first line
	lenient bool   // skip invalid lines

	last    map[string]Seen
	lines   int       // lines in the file after the first
	end     int64     // where the next line goes
	file    disk.File // open for writing, or nil
	stale   bool      // the file must be replaced before a line is added
	skipped int       // invalid lines that were skipped
	failed  error     // the disk failed to make a line durable
}

// errNoMemory says that the file does not exist.
var errNoMemory = errors.New("there is no memory of what was signed")

// loadMemory reads a memory. A torn last line is dropped: it was never synced, so
// no signature relied on it. Any other invalid line is [fault.Damaged], unless
// the memory is lenient.
func loadMemory(fsys disk.FS, path string, lenient bool) (*memory, error) {
	m := &memory{fs: fsys, path: path, lenient: lenient, last: map[string]Seen{}}
	info, err := fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.stale = true
		return m, errNoMemory
	case err != nil:
		return nil, disk.Fault(fmt.Errorf("look at %s: %w", path, err))
	case info.Size() > maxMemory:
		return nil, fault.Newf(fault.Damaged, "%s has %d bytes, more than a memory of signed trees can have", path, info.Size())
	}
	data, err := disk.ReadFile(fsys, path)
	if err != nil {
		return nil, disk.Fault(err)
	}
	m.end = int64(len(data))
	text := string(data)
	for number := 1; text != ""; number++ {
		line, rest, whole := strings.Cut(text, "\n")
		if rest == "" && torn(line, whole) {
			m.stale = true
			break
		}
		text = rest
		switch err := m.take(line, whole, number); {
		case err == nil:
		case fault.CodeOf(err) == fault.NewerFormat || !lenient:
			return nil, err
		default:
			m.skipped++
			m.stale = true
		}
	}
	if m.owner == "" && !lenient {
		return nil, fault.Newf(fault.Damaged, "%s has no first line", path)
	}
	return m, nil
}

// take reads one line.
func (m *memory) take(line string, whole bool, number int) error {
	body, ok := checked(line)
	if !ok || !whole {
		return fault.Newf(fault.Damaged, "%s, line %d: its checksum is wrong, so what was signed is not known any more", m.path, number)
	}
	words := strings.Split(body, " ")
	if number == 1 {
		if len(words) != 3 || words[0] != memoryMagic {
			return fault.Newf(fault.Damaged, "%s: the first line is not that of a memory of signed trees", m.path)
		}
		if words[1] != memoryVersion {
			return fault.Newf(fault.NewerFormat, "%s has format %s, and this version knows %s", m.path, words[1], memoryVersion)
		}
		m.owner = words[2]
		return nil
	}
	log, seen, err := parseSeen(words)
	if err != nil {
		return fault.Newf(fault.Damaged, "%s, line %d: %w", m.path, number, err)
	}
	m.lines++
	if old, ok := m.last[log]; !ok || seen.Size > old.Size {
		m.last[log] = seen
	}
	return nil
}

// torn reports whether the last line of a file looks like a write that a crash
// cut short: without its end, or with zeros where a block is missing. A whole
// line with a wrong checksum is damage.
func torn(line string, whole bool) bool {
	if strings.Contains(line, "\x00\x00\x00\x00\x00\x00\x00\x00") {
		return true
	}
	if whole {
		return false
	}
	// A valid line that ends with a wrong byte was complete once.
	if len(line) > 0 {
		if _, ok := checked(line[:len(line)-1]); ok {
			return false
		}
	}
	return true
}

// remember makes a tree the largest one signed for a log. When it returns nil,
// that is durable.
func (m *memory) remember(log string, seen Seen) error {
	if m.failed != nil {
		return m.failed
	}
	if m.stale || m.lines > 2*len(m.last)+slack {
		if err := m.rewrite(); err != nil {
			return err
		}
	}
	if m.file == nil {
		f, err := m.fs.OpenReadWrite(m.path, disk.General)
		if err != nil {
			return disk.Fault(fmt.Errorf("open %s: %w", m.path, err))
		}
		m.file = f
	}
	line := appendSeen(nil, log, seen)
	n := int64(len(line))
	if _, err := m.file.WriteAt(line, m.end); err != nil {
		m.stale = true // part of the line may be in the file
		return disk.Fault(fmt.Errorf("write %s: %w", m.path, err))
	}
	if err := m.file.SyncData(); err != nil {
		// The state after a failed sync is unknown, and a second sync may report
		// success wrongly.
		m.failed = fault.Newf(fault.WriteFailed, "sync %s: %w", m.path, err)
		return m.failed
	}
	m.end += n
	m.lines++
	m.last[log] = seen
	return nil
}

// rewrite replaces the file by one with a line for each log. Whether it succeeds
// or not, the content stays equivalent.
func (m *memory) rewrite() error {
	m.close()
	m.stale = true
	logs := make([]string, 0, len(m.last))
	for log := range m.last {
		logs = append(logs, log)
	}
	sort.Strings(logs)
	data := appendChecked(nil, memoryMagic+" "+memoryVersion+" "+m.owner)
	for _, log := range logs {
		data = appendSeen(data, log, m.last[log])
	}
	if err := disk.WriteFile(m.fs, m.path, data); err != nil {
		return disk.Fault(err)
	}
	m.end, m.lines, m.stale, m.skipped = int64(len(data)), len(logs), false, 0
	return nil
}

// close closes the file.
func (m *memory) close() {
	if m.file != nil {
		// Everything that counts was synced before it was relied on.
		_ = m.file.Close()
		m.file = nil
	}
}

// appendSeen appends a log's line.
func appendSeen(dst []byte, log string, s Seen) []byte {
	return appendChecked(dst, strconv.FormatUint(s.Size, 10)+" "+base64.StdEncoding.EncodeToString(s.Root[:])+" "+
		s.Time.UTC().Format(time.RFC3339)+" "+log)
}

// parseSeen reads the words of a log's line.
func parseSeen(words []string) (log string, s Seen, err error) {
	if len(words) != 4 || words[3] == "" {
		return "", s, errors.New("it has not the four words size, root, time and log")
	}
	if s.Size, err = merkle.ParseSize(words[0]); err != nil {
		return "", s, err
	}
	if s.Root, err = merkle.ParseHash64(words[1]); err != nil {
		return "", s, err
	}
	if s.Time, err = time.Parse(time.RFC3339, words[2]); err != nil {
		return "", s, err
	}
	return words[3], s, nil
}

// appendChecked appends a line with its checksum before it.
func appendChecked(dst []byte, body string) []byte {
	return fmt.Appendf(dst, "%08x %s\n", checksum(body), body)
}

// checked returns the text after a line's checksum, if that is right.
func checked(line string) (string, bool) {
	if len(line) < 10 || line[8] != ' ' {
		return "", false
	}
	body := line[9:]
	return body, line[:8] == fmt.Sprintf("%08x", checksum(body))
}

// checksum is CRC-32C.
func checksum(s string) uint32 {
	return crc32.Checksum([]byte(s), crc32.MakeTable(crc32.Castagnoli))
}
