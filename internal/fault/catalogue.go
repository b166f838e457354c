package fault

// Exit codes of the command line, by what the caller can do about them.
const (
	ExitOK          = 0   // done; the answer is yes
	ExitProblem     = 1   // done; the input has problems, or the answer is no
	ExitUsage       = 2   // the command cannot be run as it was written
	ExitEnvironment = 3   // the machine refused: disk, permission, stream
	ExitInternal    = 4   // a fault in the program itself
	ExitForbidden   = 5   // done; a rule forbids the planned action, and the caller asked to fail then
	ExitCanceled    = 130 // stopped on request; what shells report for an interrupt
	ExitClosed      = 141 // the reader of the output closed it; what shells report for a broken pipe
)

// HTTP statuses. They are our own constants, so that this package does not link an HTTP stack.
const (
	statusBadRequest    = 400
	statusUnauthorized  = 401
	statusForbidden     = 403
	statusNotFound      = 404
	statusWrongMethod   = 405
	statusTooSlow       = 408
	statusConflict      = 409
	statusGone          = 410
	statusTooLarge      = 413
	statusWrongMedia    = 415
	statusUnprocessable = 422
	statusTooMany       = 429
	statusClosed        = 499 // by convention: the client disconnected before the answer, so none ever sees it
	statusInternal      = 500
	statusUnavailable   = 503
	statusNoRoom        = 507
)

// The codes. Their meanings are in the table below.
const (
	Usage           Code = "usage"
	UnknownCommand  Code = "unknown_command"
	UnknownKind     Code = "unknown_kind"
	UnreadableInput Code = "unreadable_input"
	InvalidDocument Code = "invalid_document"
	TooLarge        Code = "too_large"
	OutputFailed    Code = "output_failed"
	OutputClosed    Code = "output_closed"
	InvalidArgument Code = "invalid_argument"
	NotFound        Code = "not_found"
	IDConflict      Code = "id_conflict"
	VersionConflict Code = "version_conflict"
	Erased          Code = "erased"
	Untrusted       Code = "untrusted"
	ScopeInvalid    Code = "scope_invalid"
	ScopeExpired    Code = "scope_expired"
	OutOfScope      Code = "out_of_scope"
	Locked          Code = "locked"
	ForeignDir      Code = "foreign_directory"
	NewerFormat     Code = "newer_format"
	ReadOnly        Code = "read_only"
	DiskFull        Code = "disk_full"
	WriteFailed     Code = "write_failed"
	Damaged         Code = "damaged"
	RolledBack      Code = "rolled_back"
	NotProven       Code = "not_proven"
	NoEmbedder      Code = "embedder_unavailable"
	WrongDimensions Code = "wrong_dimensions"
	NoRefiner       Code = "refiner_unavailable"
	Forbidden       Code = "action_forbidden"
	NeedsMending    Code = "needs_mending"
	Unauthenticated Code = "unauthenticated"
	NotPermitted    Code = "not_permitted"
	ForeignOrigin   Code = "foreign_origin"
	RateLimited     Code = "rate_limited"
	OverQuota       Code = "over_quota"
	UnknownRoute    Code = "unknown_route"
	WrongMethod     Code = "wrong_method"
	WrongMedia      Code = "wrong_media"
	Overloaded      Code = "overloaded"
	TooSlow         Code = "too_slow"
	BadConfig       Code = "bad_config"
	NoServer        Code = "server_unreachable"
	Closed          Code = "closed"
	Canceled        Code = "canceled"
	Internal        Code = "internal"
)

// Entry is one row of the catalogue.
type Entry struct {
	Code    Code
	Meaning string // one line, what happened
	Advice  string // what the caller should do
	Retry   bool   // whether the same request, unchanged, may succeed later
	HTTP    int    // status of an HTTP answer
	Exit    int    // exit code of the command line
}

// catalogue is the only list. docs/errors.md describes each row, and a test compares the two.
var catalogue = [...]Entry{{
	Code:    Usage,
	Meaning: "The request is not valid: a flag or an argument is wrong.",
	Advice:  "Correct the flags or arguments; `--help` of the command lists them.",
	HTTP:    statusBadRequest,
	Exit:    ExitUsage,
}, {
	Code:    UnknownCommand,
	Meaning: "There is no command of that name.",
	Advice:  "Choose one of the commands that `lukasa --help` lists.",
	HTTP:    statusNotFound,
	Exit:    ExitUsage,
}, {
	Code:    UnknownKind,
	Meaning: "There is no kind of document of that name.",
	Advice:  "Use one of the kinds that the message lists.",
	HTTP:    statusBadRequest,
	Exit:    ExitUsage,
}, {
	Code:    UnreadableInput,
	Meaning: "The input cannot be opened or read.",
	Advice:  "Check that the path names a file you may read, or use `-` for standard input.",
	HTTP:    statusBadRequest,
	Exit:    ExitUsage,
}, {
	Code:    InvalidDocument,
	Meaning: "The input was read, and it breaks the rules of its kind.",
	Advice:  "Correct what the listed problems point at, then send it again.",
	HTTP:    statusUnprocessable,
	Exit:    ExitProblem,
}, {
	Code:    TooLarge,
	Meaning: "The input is larger than its limit allows.",
	Advice:  "Split it, or move the bulk out of the document and refer to it.",
	HTTP:    statusTooLarge,
	Exit:    ExitProblem,
}, {
	Code:    OutputFailed,
	Meaning: "The answer could not be written.",
	Advice:  "Make room or get permission where the output goes, then run it again.",
	Retry:   true,
	HTTP:    statusInternal,
	Exit:    ExitEnvironment,
}, {
	Code:    OutputClosed,
	Meaning: "The reader of the output left before the end.",
	Advice:  "Nothing, if you stopped reading on purpose; otherwise read to the end.",
	Retry:   true,
	HTTP:    statusClosed,
	Exit:    ExitClosed,
}, {
	Code:    InvalidArgument,
	Meaning: "A value in the request breaks a rule.",
	Advice:  "Correct the field that the message names.",
	HTTP:    statusUnprocessable,
	Exit:    ExitProblem,
}, {
	Code:    NotFound,
	Meaning: "Nothing here has that name.",
	Advice:  "Check the name and the tenant; `lukasa list` shows what there is.",
	HTTP:    statusNotFound,
	Exit:    ExitProblem,
}, {
	Code:    IDConflict,
	Meaning: "The id is taken by a record with other content.",
	Advice:  "Give the new content an id of its own; what was recorded first stays.",
	HTTP:    statusConflict,
	Exit:    ExitProblem,
}, {
	Code:    VersionConflict,
	Meaning: "It was changed after the version that the request names.",
	Advice:  "Read it again, decide again, and send the version that you read.",
	HTTP:    statusConflict,
	Exit:    ExitProblem,
}, {
	Code:    Erased,
	Meaning: "It was erased, and stays erased.",
	Advice:  "Nothing can bring it back; the receipt says when it was erased.",
	HTTP:    statusGone,
	Exit:    ExitProblem,
}, {
	Code:    Untrusted,
	Meaning: "The writer's trust tier is too low for this.",
	Advice:  "Have a writer of the tier that the message names write it.",
	HTTP:    statusUnprocessable,
	Exit:    ExitProblem,
}, {
	Code:    ScopeInvalid,
	Meaning: "The scope token is not valid here.",
	Advice:  "Ask its issuer for another; `lukasa scope inspect` shows what it says.",
	HTTP:    statusUnauthorized,
	Exit:    ExitProblem,
}, {
	Code:    ScopeExpired,
	Meaning: "The scope token has expired.",
	Advice:  "Ask its issuer for a new one.",
	HTTP:    statusUnauthorized,
	Exit:    ExitProblem,
}, {
	Code:    OutOfScope,
	Meaning: "The scope does not allow this.",
	Advice:  "Do without it, or ask the issuer of the scope for a wider one.",
	HTTP:    statusForbidden,
	Exit:    ExitProblem,
}, {
	Code:    Locked,
	Meaning: "Another process has the data directory open.",
	Advice:  "Wait until it is done, or use another directory with `--data`.",
	Retry:   true,
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    ForeignDir,
	Meaning: "The directory holds something that is not Lukasa's.",
	Advice:  "Name an empty directory or one that Lukasa made, with `--data`.",
	HTTP:    statusInternal,
	Exit:    ExitUsage,
}, {
	Code:    NewerFormat,
	Meaning: "The data was written by a newer version of Lukasa.",
	Advice:  "Use that version or a later one.",
	HTTP:    statusInternal,
	Exit:    ExitUsage,
}, {
	Code:    ReadOnly,
	Meaning: "The data directory cannot be written to.",
	Advice:  "Get permission to write there, or use another directory with `--data`.",
	HTTP:    statusInternal,
	Exit:    ExitEnvironment,
}, {
	Code:    DiskFull,
	Meaning: "The disk has too little free space to write safely.",
	Advice:  "Make room, then send it again. What was acknowledged is safe.",
	Retry:   true,
	HTTP:    statusNoRoom,
	Exit:    ExitEnvironment,
}, {
	Code:    WriteFailed,
	Meaning: "The disk refused a write, so nothing more is written until the directory is opened again.",
	Advice:  "Repair the disk, then restart. What was acknowledged is safe; what was not may be sent again.",
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    Damaged,
	Meaning: "Bytes on the disk differ from what was written.",
	Advice:  "Run `lukasa verify --deep` to see all of it, then restore from a copy or `lukasa rebuild` if only the index is hit.",
	HTTP:    statusInternal,
	Exit:    ExitEnvironment,
}, {
	Code:    RolledBack,
	Meaning: "The directory is older than what was already signed for it.",
	Advice:  "Bring back the newer data. If it is lost for good, make a new key with `lukasa root --new-key`; old proofs keep the old one.",
	HTTP:    statusConflict,
	Exit:    ExitProblem,
}, {
	Code:    NotProven,
	Meaning: "The proof does not prove it.",
	Advice:  "Treat the data as not authentic: compare the key, the checkpoint and where the proof came from.",
	HTTP:    statusUnprocessable,
	Exit:    ExitProblem,
}, {
	Code:    NoEmbedder,
	Meaning: "The service that makes vectors of texts gives no usable answer.",
	Advice:  "Check that it runs and that its address, model and key are right, then send it again; search by words works without it.",
	Retry:   true,
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    WrongDimensions,
	Meaning: "The vector has more or fewer numbers than the others that it would be compared with.",
	Advice:  "Use vectors of one model and one number of dimensions, or name the other model as one of its own.",
	HTTP:    statusUnprocessable,
	Exit:    ExitProblem,
}, {
	Code:    NoRefiner,
	Meaning: "The language model that writes titles gives no usable answer.",
	Advice:  "Check that it runs and that its address, model and key are right, then run it again; artifacts have titles without it.",
	Retry:   true,
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    Forbidden,
	Meaning: "A hard rule of a user or an operator forbids the action that is planned.",
	Advice:  "Do not take it, do what the verdict says instead, or ask the author of the rule.",
	HTTP:    statusForbidden,
	Exit:    ExitForbidden,
}, {
	Code:    NeedsMending,
	Meaning: "The doctor found a problem that needs mending.",
	Advice:  "Do what the findings say; each has its own advice.",
	HTTP:    statusConflict,
	Exit:    ExitProblem,
}, {
	Code:    Unauthenticated,
	Meaning: "The call has no credential, or one that is not known here.",
	Advice:  "Send `Authorization: Bearer` with a key that is valid; `lukasa key create` makes one.",
	HTTP:    statusUnauthorized,
	Exit:    ExitUsage,
}, {
	Code:    NotPermitted,
	Meaning: "The credential does not allow this.",
	Advice:  "Use a credential that has the right that the message names, or ask the operator of the server for one.",
	HTTP:    statusForbidden,
	Exit:    ExitUsage,
}, {
	Code:    ForeignOrigin,
	Meaning: "The call comes from a web page or by a host name that the server does not know.",
	Advice:  "Call it by the address that it prints, or add the origin or host to its configuration.",
	HTTP:    statusForbidden,
	Exit:    ExitUsage,
}, {
	Code:    RateLimited,
	Meaning: "The tenant sends more than its rate limit allows.",
	Advice:  "Wait as long as `Retry-After` says, then send it again.",
	Retry:   true,
	HTTP:    statusTooMany,
	Exit:    ExitEnvironment,
}, {
	Code:    OverQuota,
	Meaning: "The tenant has reached its limit of records or bytes.",
	Advice:  "Ask the operator of the server for a higher limit.",
	HTTP:    statusTooMany,
	Exit:    ExitProblem,
}, {
	Code:    UnknownRoute,
	Meaning: "No operation has this address.",
	Advice:  "Look the address up in `/openapi.json`.",
	HTTP:    statusNotFound,
	Exit:    ExitUsage,
}, {
	Code:    WrongMethod,
	Meaning: "The address exists, but not for this method.",
	Advice:  "Use one of the methods that `Allow` lists.",
	HTTP:    statusWrongMethod,
	Exit:    ExitUsage,
}, {
	Code:    WrongMedia,
	Meaning: "The body has a type or an encoding that this address does not read.",
	Advice:  "Send one of the content types and encodings that the message names.",
	HTTP:    statusWrongMedia,
	Exit:    ExitUsage,
}, {
	Code:    Overloaded,
	Meaning: "The server has more work than it can hold in memory.",
	Advice:  "Wait as long as `Retry-After` says, then send it again.",
	Retry:   true,
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    TooSlow,
	Meaning: "The call did not arrive or end within its time limit.",
	Advice:  "Send it again, in smaller parts.",
	Retry:   true,
	HTTP:    statusTooSlow,
	Exit:    ExitEnvironment,
}, {
	Code:    BadConfig,
	Meaning: "The configuration cannot be used as it is written.",
	Advice:  "Correct the setting that the message names; docs/operations.md lists all of them.",
	HTTP:    statusInternal,
	Exit:    ExitUsage,
}, {
	Code:    NoServer,
	Meaning: "The server does not answer.",
	Advice:  "Check that it runs and that the address is right, then send it again.",
	Retry:   true,
	HTTP:    statusUnavailable,
	Exit:    ExitEnvironment,
}, {
	Code:    Closed,
	Meaning: "The board is closed.",
	Advice:  "Open it again.",
	HTTP:    statusUnavailable,
	Exit:    ExitInternal,
}, {
	Code:    Canceled,
	Meaning: "The work was stopped on request before it ended.",
	Advice:  "Run it again when you want it done.",
	Retry:   true,
	HTTP:    statusClosed,
	Exit:    ExitCanceled,
}, {
	Code:    Internal,
	Meaning: "The program failed with an error that has no code of its own.",
	Advice:  "Report it as a bug, with the command and this message.",
	HTTP:    statusInternal,
	Exit:    ExitInternal,
}}

// Lookup returns the entry of code. A code that is not in the catalogue has the entry of
// Internal, since only a bug can make one.
func Lookup(code Code) Entry {
	for _, e := range catalogue {
		if e.Code == code {
			return e
		}
	}
	return Lookup(Internal)
}
