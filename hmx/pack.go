package hmx

// Limits of HMX-C section 12.
const (
	MaxPackBytes           = 256 << 10
	MaxPackEntries         = 500
	MaxDroppedEntries      = 100
	MaxNextSteps           = 10
	MaxDecisionConstraints = 20
)

// Section is a part of a pack with one type of knowledge.
type Section string

// The ten sections of HMX-C section 3.1.
const (
	SectionCore           Section = "core"
	SectionConstraints    Section = "constraints"
	SectionGoals          Section = "goals"
	SectionProcedures     Section = "procedures"
	SectionFacts          Section = "facts"
	SectionEpisodes       Section = "episodes"
	SectionGraphRelations Section = "graph_relations"
	SectionWorkflow       Section = "workflow"
	SectionConflicts      Section = "conflicts"
	SectionEvidence       Section = "evidence"
)

// Sections lists the sections by priority, highest first (HMX-C section 3.3).
func Sections() []Section {
	return []Section{
		SectionCore, SectionConstraints, SectionGoals, SectionProcedures, SectionFacts,
		SectionEpisodes, SectionGraphRelations, SectionWorkflow, SectionConflicts, SectionEvidence,
	}
}

// Priority returns the place of s in Sections, and -1 if s is not a section.
func (s Section) Priority() int {
	for i, known := range Sections() {
		if known == s {
			return i
		}
	}
	return -1
}

// SourceTypes lists the source types of a section (HMX-C section 3.1).
func (s Section) SourceTypes() []SourceType {
	switch s {
	case SectionCore:
		return []SourceType{SourcePolicy, SourceEntity}
	case SectionConstraints:
		return []SourceType{SourceArtifact, SourcePolicy}
	case SectionGoals:
		return []SourceType{SourceMemory, SourceArtifact}
	case SectionProcedures:
		return []SourceType{SourceArtifact, SourceMemory}
	case SectionFacts:
		return []SourceType{SourceMemory, SourceEntity}
	case SectionEpisodes:
		return []SourceType{SourceEpisode}
	case SectionGraphRelations:
		return []SourceType{SourceRelation, SourceEntity}
	case SectionWorkflow:
		return []SourceType{SourceArtifact}
	case SectionConflicts:
		return []SourceType{SourceConflict}
	case SectionEvidence:
		return []SourceType{SourceMemory, SourceEpisode}
	}
	return nil
}

// SourceType is the type of an entry's source.
type SourceType string

// The seven source types of HMX-C section 3.2.
const (
	SourceEpisode  SourceType = "episode"
	SourceMemory   SourceType = "memory"
	SourceRelation SourceType = "relation"
	SourceConflict SourceType = "conflict"
	SourcePolicy   SourceType = "policy"
	SourceEntity   SourceType = "entity"
	SourceArtifact SourceType = "artifact"
)

// SourceTypes lists the source types in the order of the document.
func SourceTypes() []SourceType {
	return []SourceType{SourceEpisode, SourceMemory, SourceRelation, SourceConflict, SourcePolicy, SourceEntity, SourceArtifact}
}

// Strategy is how a pack is assembled.
type Strategy string

// The five strategies of HMX-C section 5.
const (
	StrategyRanked            Strategy = "ranked"
	StrategyRecencyBiased     Strategy = "recency_biased"
	StrategyBreadthFirst      Strategy = "breadth_first"
	StrategyDepthFirst        Strategy = "depth_first"
	StrategyFingerprintGuided Strategy = "fingerprint_guided"
)

// Strategies lists the strategies in the order of the document.
func Strategies() []Strategy {
	return []Strategy{StrategyRanked, StrategyRecencyBiased, StrategyBreadthFirst, StrategyDepthFirst, StrategyFingerprintGuided}
}

// DropReason says why a candidate is not in the pack.
type DropReason string

// The six reasons of HMX-C section 8.
const (
	DropBudget     DropReason = "budget_exceeded"
	DropRelevance  DropReason = "low_relevance"
	DropDuplicate  DropReason = "duplicate"
	DropDeprecated DropReason = "deprecated"
	DropConflict   DropReason = "conflict"
	DropProvenance DropReason = "provenance_failed"
)

// DropReasons lists the reasons in the order of the document.
func DropReasons() []DropReason {
	return []DropReason{DropBudget, DropRelevance, DropDuplicate, DropDeprecated, DropConflict, DropProvenance}
}

// Pack is one HMX context pack: the context for one question.
type Pack struct {
	HMXVersion       string           `json:"hmx_version"`
	PackID           string           `json:"pack_id"`
	QueryContext     string           `json:"query_context"`
	Entries          []Entry          `json:"entries"`
	TokenBudget      TokenBudget      `json:"token_budget"`
	AssemblyMetadata AssemblyMetadata `json:"assembly_metadata"`
	CreatedAt        Time             `json:"created_at"`
	Metadata         Raw              `json:"metadata"`

	TenantID            Opt[string]          `json:"tenant_id,omitzero"`
	AgentID             Opt[string]          `json:"agent_id,omitzero"`
	SessionID           Opt[string]          `json:"session_id,omitzero"`
	WorkflowHints       Opt[WorkflowHints]   `json:"workflow_hints,omitzero"`
	DecisionConstraints []DecisionConstraint `json:"decision_constraints,omitzero"`
	DroppedEntries      []DroppedEntry       `json:"dropped_entries,omitzero"`
	FingerprintPriors   Opt[Raw]             `json:"fingerprint_priors,omitzero"`
	Tags                []string             `json:"tags,omitzero"`
}

// Entry is a single unit of knowledge in a pack.
type Entry struct {
	Section        Section    `json:"section"`
	Content        string     `json:"content"`
	SourceID       string     `json:"source_id"`
	SourceType     SourceType `json:"source_type"`
	RelevanceScore float64    `json:"relevance_score"`
	TokenEstimate  int64      `json:"token_estimate"`
	Rank           int64      `json:"rank"` // global, among all candidates
	Provenance     Provenance `json:"provenance"`
	Extra          Extra      `json:"-"`
}

// Provenance is the evidence of an entry.
type Provenance struct {
	Origin        string  `json:"origin"`
	Confidence    float64 `json:"confidence"`
	EvidenceCount int64   `json:"evidence_count"`
	Extra         Extra   `json:"-"`
}

// TokenBudget is the allowed and the actual cost of the pack.
type TokenBudget struct {
	TotalBudget    int64                     `json:"total_budget"`
	Used           int64                     `json:"used"`
	Remaining      int64                     `json:"remaining"`
	Truncated      bool                      `json:"truncated"`
	SectionBudgets map[Section]SectionBudget `json:"section_budgets"`
	DroppedCount   int64                     `json:"dropped_count"`
	Extra          Extra                     `json:"-"`
}

// SectionBudget is one section's share.
type SectionBudget struct {
	Budget int64 `json:"budget"`
	Used   int64 `json:"used"`
	Extra  Extra `json:"-"`
}

// AssemblyMetadata describes how the pack was made.
type AssemblyMetadata struct {
	AssemblyStrategy    Strategy            `json:"assembly_strategy"`
	RankingWeights      map[string]float64  `json:"ranking_weights"`
	RetrievalSources    []string            `json:"retrieval_sources"`
	CandidateCount      int64               `json:"candidate_count"`
	IncludedCount       int64               `json:"included_count"`
	AssemblyDurationMS  float64             `json:"assembly_duration_ms"`
	QueryClassification QueryClassification `json:"query_classification"`
	Extra               Extra               `json:"-"`
}

// QueryClassification is the classification of the query.
type QueryClassification struct {
	Intent   string   `json:"intent"`
	Keywords []string `json:"keywords"`
	Entities []string `json:"entities"`
	TimeRef  *string  `json:"time_ref"` // null if the query names no time
	Extra    Extra    `json:"-"`
}

// WorkflowHints suggests what the agent might do next.
type WorkflowHints struct {
	SuggestedNextSteps []NextStep  `json:"suggested_next_steps,omitzero"`
	ActiveTaskSchema   Opt[string] `json:"active_task_schema,omitzero"`
	CurrentStep        Opt[int64]  `json:"current_step,omitzero"`
	TotalSteps         Opt[int64]  `json:"total_steps,omitzero"`
	Blockers           []string    `json:"blockers,omitzero"`
	Extra              Extra       `json:"-"`
}

// NextStep is one suggestion.
type NextStep struct {
	Description string       `json:"description"`
	ArtifactID  Opt[string]  `json:"artifact_id,omitzero"`
	Confidence  Opt[float64] `json:"confidence,omitzero"`
	Tools       []string     `json:"tools,omitzero"`
	Extra       Extra        `json:"-"`
}

// DecisionConstraint is an effective policy. One without override is a hard rule.
type DecisionConstraint struct {
	ArtifactID      string  `json:"artifact_id"`
	Condition       string  `json:"condition"`
	Constraint      string  `json:"constraint"`
	Confidence      float64 `json:"confidence"`
	OverrideAllowed bool    `json:"override_allowed"`
	Extra           Extra   `json:"-"`
}

// DroppedEntry is a candidate that was left out, with the reason.
type DroppedEntry struct {
	SourceID       string     `json:"source_id"`
	SourceType     SourceType `json:"source_type"`
	Section        Section    `json:"section"`
	RelevanceScore float64    `json:"relevance_score"`
	TokenEstimate  int64      `json:"token_estimate"`
	DropReason     DropReason `json:"drop_reason"`
	Rank           int64      `json:"rank"`
	Extra          Extra      `json:"-"`
}

// DecodePack decodes one context pack and applies every rule of HMX-C. It returns the pack with
// any warnings, or an *InvalidError that lists all problems.
func DecodePack(data []byte) (*Pack, []Problem, error) {
	p := new(Pack)
	warnings, err := decodeInto(&packSpec, data, p)
	if err != nil {
		return nil, nil, err
	}
	return p, warnings, nil
}

// Validate applies every rule of HMX-C to a pack made in Go.
func (p *Pack) Validate() ([]Problem, error) {
	data, err := p.AppendJSON(nil)
	return checkEncoded(KindPack, data, err)
}

// AppendJSON appends the pack as compact JSON; an empty HMXVersion is
// written as Version.
func (p *Pack) AppendJSON(dst []byte) ([]byte, error) {
	p, err := p.versioned()
	if err != nil {
		return dst, err
	}
	return encode(dst, p)
}

// versioned returns the pack with its version.
func (p *Pack) versioned() (*Pack, error) {
	if p == nil {
		return nil, &EncodeError{Rule: "HMX-C/2", Detail: "there is no pack (nil)"}
	}
	if p.HMXVersion == "" {
		with := *p
		with.HMXVersion = Version
		p = &with
	}
	return p, nil
}

// MarshalJSON is AppendJSON for encoding/json.
func (p Pack) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// UnmarshalJSON decodes strictly, as DecodePack does.
func (p *Pack) UnmarshalJSON(data []byte) error {
	v, _, err := DecodePack(data)
	if err == nil {
		*p = *v
	}
	return err
}

// Canonical returns the pack in the canonical form of RFC 8785.
func (p *Pack) Canonical() ([]byte, error) { return p.AppendCanonical(nil) }

// AppendCanonical appends the pack in the canonical form of RFC 8785.
func (p *Pack) AppendCanonical(dst []byte) ([]byte, error) {
	p, err := p.versioned()
	if err != nil {
		return dst, err
	}
	return encodeCanonical(dst, p)
}
