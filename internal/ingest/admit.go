package ingest

import (
	"strings"
	"unicode/utf8"

	"lukasa.dev"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// read returns the event in a message, if the consumer's principal may write it.
func (c *Consumer) read(m *Message) (*lukasa.Event, error) {
	ev, _, err := wire.Message{Body: m.Body}.Event()
	if err != nil {
		return nil, fault.Wrap(fault.InvalidDocument, err)
	}
	if err := allow(c.o.Who, ev); err != nil {
		return nil, err
	}
	return ev, nil
}

// allow refuses events in the name of others.
func allow(who *auth.Principal, ev *lukasa.Event) error {
	if who.Tenant != "" && ev.TenantID != who.Tenant {
		return fault.Newf(fault.NotPermitted, "tenant_id: %.200q is not the tenant %q of this consumer", ev.TenantID, who.Tenant).
			WithFix("send the events of each tenant where its own consumer reads")
	}
	if who.Agent != "" && ev.AgentID != who.Agent {
		return fault.Newf(fault.NotPermitted, "agent_id: %.200q is not the agent %q of this consumer", ev.AgentID, who.Agent).
			WithFix("send the events of each agent where its own consumer reads")
	}
	return nil
}

// passes reports whether an error is temporary, so that the message is retried.
func passes(err error) bool { return fault.Lookup(fault.CodeOf(err)).Retry }

// maxDetail is the maximum length of a dead letter's detail.
const maxDetail = 1024

// bury returns a message as a dead letter.
func bury(m *Message, why error) Dead {
	e := fault.From(why)
	return Dead{Message: m, Code: string(e.Code), Detail: oneLine(e.Error())}
}

// oneLine makes a text fit into a header: one line of valid UTF-8, cut to maxDetail.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	if len(s) > maxDetail {
		cut := maxDetail - len("…")
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
