// Package journal is the physical log: the write-ahead log of everything, and
// the only place where a record's payload is kept.
//
// A [Log] is a row of segment files. Frames, each a header and a body, are
// appended at its end; [Log.Commit] makes a group of them durable with one
// write and one fdatasync, and [Committer] brings together those who wait for
// one. Bodies can be erased in place. Nothing else ever changes.
//
// # What is guaranteed
//
//   - What Commit returned nil for is there after any crash, byte for byte.
//     What it did not may be there, from the group's beginning up to some frame.
//   - After a write or a sync failed, nothing more is written until the log is
//     opened anew, and nothing is tried twice. Reading goes on.
//   - No byte is believed without its check. Damage is found where it is read,
//     told by record, and never served; what lies behind it can be read.
//   - What is cut off at Open is only what no evidence shows to have been
//     durable. Otherwise it is damage, the log can be read, and it is not
//     written to unless [Options.AcceptDamage] says so.
//   - What [Log.Erase] returned nil for is zeros on the disk.
//   - An address ([LSN]) means the same frame for ever.
//
// # What is not
//
// The checks are against accidents, and against payloads that look like frames.
// Whoever can write to the files can forge them; the Merkle trees above are
// there for that. A group is not atomic: a crash may keep a part of it. If the
// last group was never followed by another, by a clean Close or by anything
// else that proves it was durable, and is damaged later, it looks like a torn
// one; [Options.AtLeast] is for callers who know better. Disks and file systems
// that copy on write keep erased bytes for as long as they please.
//
// # Files
//
// A directory holds segments, named by the address of their first byte in 20
// decimal digits (00000000000000000000.seg), and END, the end mark. Numbers are
// big-endian. A segment's first byte has the address of the byte behind the
// segment before it; the first segment begins at 0.
//
//	segment  = header frame* zeros [index trailer]
//
//	block (header of a segment, its trailer, the end mark), 64 bytes
//	     0   8  magic: LUKASAJH, LUKASAJX, LUKASAJE
//	     8   4  format, 1
//	    12   4  trailer: length of the index in bytes; else 0
//	    16   8  address: of the segment's first byte; end mark: durable end
//	    24  16  id of the log, random, the same in all its files
//	    40   8  trailer: offset behind the last frame; else 0
//	    48   8  trailer: number of frames; else 0
//	    56   4  trailer: check of the index; else 0
//	    60   4  CRC-32C of the 60 bytes before
//
//	frame, at a multiple of 8
//	     0   4  check of the head: bytes 4 up to the header's end
//	     4   2  0x4c66
//	     6   2  length of the header, at most 4096
//	     8   4  length of the body, at most 64 MiB
//	    12   8  the log was durable up to this address when the frame was made
//	    20   …  header
//	     …   4  check of the body
//	     …   …  body
//	     …   …  zeros up to a multiple of 8
//
//	index    = uvarint*: distance of each frame from the one before it, of the
//	           first from offset 64, divided by 8
//
// A check is a CRC-32C that goes on from a seed, as if the seed were the CRC of
// something that came before. The seed is
//
//	uint32((K + address) * 0x9e3779b97f4a7c15 >> 32) + part
//
// in arithmetic modulo 2^64, and modulo 2^32 for the sum. K is the first 8
// bytes of the log's id; the address is the frame's, or for an index the
// segment's; the part is 0 for heads, 1 for bodies, 3 for indexes. So a frame
// is valid in its place only, and the author of a payload, who does not know
// the id, cannot put something into it that is taken for a frame when the
// reader looks for one behind damage. An erased body is zeros, and its check is
// the bare seed of part 2. That tells it from a body that a broken disk
// reads as zeros, and leaves no check of the payload behind.
//
// A sealed segment ends with its trailer, and its size says where the next one
// begins. The last segment is not sealed; zeros there are the end of the log.
//
// # Crashes
//
// A segment is made durable, and its name, before a frame goes into it, and
// its seal before the next is made. So only the last segment can be torn. Open
// walks through it up to the first frame that is not valid, and looks for
// evidence that this place had been durable: a frame behind it that says so,
// the end mark, or the caller. With evidence it is damage. Without, it is the
// torn end of a group that nobody was told of, and it is overwritten with zeros
// up to the end of the file and synced before anything is written, lest an old
// frame become valid again behind a new one. A crash meanwhile leaves a torn
// end again. What is kept without evidence is written again and synced before
// it is believed, since after a failed fsync the page cache may hold what never
// reached the disk.
//
// The end mark is put down when the log is closed, and before a body in the
// last group is erased: otherwise a crash in the middle of that would look like
// a torn end, and cost a record that was acknowledged. What it says stays true,
// so that it is never taken back.
//
// # Zeros ahead
//
// An fdatasync that also has to make a new file size durable costs half as much
// again (measured: 89 µs against 57 µs for a single frame on ext4). So a small
// commit that reaches the end of the file writes 256 KiB of zeros behind
// itself, in the same write. For 64 writers that is 320,000 against 209,000
// frames a second. Commits over 64 KiB go without: there the zeros would cost
// more than they save. Reserving the room without writing it
// (fallocate) does not help, since the file system has to note what becomes
// used.
//
// # Writing early
//
// A large group is written in pieces while it is being built, so that the disk
// works while the caller hashes: batches of 1,000 records with their hashes
// gain a fifth. If a group that was partly written is dropped after all, its bytes
// are made zeros again, durably, before anything else.
package journal
