package kind

import (
	"strings"
	"sync"

	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// This file says which event gives which frame. Its tables, with those of verbs
// and of programs, contain all rules: the rest of the package reads JSON and looks
// values up in them. docs/formats/frames.md shows them.

// eventSet is a set of types, a bit each in the order of rows; the last bit is
// that of every other type.
type eventSet uint16

const (
	onMessage eventSet = 1 << iota
	onToolCall
	onToolResult
	onFileEdit
	onTestRun
	onCommandExec
	onBrowserAction
	onAPIResult
	onDecision
	onError
	onObservation
	onStateChange
	onFeedback
	onOther

	onTools = onToolCall | onToolResult
	onEvery = onOther<<1 - 1
)

// rule says which member of which events makes a frame.
type rule struct {
	on    eventSet
	where place
	field field
	how   method
	when  condition
	verb  memory.Verb // empty: that of the event
	kind  memory.ObjectKind
}

// rules is the table. Rules apply in order, and an event has MaxFrames at most.
var rules = [...]rule{
	{on: onFileEdit, where: inContent, field: fPath, how: whole, kind: memory.ObjFile},
	{on: onFileEdit, where: inContent, field: fPath, how: whole, when: ifCreated, verb: memory.VerbBuild, kind: memory.ObjFile},
	{on: onFileEdit, where: inContent, field: fOldPath, how: whole, kind: memory.ObjFile},
	{on: onFileEdit, where: inContent, field: fDiff, how: patchHeaders, when: ifNoPath, verb: memory.VerbModify, kind: memory.ObjFile},

	{on: onTools, where: inContent, field: fTool, how: whole, kind: memory.ObjTool},
	{on: onTools, where: inEnvelope, field: fSource, how: afterTool, kind: memory.ObjTool},
	{on: onTools, where: inArguments, field: fPath, how: whole, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fPath, how: whole, when: ifMaking, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fPath, how: whole, when: ifMaking, verb: memory.VerbBuild, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fOldPath, how: whole, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fPatch, how: patchHeaders, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fURL, how: whole, kind: memory.ObjURL},
	{on: onTools, where: inArguments, field: fCommand, how: programWords, when: ifShell, kind: memory.ObjTool},
	{on: onTools, where: inArguments, field: fCommand, how: patchHeaders, when: ifShell, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fCommand, how: programFiles, when: ifShell, kind: memory.ObjFile},
	{on: onTools, where: inArguments, field: fCommand, how: programAddress, when: ifShell, kind: memory.ObjURL},
	{on: onTools, where: inArguments, field: fRepo, how: ownedName, kind: memory.ObjRepository},
	{on: onTools, where: inArguments, field: fProject, how: whole, kind: memory.ObjProject},
	{on: onTools, where: inArguments, field: fPerson, how: whole, kind: memory.ObjPerson},
	{on: onTools, where: inArguments, field: fAsset, how: whole, kind: memory.ObjAsset},
	{on: onTools, where: inArguments, field: fRecipient, how: whole, when: ifReaching, kind: memory.ObjPerson},
	{on: onTools, where: inContent, field: fTool, how: serverName, kind: memory.ObjService},
	{on: onToolResult, where: inContent, field: fResult, how: fileMentions, when: ifFailedShell, verb: memory.VerbModify, kind: memory.ObjFile},

	{on: onCommandExec, where: inContent, field: fCommand, how: programWords, kind: memory.ObjTool},
	{on: onCommandExec, where: inContent, field: fCommand, how: patchHeaders, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onCommandExec, where: inContent, field: fCommand, how: programFiles, kind: memory.ObjFile},
	{on: onCommandExec, where: inContent, field: fCommand, how: programAddress, kind: memory.ObjURL},
	{on: onCommandExec, where: inContent, field: fStderr, how: fileMentions, when: ifFailed, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onCommandExec, where: inContent, field: fStdout, how: fileMentions, when: ifFailed, verb: memory.VerbModify, kind: memory.ObjFile},

	{on: onTestRun, where: inContent, field: fFramework, how: whole, kind: memory.ObjTool},
	{on: onTestRun, where: inContent, field: fCommand, how: programWords, kind: memory.ObjTool},
	{on: onTestRun, where: inContent, field: fFailures, how: fileMentions, when: ifNotPassed, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onTestRun, where: inContent, field: fOutput, how: fileMentions, when: ifNotPassed, verb: memory.VerbModify, kind: memory.ObjFile},

	{on: onError, where: inContent, field: fMessage, how: fileMentions, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onError, where: inContent, field: fStack, how: fileMentions, verb: memory.VerbModify, kind: memory.ObjFile},
	{on: onError, where: inEnvelope, field: fSource, how: afterTool, verb: memory.VerbMonitor, kind: memory.ObjTool},
	{on: onError, where: inContent, field: fTool, how: whole, verb: memory.VerbMonitor, kind: memory.ObjTool},

	{on: onBrowserAction, where: inContent, field: fURL, how: whole, kind: memory.ObjURL},
	{on: onAPIResult, where: inContent, field: fURL, how: whole, kind: memory.ObjURL},
	{on: onAPIResult, where: inContent, field: fURL, how: hostName, kind: memory.ObjService},

	{on: onEvery, where: inMetadata, field: fProject, how: whole, kind: memory.ObjProject},
	{on: onEvery, where: inMetadata, field: fRepo, how: whole, kind: memory.ObjRepository},
	{on: onEvery, where: inMetadata, field: fPerson, how: whole, kind: memory.ObjPerson},
}

// place is a part of an event.
type place uint8

const (
	inContent place = iota
	inArguments
	inMetadata
	inEnvelope
)

// method is how a reference is found in a member.
type method uint8

const (
	whole          method = iota // all of it, or the first few of a list
	ownedName                    // owner/name, if an owner is named beside it
	patchHeaders                 // the files that a patch names
	fileMentions                 // the files named with a line
	programWords                 // the program that is run, and program with subcommand
	programFiles                 // the files that a command names
	programAddress               // the address that a command names
	hostName                     // the host of an address
	serverName                   // the server in mcp__server__tool
	afterTool                    // the text after tool:
)

// condition is when a rule applies.
type condition uint8

const (
	always        condition = iota
	ifCreated               // the operation is create
	ifNoPath                // no path is given
	ifShell                 // the tool runs commands
	ifFailed                // it failed, and asked no address
	ifFailedShell           // it failed, and the tool runs commands
	ifNotPassed             // it is not known to have succeeded
	ifMaking                // the tool writes whole files
	ifReaching              // the verb addresses a person: deliver, negotiate, schedule, delegate
)

// field is what a member of an object means.
type field uint8

const (
	fNone field = iota
	fTool
	fArguments
	fResult
	fSuccess
	fFault
	fDuration
	fPath
	fOldPath
	fOperation
	fDiff
	fPatch
	fAdded
	fRemoved
	fCommand
	fFramework
	fPassed
	fFailed
	fSkipped
	fFailures
	fOutput
	fCwd
	fRoot
	fExit
	fStdout
	fStderr
	fAction
	fURL
	fSelector
	fMethod
	fStatus
	fResponse
	fSubject
	fText
	fFrom
	fTo
	fReason
	fRole
	fAttachments
	fQuestion
	fChosen
	fReasoning
	fErrorType
	fMessage
	fStack
	fSignal
	fComment
	fTarget
	fCall
	fRepo
	fOwner
	fProject
	fPerson
	fRecipient
	fAsset
	fSource
	fieldCount
)

// fieldNames is a field and the names that it goes by.
type fieldNames struct {
	field field
	names string
}

// contentTable are the names in content: those of the protocol and of the views
// beside it, exactly and with case, and a few that others write.
var contentTable = [...]fieldNames{
	{fTool, "tool_name tool"},
	{fArguments, "arguments args input parameters"},
	{fResult, "result"},
	{fSuccess, "success"},
	{fFault, "is_error isError"},
	{fDuration, "duration_ms"},
	{fPath, "path file_path filename file"},
	{fOldPath, "old_path"},
	{fOperation, "operation"},
	{fDiff, "diff patch"},
	{fAdded, "lines_added"},
	{fRemoved, "lines_removed"},
	{fCommand, "command cmd"},
	{fFramework, "framework"},
	{fPassed, "passed"},
	{fFailed, "failed"},
	{fSkipped, "skipped"},
	{fFailures, "failures"},
	{fOutput, "output"},
	{fCwd, "cwd"},
	{fExit, "exit_code"},
	{fStdout, "stdout"},
	{fStderr, "stderr"},
	{fAction, "action"},
	{fURL, "url"},
	{fSelector, "selector"},
	{fMethod, "method"},
	{fStatus, "status_code"},
	{fResponse, "response"},
	{fSubject, "subject"},
	{fText, "text"},
	{fFrom, "from"},
	{fTo, "to"},
	{fReason, "reason"},
	{fRole, "role"},
	{fAttachments, "attachments"},
	{fQuestion, "question"},
	{fChosen, "chosen_option"},
	{fReasoning, "reasoning"},
	{fErrorType, "error_type"},
	{fMessage, "message"},
	{fStack, "stack"},
	{fSignal, "signal"},
	{fComment, "comment"},
	{fTarget, "target_event_id"},
	{fCall, "call_id"},
}

// argumentTable are the names in the arguments of tools, in lower case and without
// underscores and hyphens, so that file_path, filePath and FilePath are one.
var argumentTable = [...]fieldNames{
	{fPath, "path paths file files filepath filepaths filename targetfile targetfiles absolutepath relativepath notebookpath relativeworkspacepath destinationpath newpath"},
	{fOldPath, "oldpath sourcepath frompath"},
	{fURL, "url urls uri href link"},
	{fRepo, "repo repository reponame repositoryname repofullname"},
	{fOwner, "owner org organization"},
	{fProject, "project projectid projectname projectkey"},
	{fPerson, "userid user username assignee assignees email customerid customer author reviewer reviewers attendees contact employeeid patientid accountid"},
	{fRecipient, "to recipient recipients cc"},
	{fAsset, "assetid orderid reservationid bookingid ticketid ticketkey invoiceid productid itemid issueid issuekey"},
	{fCommand, "command cmd script commandline"},
	{fAction, "action operation op"},
	{fPatch, "patch input diff changes patchtext"},
	{fCwd, "cwd workdir workingdirectory"},
}

// metadataTable are the names in metadata, written as those in arguments.
var metadataTable = [...]fieldNames{
	{fProject, "project projectname projectid"},
	{fRepo, "repository repo repositoryname"},
	{fPerson, "userid user username author assignee customer customerid"},
	{fRoot, "repositoryroot reporoot projectroot workspaceroot workspace projectdir gitroot"},
	{fCwd, "cwd workingdirectory workdir"},
	{fExit, "exitcode"},
}

var (
	contentNames  = indexFields(contentTable[:], false)
	argumentNames = indexFields(argumentTable[:], true)
	metadataNames = indexFields(metadataTable[:], true)
)

// naming finds fields by name.
type naming struct {
	byName map[string]field
	folded bool
}

func indexFields(table []fieldNames, folded bool) func() *naming {
	return sync.OnceValue(func() *naming {
		x := map[string]field{}
		for _, row := range table {
			for name := range strings.FieldsSeq(row.names) {
				x[name] = row.field
			}
		}
		return &naming{x, folded}
	})
}

// field returns what a member called key means.
func (x *naming) field(key []byte) field {
	if !x.folded {
		return x.byName[string(key)]
	}
	var buf [recognize.MaxWord]byte
	return x.byName[string(recognize.Fold(buf[:0], key))]
}
