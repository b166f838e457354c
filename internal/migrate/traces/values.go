package traces

import "google.golang.org/protobuf/encoding/protowire"

// Values returns how many values a request to export traces has, more or less: spans,
// attributes, and what is in them. It reads the request without taking it apart, so that who
// reads it knows before how much memory that takes. Of what is no such request it may be any
// number up to the length of it.
func Values(body []byte, how Encoding) int {
	if how == JSON {
		return jsonValues(body)
	}
	return protoValues(body, messageRequest, 0)
}

// jsonValues counts what opens a value, and what divides values, outside of texts.
func jsonValues(body []byte) int {
	n, text := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case !text && (c == '{' || c == '[' || c == ','):
			n++
		}
	}
	return n
}

// message is a kind of message within a request.
type message uint8

const (
	messageRequest message = iota
	messageResourceSpans
	messageResource
	messageScopeSpans
	messageSpan
	messageEvent
	messageAttribute
	messageValue
	messageArray
	messageMap
	messageOther
)

// within returns the kind of message that a field of another has.
func (m message) within(field protowire.Number) message {
	switch {
	case m == messageRequest && field == 1:
		return messageResourceSpans
	case m == messageResourceSpans && field == 1:
		return messageResource
	case m == messageResourceSpans && field == 2:
		return messageScopeSpans
	case m == messageScopeSpans && field == 2:
		return messageSpan
	case m == messageSpan && field == 11:
		return messageEvent
	case m == messageResource && field == 1, m == messageSpan && field == 9, m == messageEvent && field == 3, m == messageMap && field == 1:
		return messageAttribute
	case m == messageAttribute && field == 2, m == messageArray && field == 1:
		return messageValue
	case m == messageValue && field == 5:
		return messageArray
	case m == messageValue && field == 6:
		return messageMap
	}
	return messageOther
}

// deepestMessage is how deep messages are counted. Values are not read as deep.
const deepestMessage = 64

// protoValues counts the messages in a message.
func protoValues(data []byte, m message, depth int) int {
	n := 0
	_ = fields(data, func(field protowire.Number, wire protowire.Type, _ uint64, data []byte) error { // what is broken is refused later
		in := m.within(field)
		if wire != protowire.BytesType || in == messageOther {
			return nil
		}
		if n++; depth < deepestMessage {
			n += protoValues(data, in, depth+1)
		}
		return nil
	})
	return n
}
