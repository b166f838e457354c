package engine

import (
	"lukasa.dev/internal/advise"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/board/audit"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/board/erase"
	"lukasa.dev/internal/board/stream"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/packproof"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/review"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/sessions"
)

// The names of the packages below that callers of the engine use.
type (
	AppendResult       = board.AppendResult
	ArtifactChange     = review.ArtifactChange
	ArtifactDecided    = review.ArtifactDecided
	ArtifactDecision   = review.ArtifactDecision
	ArtifactDetail     = review.ArtifactDetail
	ArtifactDiff       = review.ArtifactDiff
	ArtifactDifference = review.ArtifactDifference
	ArtifactOptions    = review.ArtifactOptions
	ArtifactPage       = review.ArtifactPage
	ArtifactVersion    = review.ArtifactVersion
	AsOf               = retrieval.AsOf
	At                 = browse.At
	Change             = browse.Change
	CheckOptions       = advise.CheckOptions
	CheckedAction      = advise.CheckedAction
	Compare            = find.Compare
	CompileAfter       = board.CompileAfter
	CompileChange      = learn.CompileChange
	CompileOp          = learn.CompileOp
	CompileOptions     = learn.CompileOptions
	CompileReport      = learn.CompileReport
	ConflictOptions    = review.ConflictOptions
	ConflictPage       = review.ConflictPage
	ConflictSettlement = review.ConflictSettlement
	ConflictSide       = review.ConflictSide
	ContextOptions     = coldstart.ContextOptions
	Count              = sessions.Count
	Day                = sessions.Day
	DiffOp             = review.DiffOp
	Direction          = find.Direction
	Disposition        = board.Disposition
	EmbedOptions       = retrieval.EmbedOptions
	EmbedProblem       = retrieval.EmbedProblem
	Embedded           = retrieval.Embedded
	EntryProof         = packproof.EntryProof
	Erasure            = erase.Erasure
	EventPage          = browse.EventPage
	EventQuery         = browse.EventQuery
	EventReceipt       = board.EventReceipt
	Expect             = board.Expect
	Expired            = erase.Expired
	Explanation        = packproof.Explanation
	FindOptions        = find.FindOptions
	FindOrder          = find.FindOrder
	Finding            = audit.Finding
	FingerprintOptions = packer.FingerprintOptions
	Found              = find.Found
	Graph              = find.Graph
	GraphEdge          = find.GraphEdge
	GraphNode          = find.GraphNode
	GraphQuery         = find.GraphQuery
	Hit                = find.Hit
	ImportReport       = transfer.ImportReport
	IngestOptions      = stream.IngestOptions
	IngestReport       = stream.IngestReport
	LearnReport        = learn.LearnReport
	Lesson             = learn.Lesson
	LessonOptions      = learn.LessonOptions
	ListOptions        = browse.ListOptions
	Made               = sessions.Made
	Moment             = sessions.Moment
	MomentSort         = sessions.MomentSort
	NextOptions        = advise.NextOptions
	NextSteps          = advise.NextSteps
	Options            = board.Options
	PackContextOptions = packer.PackContextOptions
	PackOptions        = packer.PackOptions
	PackProof          = packproof.PackProof
	Packed             = packer.Packed
	Page               = browse.Page
	ProveOptions       = browse.ProveOptions
	PutResult          = board.PutResult
	Ref                = board.Ref
	RefineOptions      = review.RefineOptions
	RefineProblem      = review.RefineProblem
	RefineReport       = review.RefineReport
	Refined            = review.Refined
	Rejection          = stream.Rejection
	Remade             = packproof.Remade
	Resolved           = browse.Resolved
	Root               = board.Root
	Salvage            = transfer.Salvage
	Salvaged           = transfer.Salvaged
	SearchHit          = retrieval.SearchHit
	SearchOptions      = retrieval.SearchOptions
	Searched           = retrieval.Searched
	SessionInfo        = browse.SessionInfo
	StatedRule         = learn.StatedRule
	Stats              = sessions.Stats
	StatsQuery         = sessions.StatsQuery
	Step               = find.Step
	Storage            = audit.Storage
	StoredArtifact     = review.StoredArtifact
	StoredConflict     = review.StoredConflict
	StoredEvent        = board.StoredEvent
	TailQuery          = browse.TailQuery
	Tailed             = browse.Tailed
	Tally              = sessions.Tally
	Thing              = board.Thing
	Timeline           = sessions.Timeline
	TimelineQuery      = sessions.TimelineQuery
	ToolCount          = sessions.ToolCount
	VerifyOptions      = audit.VerifyOptions
	VerifyPackOptions  = packproof.VerifyPackOptions
	VerifyReport       = audit.VerifyReport
	VersionsOptions    = browse.VersionsOptions
	VersionsPage       = browse.VersionsPage
	View               = board.View
	Writer             = board.Writer
)

const (
	Accepted              = board.Accepted
	BothWay               = find.BothWay
	ByRelevance           = find.ByRelevance
	BySalience            = find.BySalience
	ByTime                = find.ByTime
	CompileActivate       = learn.CompileActivate
	CompileCreate         = learn.CompileCreate
	CompileDeprecate      = learn.CompileDeprecate
	CompileForget         = learn.CompileForget
	CompileSettle         = learn.CompileSettle
	CompileSupersede      = learn.CompileSupersede
	CompileUpdate         = learn.CompileUpdate
	Compiler              = learn.Compiler
	DefaultEmbedTimeout   = retrieval.DefaultEmbedTimeout
	DefaultFindLimit      = find.DefaultFindLimit
	DefaultNextSteps      = advise.DefaultNextSteps
	DefaultRefineParallel = review.DefaultRefineParallel
	DiffAdd               = review.DiffAdd
	DiffChange            = review.DiffChange
	DiffOrder             = review.DiffOrder
	DiffRemove            = review.DiffRemove
	Duplicate             = board.Duplicate
	Inward                = find.Inward
	Late                  = board.Late
	LeastRootPrefix       = retrieval.LeastRootPrefix
	MaxEmbedText          = retrieval.MaxEmbedText
	MaxFindHops           = find.MaxFindHops
	MaxFindLimit          = find.MaxFindLimit
	MaxNextSteps          = advise.MaxNextSteps
	MaxRefineParallel     = review.MaxRefineParallel
	MaxSearchHits         = retrieval.MaxSearchHits
	MaxSearchQuery        = retrieval.MaxSearchQuery
	MomentCall            = sessions.MomentCall
	MomentDecision        = sessions.MomentDecision
	MomentDeed            = sessions.MomentDeed
	MomentEdit            = sessions.MomentEdit
	MomentError           = sessions.MomentError
	MomentFeedback        = sessions.MomentFeedback
	MomentMessage         = sessions.MomentMessage
	MomentOther           = sessions.MomentOther
	MomentPrompt          = sessions.MomentPrompt
	MomentReply           = sessions.MomentReply
	MomentResult          = sessions.MomentResult
	MomentState           = sessions.MomentState
	NameKind              = find.NameKind
	Outward               = find.Outward
	Own                   = board.Own
	ReasonErased          = packproof.ReasonErased
	ReasonExcluded        = packproof.ReasonExcluded
	ReasonForgotten       = packproof.ReasonForgotten
	ReasonIncluded        = packproof.ReasonIncluded
	ReasonNotFound        = packproof.ReasonNotFound
	ReasonOutranked       = packproof.ReasonOutranked
	ReasonUnknown         = packproof.ReasonUnknown
	ReasonUntagged        = packproof.ReasonUntagged
	Refused               = board.Refused
	RemadeNo              = packproof.RemadeNo
	RemadeNotPossible     = packproof.RemadeNotPossible
	RemadeYes             = packproof.RemadeYes
	SystemTenant          = board.SystemTenant
)

// AnyVersion expects nothing.
func AnyVersion() Expect { return board.AnyVersion() }

// AtPosition means the time when a position was the newest of its tenant.
func AtPosition(p uint64) At { return browse.AtPosition(p) }

// AtVersion means a version of a record; 0 is the newest.
func AtVersion(v uint32) At { return browse.AtVersion(v) }

// NarrowScope adds a block to a token, which can only restrict it.
func NarrowScope(token string, g scope.Grant) (string, error) { return access.NarrowScope(token, g) }

// Version expects a version of the record; 0 expects that there is none.
func Version(v uint32) Expect { return board.Version(v) }

// ProjectCondition returns the condition that limits a record to a project.
func ProjectCondition(id string) string { return sessions.ProjectCondition(id) }

// RulesOnDisk returns the rules that users of a tenant stated and that held at the last Learn,
// without opening the directory: for a caller that must not wait for the process that has it
// open. They come from the cache of Learn, which is removed before an erasure is acknowledged.
// Without that file there are none.
func RulesOnDisk(fs disk.FS, dir string, tenant string) []learn.StatedRule {
	return learn.RulesOnDisk(fs, dir, tenant)
}
