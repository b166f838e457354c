package wire

import "lukasa.dev/hmx"

// Message is one event as a message of a queue (Kafka, NATS, Redis Streams) or a
// frame of a WebSocket.
type Message struct {
	// Key is the same for all events of a session and different for any two sessions, so that a
	// broker that preserves order by key preserves the order of a session. It may be empty if
	// there are no keys.
	Key string
	// Body is exactly one event in JSON.
	Body []byte
}

// NewMessage returns ev as a message, or an *EncodeError.
func NewMessage(ev *hmx.Event) (Message, error) {
	body, err := appendEvent(nil, ev)
	if err != nil {
		return Message{}, err
	}
	return Message{Key: Key(ev.TenantID, ev.SessionID), Body: body}, nil
}

// Event decodes the body, as hmx.DecodeEvent does. It ignores the key, which other senders may
// choose differently.
func (m Message) Event() (*hmx.Event, []hmx.Problem, error) { return hmx.DecodeEvent(m.Body) }

// Key returns the key of a session's messages: tenant and session id, percent-escaped, with a
// slash in between. As neither can contain a bare slash, no two sessions share a key.
func Key(tenant, session string) string {
	key := make([]byte, 0, len(tenant)+len(session)+1)
	key = append(appendEscaped(key, tenant), '/')
	return string(appendEscaped(key, session))
}

// appendEscaped escapes every byte except the unreserved ones of RFC 3986.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}
