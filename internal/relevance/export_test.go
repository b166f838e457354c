package relevance

// Words returns the words of a text in the order in which they end, lower-case.
func Words(text string) []string {
	var words []string
	var s splitter
	s.each(text, func(word []byte) { words = append(words, string(word)) })
	return words
}
