package httpapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packFrom is the smallest answer that is worth compressing.
const packFrom = 1400

// packers holds compressors for reuse.
type packers struct {
	gzip sync.Pool
	zstd *zstd.Encoder // for whole answers, safe for concurrent use
}

func newPackers() *packers {
	p := &packers{}
	p.gzip.New = func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return z
	}
	p.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true)) // the options are valid
	return p
}

// pack compresses an answer.
func (p *packers) pack(how coding, body []byte) []byte {
	if how == zstandard {
		return p.zstd.EncodeAll(body, make([]byte, 0, len(body)/3))
	}
	var out bytes.Buffer
	out.Grow(len(body) / 3)
	z := p.gzip.Get().(*gzip.Writer)
	defer p.gzip.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body) // a buffer accepts everything
	_ = z.Close()
	return out.Bytes()
}

// answerCoding returns the compression that the client prefers. Among equals, zstd is first.
func answerCoding(h http.Header) coding {
	lines := h["Accept-Encoding"]
	if len(lines) == 0 {
		return identity
	}
	best, most := identity, 0.0
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			how := identity
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				how = gzipped
			case "zstd":
				how = zstandard
			default:
				continue
			}
			if q := quality(params); q > most || q == most && q > 0 && how > best {
				best, most = how, q
			}
		}
	}
	return best
}

// quality returns the weight in the parameters of a header, or 0 if it is invalid.
func quality(params string) float64 {
	for part := range strings.SplitSeq(params, ";") {
		name, value, found := strings.Cut(part, "=")
		if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
