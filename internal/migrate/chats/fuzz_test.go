package chats

import (
	"testing"

	"lukasa.dev/internal/migrate/sourcetest"
)

func FuzzOpenAIChat(f *testing.F)        { sourcetest.Fuzz(f, Readers(), OpenAIChat) }
func FuzzChatGPTExport(f *testing.F)     { sourcetest.Fuzz(f, Readers(), ChatGPTExport) }
func FuzzAnthropicMessages(f *testing.F) { sourcetest.Fuzz(f, Readers(), AnthropicMessages) }
