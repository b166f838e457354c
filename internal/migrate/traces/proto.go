package traces

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// errProto says that bytes are not protobuf.
var errProto = errors.New("this is not protobuf")

// protoStream reads the outer levels of a message field by field, without holding it.
type protoStream struct {
	src  *bufio.Reader
	left int64 // of the message, or of the whole stream if it is negative
}

// next returns the next field. For a field of bytes n is the length, and the bytes are not read yet.
func (s *protoStream) next() (field protowire.Number, wire protowire.Type, n uint64, err error) {
	if s.left == 0 {
		return 0, 0, 0, io.EOF
	}
	begin := s.left
	tag, err := s.varint()
	if err != nil {
		if err == io.EOF && begin > 0 {
			err = io.ErrUnexpectedEOF
		}
		return 0, 0, 0, err
	}
	field, wire = protowire.DecodeTag(tag)
	if field < protowire.MinValidNumber || field > protowire.MaxValidNumber {
		return 0, 0, 0, errProto
	}
	switch wire {
	case protowire.VarintType, protowire.BytesType:
		n, err = s.varint()
	case protowire.Fixed64Type:
		err = s.discard(8)
	case protowire.Fixed32Type:
		err = s.discard(4)
	default:
		err = errProto
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && wire == protowire.BytesType && s.left >= 0 && n > uint64(s.left) {
		err = errProto
	}
	if err == nil && wire == protowire.BytesType && n > math.MaxInt64/2 {
		err = errProto
	}
	return field, wire, n, err
}

// varint reads a number of up to ten bytes.
func (s *protoStream) varint() (uint64, error) {
	var buf [binary.MaxVarintLen64]byte
	for i := range buf {
		if s.left == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		b, err := s.src.ReadByte()
		if err != nil {
			return 0, err
		}
		s.take(1)
		if buf[i] = b; b < 0x80 {
			v, n := protowire.ConsumeVarint(buf[:i+1])
			if n < 0 {
				return 0, errProto
			}
			return v, nil
		}
	}
	return 0, errProto
}

// discard skips bytes of the message.
func (s *protoStream) discard(n int64) error {
	if s.left >= 0 && n > s.left {
		return errProto
	}
	for n > 0 {
		part := int(min(n, 1<<20))
		if _, err := s.src.Discard(part); err != nil {
			return io.ErrUnexpectedEOF
		}
		n -= int64(part)
		s.take(int64(part))
	}
	return nil
}

func (s *protoStream) take(n int64) {
	if s.left >= 0 {
		s.left -= n
	}
}

// held reads bytes of the message into memory. It allocates no more than the source has bytes.
func (s *protoStream) held(n uint64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(s.src, int64(n)))
	if err == nil && uint64(len(data)) < n {
		err = io.ErrUnexpectedEOF
	}
	s.take(int64(len(data)))
	return data, err
}

// each visits the fields of a message within the stream that are messages themselves.
func (s *protoStream) each(visit func(field protowire.Number, n uint64) error) error {
	for {
		field, wire, n, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if wire != protowire.BytesType {
			continue
		}
		if err := visit(field, n); err != nil {
			return err
		}
	}
}

// within visits the fields of a field of n bytes.
func (s *protoStream) within(n uint64, visit func(in *protoStream, field protowire.Number, n uint64) error) error {
	in := &protoStream{src: s.src, left: int64(n)}
	err := in.each(func(field protowire.Number, n uint64) error { return visit(in, field, n) })
	s.take(int64(n) - in.left)
	return err
}

// otlpProto reads traces in protobuf: one request or file of traces, or many, each behind its
// length in four bytes.
func (r *traced) otlpProto(ctx context.Context, framed bool) error {
	index := 0
	requests := func(s *protoStream) error {
		return s.each(func(field protowire.Number, n uint64) error {
			if field != 1 {
				return s.discard(int64(n))
			}
			return s.within(n, func(in *protoStream, field protowire.Number, n uint64) error {
				return r.otlpResource(ctx, in, field, n, &index)
			})
		})
	}
	if !framed {
		return r.otlpEnd(requests(&protoStream{src: r.Text, left: -1}), index)
	}
	for {
		var size [4]byte
		if _, err := io.ReadFull(r.Text, size[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return r.otlpEnd(err, index)
		}
		s := &protoStream{src: r.Text, left: int64(binary.BigEndian.Uint32(size[:]))}
		if s.left == 0 {
			continue
		}
		if err := requests(s); err != nil {
			return r.otlpEnd(err, index)
		}
	}
}

// otlpEnd reports a source that ended too early or is not protobuf.
func (r *traced) otlpEnd(err error, index int) error {
	switch {
	case errors.Is(err, errProto):
		r.Leave(source.Place{Index: index}, source.Broken, "what follows span "+strconv.Itoa(index)+" is not protobuf")
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.Leave(source.Place{Index: index}, source.Unfinished, "the source ends within a span")
		return nil
	}
	return err
}

// otlpResource reads a field of the spans of a resource. The resource itself comes first.
func (r *traced) otlpResource(ctx context.Context, in *protoStream, field protowire.Number, n uint64, index *int) error {
	switch field {
	case 1:
		if n > source.MaxPiece {
			return in.discard(int64(n))
		}
		data, err := in.held(n)
		if err != nil {
			return err
		}
		r.resource = foreign.Object{}
		_ = protoResource(data, r.resource) // what is broken names nothing
		return nil
	case 2:
		return in.within(n, func(scope *protoStream, field protowire.Number, n uint64) error {
			if field != 2 {
				return scope.discard(int64(n))
			}
			*index++
			p := source.Place{Index: *index - 1}
			if n > source.MaxPiece {
				r.Leave(p, source.TooLarge, "the span is longer than is read")
				return scope.discard(int64(n))
			}
			data, err := scope.held(n)
			if err != nil {
				return err
			}
			s, err := protoSpan(data)
			if err != nil {
				r.Leave(p, source.Broken, "a span that is not protobuf")
				return nil
			}
			s.resource = r.resource
			return r.genAI(ctx, p, s)
		})
	}
	return in.discard(int64(n))
}

// protoResource reads the attributes of a resource.
func protoResource(data []byte, into foreign.Object) error {
	return fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
		if field != 1 {
			return nil
		}
		return protoAttribute(data, into, 0)
	})
}

// fields visits the fields of a message that is held. Groups, which OTLP does not have, are no
// protobuf here.
func fields(data []byte, visit func(field protowire.Number, wire protowire.Type, n uint64, data []byte) error) error {
	for len(data) > 0 {
		field, wire, k := protowire.ConsumeTag(data)
		if k < 0 {
			return errProto
		}
		data = data[k:]
		var n uint64
		var value []byte
		switch wire {
		case protowire.VarintType:
			n, k = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			n, k = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			var short uint32
			short, k = protowire.ConsumeFixed32(data)
			n = uint64(short)
		case protowire.BytesType:
			value, k = protowire.ConsumeBytes(data)
			n = uint64(len(value))
		default:
			return errProto
		}
		if k < 0 {
			return errProto
		}
		if err := visit(field, wire, n, value); err != nil {
			return err
		}
		data = data[k:]
	}
	return nil
}

// protoSpan reads a span.
func protoSpan(data []byte) (*span, error) {
	s := &span{attrs: foreign.Object{}}
	err := fields(data, func(field protowire.Number, _ protowire.Type, n uint64, data []byte) error {
		switch field {
		case 1:
			s.trace = hex.EncodeToString(data)
		case 2:
			s.id = hex.EncodeToString(data)
		case 5:
			s.name = valid(data)
		case 7:
			s.start = n & (1<<62 - 1)
		case 8:
			s.end = n & (1<<62 - 1)
		case 9:
			return protoAttribute(data, s.attrs, 0)
		case 11:
			return s.protoEvent(data)
		case 15:
			return fields(data, func(field protowire.Number, _ protowire.Type, n uint64, data []byte) error {
				switch field {
				case 2:
					s.status = valid(data)
				case 3:
					s.failed = n == 2
				}
				return nil
			})
		}
		return nil
	})
	return s, err
}

func (s *span) protoEvent(data []byte) error {
	e := spanEvent{attrs: foreign.Object{}}
	err := fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
		switch field {
		case 2:
			e.name = valid(data)
		case 3:
			return protoAttribute(data, e.attrs, 0)
		}
		return nil
	})
	s.events = append(s.events, e)
	return err
}

// protoAttribute reads a name and its value.
func protoAttribute(data []byte, into map[string]any, depth int) error {
	var name string
	var value any
	err := fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) (err error) {
		switch field {
		case 1:
			name = valid(data)
		case 2:
			value, err = protoValue(data, depth)
		}
		return err
	})
	if err == nil && name != "" {
		into[name] = value
	}
	return err
}

// protoValue reads a value of any sort.
func protoValue(data []byte, depth int) (value any, err error) {
	if depth > foreign.MaxNesting {
		return nil, errProto
	}
	err = fields(data, func(field protowire.Number, _ protowire.Type, n uint64, data []byte) error {
		switch field {
		case 1:
			value = valid(data)
		case 2:
			value = n != 0
		case 3:
			value = json.Number(strconv.FormatInt(int64(n), 10))
		case 4:
			if f := math.Float64frombits(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
				value = json.Number(strconv.FormatFloat(f, 'g', -1, 64))
			}
		case 5:
			all := []any{}
			err := fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
				if field != 1 {
					return nil
				}
				one, err := protoValue(data, depth+1)
				all = append(all, one)
				return err
			})
			value = all
			return err
		case 6:
			all := map[string]any{}
			err := fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
				if field != 1 {
					return nil
				}
				return protoAttribute(data, all, depth+1)
			})
			value = all
			return err
		case 7:
			value = base64.StdEncoding.EncodeToString(data)
		}
		return nil
	})
	return value, err
}

func valid(data []byte) string { return strings.ToValidUTF8(string(data), "\uFFFD") }
