// Package chats reads conversations: messages as the interfaces of OpenAI and Anthropic write
// them, alone or in logs of requests, and the exports of ChatGPT and claude.ai.
//
// A log that repeats a conversation with every request gives each message once: a message is known
// by its content and the number of equal ones before it. Of a conversation with branches, the one
// that went on is taken, and the others are counted.
package chats

import (
	"context"
	"strings"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// The formats.
const (
	OpenAIChat        foreign.Format = "openai-chat"
	ChatGPTExport     foreign.Format = "chatgpt-export"
	AnthropicMessages foreign.Format = "anthropic-messages"
)

// Readers returns how conversations are read.
func Readers() []source.Reader {
	return []source.Reader{{
		Format: OpenAIChat, What: "messages of OpenAI's chat completions", Level: openAILevel, Within: messagesWithin,
		Read: func(ctx context.Context, r *source.Run) error { return talk{r}.openAIChat(ctx) },
	}, {
		Format: ChatGPTExport, What: "a ChatGPT export", Level: chatGPTLevel,
		Wants: func(name, ext string) bool { return ext == ".json" && strings.HasPrefix(name, "conversations") },
		Read:  func(ctx context.Context, r *source.Run) error { return talk{r}.chatGPTExport(ctx) },
	}, {
		Format: AnthropicMessages, What: "messages of Anthropic's Messages API", Level: anthropicLevel, Within: messagesWithin,
		Read: func(ctx context.Context, r *source.Run) error { return talk{r}.anthropicMessages(ctx) },
	}}
}

// talk is a source of conversations being read.
type talk struct{ *source.Run }

func chatGPTLevel(v source.Shape) source.Level {
	return source.Grade(v["mapping"] && v.Any("current_node", "conversation_id", "title", "create_time"), false, v["mapping"])
}

// Plain messages are those of both interfaces.

func openAILevel(v source.Shape) source.Level {
	own := said(v, "tool_calls", "tool_call_id", "function_call", "role=tool", "role=function", "role=developer", "content.type=image_url", "content.type=input_audio", "content.type=refusal", "content.type=file") ||
		v.Any("choices", "response.choices", "response.body.choices") || v.All("body.messages", "url")
	return source.Grade(own, said(v, "role"), false)
}

func anthropicLevel(v source.Shape) source.Level {
	own := said(v, "content.type=tool_use", "content.type=tool_result", "content.type=thinking", "content.type=redacted_thinking", "content.type=server_tool_use", "content.source", "sender") ||
		v.Any("chat_messages", "result.message") || v.All("system", "messages") || v.All("type=message", "role=assistant", "stop_reason")
	return source.Grade(own, said(v, "role"), false)
}

// messagesWithin is the level of messages within a value of another format: they belong to that.
func messagesWithin(v source.Shape) source.Level { return source.Grade(false, false, said(v, "role")) }

// saidAt are the paths of messages in a value that contains some.
var saidAt = []string{
	"", "messages.", "chat_messages.", "message.", "body.messages.", "request.messages.", "request.body.messages.", "response.", "response.body.", "result.message.",
	"choices.message.", "response.choices.message.", "response.body.choices.message.",
}

// said reports whether messages have one of some names.
func said(v source.Shape, names ...string) bool {
	for _, at := range saidAt {
		for _, n := range names {
			if v[at+n] {
				return true
			}
		}
	}
	return false
}
