package answer

// Memories are memories, newest first.
type Memories struct {
	Memories []Thing `json:"memories"`
	Next     *string `json:"next"`
}

// Policies are policies, newest first.
type Policies struct {
	Policies []Thing `json:"policies"`
	Next     *string `json:"next"`
}

// Entities are entities, newest first.
type Entities struct {
	Entities []Thing `json:"entities"`
	Next     *string `json:"next"`
}

// Relations are relations, newest first.
type Relations struct {
	Relations []Thing `json:"relations"`
	Next      *string `json:"next"`
}

// Edges are edges, newest first.
type Edges struct {
	Edges []Thing `json:"edges"`
	Next  *string `json:"next"`
}

// Feedback is feedback on tasks, newest first.
type Feedback struct {
	Feedback []Thing `json:"feedback"`
	Next     *string `json:"next"`
}

// Violations are what scopes refused, newest first.
type Violations struct {
	Violations []Thing `json:"violations"`
	Next       *string `json:"next"`
}

// Referrers are the records that refer to a record or an event.
type Referrers struct {
	URI       string  `json:"uri"`
	Referrers []Thing `json:"referrers"`
}

// Tag is a tag with its number of memories.
type Tag struct {
	Tag      string `json:"tag"`
	Memories int    `json:"memories"`
}

// Tags are the tags of live memories, by name.
type Tags struct {
	Tags []Tag   `json:"tags"`
	Next *string `json:"next"`
}
