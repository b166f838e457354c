package hmx

// The typed views of artifact content (HMX-A section 4). As with events, unknown members stay
// in Extra.

// ArtifactContent is a typed view of an artifact's content.
type ArtifactContent interface{ artifactType() ArtifactType }

// TaskSchema is a reusable procedure for a category of tasks.
type TaskSchema struct {
	Steps               []TaskStep `json:"steps,omitzero"`
	Preconditions       []string   `json:"preconditions,omitzero"`
	Postconditions      []string   `json:"postconditions,omitzero"`
	ToolsUsed           []string   `json:"tools_used,omitzero"`
	EstimatedComplexity string     `json:"estimated_complexity,omitzero"` // low, medium or high
	Extra               Extra      `json:"-"`
}

// TaskStep is one step of a TaskSchema.
type TaskStep struct {
	Order       Opt[int64] `json:"order,omitzero"`
	Description string     `json:"description,omitzero"`
	ToolsUsed   []string   `json:"tools_used,omitzero"`
	Optional    Opt[bool]  `json:"optional,omitzero"`
	Extra       Extra      `json:"-"`
}

// FailurePlaybook is a failure pattern with recovery and prevention.
type FailurePlaybook struct {
	FailurePattern       string   `json:"failure_pattern,omitzero"`
	TriggerConditions    []string `json:"trigger_conditions,omitzero"`
	Symptoms             []string `json:"symptoms,omitzero"`
	RecoverySteps        []string `json:"recovery_steps,omitzero"`
	PreventionStrategies []string `json:"prevention_strategies,omitzero"`
	Severity             string   `json:"severity,omitzero"` // low, medium, high or critical
	Extra                Extra    `json:"-"`
}

// DecisionPolicy is a rule for decisions, learned from their outcomes.
type DecisionPolicy struct {
	Condition      string              `json:"condition,omitzero"`
	Recommendation string              `json:"recommendation,omitzero"`
	Alternatives   []PolicyAlternative `json:"alternatives,omitzero"`
	Outcomes       []PolicyOutcome     `json:"outcomes,omitzero"`
	Scope          []string            `json:"scope,omitzero"`
	Extra          Extra               `json:"-"`
}

// PolicyAlternative is an option of a DecisionPolicy that was not recommended.
type PolicyAlternative struct {
	Description string       `json:"description,omitzero"`
	Outcome     string       `json:"outcome,omitzero"`
	ChosenCount Opt[int64]   `json:"chosen_count,omitzero"`
	SuccessRate Opt[float64] `json:"success_rate,omitzero"`
	Extra       Extra        `json:"-"`
}

// PolicyOutcome is one decision that a DecisionPolicy learned from.
type PolicyOutcome struct {
	Decision       string    `json:"decision,omitzero"`
	Outcome        string    `json:"outcome,omitzero"`
	Positive       Opt[bool] `json:"positive,omitzero"`
	SourceMemoryID string    `json:"source_memory_id,omitzero"`
	Extra          Extra     `json:"-"`
}

// CausalPattern is an observed relation of cause and effect.
type CausalPattern struct {
	Cause           string       `json:"cause,omitzero"`
	Effect          string       `json:"effect,omitzero"`
	Direction       string       `json:"direction,omitzero"` // forward or bidirectional
	Strength        Opt[float64] `json:"strength,omitzero"`
	Conditions      []string     `json:"conditions,omitzero"`
	Counterexamples []string     `json:"counterexamples,omitzero"`
	Extra           Extra        `json:"-"`
}

// StrategyTemplate is a reusable approach to a goal.
type StrategyTemplate struct {
	Goal                    string          `json:"goal,omitzero"`
	Phases                  []StrategyPhase `json:"phases,omitzero"`
	ApplicabilityConditions []string        `json:"applicability_conditions,omitzero"`
	EstimatedComplexity     string          `json:"estimated_complexity,omitzero"` // low, medium or high
	Extra                   Extra           `json:"-"`
}

// StrategyPhase is one phase of a StrategyTemplate.
type StrategyPhase struct {
	Order           Opt[int64] `json:"order,omitzero"`
	Name            string     `json:"name,omitzero"`
	Description     string     `json:"description,omitzero"`
	ToolsUsed       []string   `json:"tools_used,omitzero"`
	SuccessCriteria []string   `json:"success_criteria,omitzero"`
	Extra           Extra      `json:"-"`
}

func (TaskSchema) artifactType() ArtifactType       { return TypeTaskSchema }
func (FailurePlaybook) artifactType() ArtifactType  { return TypeFailurePlaybook }
func (DecisionPolicy) artifactType() ArtifactType   { return TypeDecisionPolicy }
func (CausalPattern) artifactType() ArtifactType    { return TypeCausalPattern }
func (StrategyTemplate) artifactType() ArtifactType { return TypeStrategyTemplate }

// SetContent makes c the content of the artifact, with type and hash to match.
func (a *Artifact) SetContent(c ArtifactContent) error {
	if c == nil {
		return errNoContent
	}
	data, err := encode(nil, c)
	if err != nil {
		return err
	}
	hash, err := ContentHash(Raw(data))
	if err != nil {
		return err
	}
	a.ArtifactType, a.Content, a.ContentHash = c.artifactType(), Raw(data), hash
	return nil
}

// ArtifactContentAs reads the content of a as T. ok is false if a is of another
// type, or was made in Go with content that is not a JSON object.
func ArtifactContentAs[T ArtifactContent](a *Artifact) (content T, ok bool) {
	if a.ArtifactType != content.artifactType() {
		return content, false
	}
	content, err := view[T](a.Content)
	return content, err == nil
}

// TaskSchema reads the content of a task_schema.
func (a *Artifact) TaskSchema() (TaskSchema, bool) { return ArtifactContentAs[TaskSchema](a) }

// FailurePlaybook reads the content of a failure_playbook.
func (a *Artifact) FailurePlaybook() (FailurePlaybook, bool) {
	return ArtifactContentAs[FailurePlaybook](a)
}

// DecisionPolicy reads the content of a decision_policy.
func (a *Artifact) DecisionPolicy() (DecisionPolicy, bool) {
	return ArtifactContentAs[DecisionPolicy](a)
}

// CausalPattern reads the content of a causal_pattern.
func (a *Artifact) CausalPattern() (CausalPattern, bool) { return ArtifactContentAs[CausalPattern](a) }

// StrategyTemplate reads the content of a strategy_template.
func (a *Artifact) StrategyTemplate() (StrategyTemplate, bool) {
	return ArtifactContentAs[StrategyTemplate](a)
}
