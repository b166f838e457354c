package fault

import "slices"

// Exit codes of the command line, by what the caller can do about them.
const (
	ExitOK          = 0   // done; the answer is yes
	ExitProblem     = 1   // done; the input has problems, or the answer is no
	ExitUsage       = 2   // the command cannot be run as it was written
	ExitEnvironment = 3   // the machine refused: disk, permission, stream
	ExitInternal    = 4   // a fault in the program itself
	ExitCanceled    = 130 // stopped on request; what shells report for an interrupt
	ExitClosed      = 141 // the reader of the output left; what shells report for a broken pipe
)

// HTTP statuses. Numbers of our own, so that the ground floor does not link an
// HTTP stack for the sake of six constants.
const (
	statusBadRequest    = 400
	statusNotFound      = 404
	statusTooLarge      = 413
	statusUnprocessable = 422
	statusClosed        = 499 // by custom: the client left before the answer, so none ever sees it
	statusInternal      = 500
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

// catalogue is the one list. docs/errors.md describes each row, and a test
// holds the two together.
var catalogue = [...]Entry{{
	Code:    Usage,
	Meaning: "The request cannot be understood as it was written.",
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
	Code:    Canceled,
	Meaning: "The work was stopped before its end, on request.",
	Advice:  "Run it again when you want it done.",
	Retry:   true,
	HTTP:    statusClosed,
	Exit:    ExitCanceled,
}, {
	Code:    Internal,
	Meaning: "The program failed in a way that it has no name for.",
	Advice:  "Report it as a bug, with the command and this message.",
	HTTP:    statusInternal,
	Exit:    ExitInternal,
}}

// All returns every entry, in the order of the catalogue. The slice is the
// caller's own.
func All() []Entry { return slices.Clone(catalogue[:]) }

// Lookup returns the entry of code. A code that is not in the catalogue has
// the entry of Internal, since only a mistake in the program can make one.
func Lookup(code Code) Entry {
	for _, e := range catalogue {
		if e.Code == code {
			return e
		}
	}
	return Lookup(Internal)
}
