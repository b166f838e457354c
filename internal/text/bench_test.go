package text

import (
	"strings"
	"testing"
)

// chat is a conversation between people.
const chat = `Caroline: Hey Mel! Good to see you! How have you been? Melanie: Hey Caroline! I'm swamped with
the kids & work. What's up with you? Anything new? I went to a LGBTQ support group yesterday and it was so powerful.
Wow, that's cool, Caroline! What happened that was so awesome? Did you hear any inspiring stories? The transgender
stories were so inspiring! I was so happy and thankful for all the support. I've been thinking about counseling, or
working in mental health. Yeah, I painted that lake sunrise last year! It's special to me. Last Friday, I finally took
my kids to a pottery workshop. We all made our own pots, it was fun and therapeutic! They don't cost more than $25,
but we've got 3 of them. See https://example.com/pots for the well-known place. `

// tool is the output of a tool.
const tool = "internal/pack/pack_test.go:118: TestPackBudget: got 2,048 tokens, want <= 1024 (HTTPServer2.handleRequest)\n" +
	`{"session_id":"550e8400-e29b-41d4-a716-446655440000","exit_code":1,"took":"13.25ms","at":"2026-11-15T08:00:00.123Z"}` + "\n" +
	"panic: runtime error: index out of range [5] with length 3 goroutine 18 [running]: lukasa.dev/internal/pack.(*Pack).Trim(0xc00011e000)\n"

func benchmark(b *testing.B, field Field, s string) {
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	var tokens []Token
	for b.Loop() {
		tokens = Analyze(tokens[:0], field, s)
	}
}

func BenchmarkChat(b *testing.B)  { benchmark(b, FieldText, strings.Repeat(chat, 10)) }
func BenchmarkTitle(b *testing.B) { benchmark(b, FieldTitle, "How Caroline's pottery workshop went") }
func BenchmarkTool(b *testing.B)  { benchmark(b, FieldText, strings.Repeat(tool, 10)) }
func BenchmarkFrench(b *testing.B) {
	benchmark(b, FieldText, strings.Repeat("Le cœur a ses raisons que la raison ne connaît point ; l’été dernier, j’étais à Besançon. ", 50))
}
func BenchmarkChinese(b *testing.B) {
	benchmark(b, FieldText, strings.Repeat("我们昨天在北京的一家咖啡馆里讨论了新的搜索引擎,它的速度非常快。", 50))
}
func BenchmarkRussian(b *testing.B) {
	benchmark(b, FieldText, strings.Repeat("Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. ", 50))
}
func BenchmarkColdWords(b *testing.B) {
	var s strings.Builder
	for i := range 20000 {
		for n := i + 1; n > 0; n /= 19 {
			s.WriteByte("bcdfghjklmnpqrstvwx"[n%19])
			s.WriteByte("aeiou"[n%5])
		}
		s.WriteString("ing ")
	}
	benchmark(b, FieldText, s.String())
}
func BenchmarkQuery(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ParseQuery(`When did Caroline go to the "support group" of pack_test.go?`)
	}
}
