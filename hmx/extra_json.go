package hmx

// Every type with an Extra implements the interfaces of encoding/json, which would otherwise
// leave Extra out and match names without case.

// decodeJSON is UnmarshalJSON of a type with an Extra: strict JSON, exact names.
func decodeJSON[T any](data []byte, v *T) error {
	if string(data) == "null" {
		return nil // like encoding/json
	}
	var out T
	if err := form.Decode(string(data), &out); err != nil {
		return err
	}
	*v = out
	return nil
}

// MarshalJSON writes v with its Extra.
func (v Message) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Message) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Attachment) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Attachment) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v ToolCall) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *ToolCall) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v ToolResult) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *ToolResult) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Decision) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Decision) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Failure) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Failure) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Feedback) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Feedback) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v FileEdit) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *FileEdit) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v TestRun) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *TestRun) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v CommandExec) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *CommandExec) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v BrowserAction) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *BrowserAction) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v APIResult) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *APIResult) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Observation) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Observation) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v StateChange) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *StateChange) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v TaskSchema) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *TaskSchema) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v TaskStep) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *TaskStep) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v FailurePlaybook) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *FailurePlaybook) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v DecisionPolicy) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *DecisionPolicy) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v PolicyAlternative) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *PolicyAlternative) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v PolicyOutcome) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *PolicyOutcome) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v CausalPattern) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *CausalPattern) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v StrategyTemplate) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *StrategyTemplate) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v StrategyPhase) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *StrategyPhase) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Entry) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Entry) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v Provenance) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *Provenance) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v TokenBudget) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *TokenBudget) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v SectionBudget) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *SectionBudget) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v AssemblyMetadata) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *AssemblyMetadata) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v QueryClassification) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *QueryClassification) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v WorkflowHints) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *WorkflowHints) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v NextStep) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *NextStep) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v DecisionConstraint) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *DecisionConstraint) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v DroppedEntry) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *DroppedEntry) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v ValidityScope) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *ValidityScope) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }

// MarshalJSON writes v with its Extra.
func (v TimeRange) MarshalJSON() ([]byte, error) { return encode(nil, v) }

// UnmarshalJSON decodes v; unknown members go to Extra.
func (v *TimeRange) UnmarshalJSON(data []byte) error { return decodeJSON(data, v) }
