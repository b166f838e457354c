// Package trace reads what a session did: tasks with a goal, the steps that were
// taken, and how they ended.
//
// It guarantees that a trace is a function of the session's events in the order
// given, their positions and their tiers of trust, and of nothing else: no clock, no
// other session, no order of a map. Reading never fails on an event, whatever is in
// it; the work is linear in the size of the events, and a trace is bounded by the
// constants beside [Trace], so that a session of a hundred thousand events, one tool
// called a million times and values of any size are all small. Text of events stands
// in a trace only as a goal, as the words of a choice, as folded words, and as shapes
// and signatures, all cut short.
//
// It does not look for patterns, compare sessions or give advice.
//
// # Steps
//
// A step is an act of the agent: a call of a tool, a command, an edit of a file, a
// run of tests, an action in a browser, a request to an API, a decision. Messages,
// observations, changes of state and feedback are not steps, nor are calls of Lukasa
// itself and what they gave.
//
// The step of a command line is named by its program and the words that say what it does,
// whichever tool ran it, see [StepOf]; every other step by its tool.
//
// The result of a call is the tool_result with the same call_id; else the one whose
// parent_event_id or correlation_id names the call; else the next result of the same
// tool that names no call. A result that answers nothing is a step without a call.
// The other acts carry their own outcome. An error event belongs to the step that its
// correlation_id or parent_event_id names, else to the last step if that failed or has no
// known outcome; otherwise it is a step of its own.
//
// The outcome of a step comes from success, is_error, exit_code (of the content, for
// programs of the metadata too), counts of tests, status_code, the same in the object
// of a result, in this order. Without any of these, a result failed if it has an error
// member that is neither null nor empty, or its text begins as an error does. A call that
// was denied or interrupted has neither succeeded nor failed. Results say so by the members
// denied and interrupted, or by the text that agents write in place of a result. A result
// with the tag outcome adds what a later source knows to the step of the call that it
// names, and is never a step.
//
// Of a run of the same step without a message in between, a trace keeps the first MaxRun-1
// and the last, which counts the steps that it stands for.
//
// # Shapes
//
// The shape of a call is its arguments, sorted by name, each with the kind of its
// value: "cabin=economy date=<date> origin=<code>". The kinds are id, uuid, hash, int,
// number, date, time, email, path, url, code (two to eight capitals), text, list and
// object, see [Slot]; true, false and null stand for themselves, and so does a single
// lower-case word of up to 20 letters (a small enumeration), unless its name says that
// it is free text. A name that is itself a value becomes <key>.
//
// The shape of a command line is that of its commands: the program, its subcommand
// if the program is one of those that have them, flags by name, and the kinds or roles of
// all other words, where equal ones in a row count as one: "git push <remote> <branch>".
// Assignments, sudo and its like, flags before a subcommand, redirections and changes of
// directory are left out. Commands that run in sequence are joined by "&&", and behind a
// pipe only programs are named.
// A request is its method and its address without values: "GET host/orders/<id>".
//
// # Signatures of errors
//
// A signature is the most telling line of an error: the one that names an exception
// or begins as an error does; of a Python traceback the last such line, of all others
// the first; frames, rulers and log lines without words are skipped. In it numbers,
// ids, hashes, addresses, times, paths, mail addresses and whatever stands between
// quotes become slots; names of exceptions and of types stay, and so do codes: E0308,
// TS2304, ORA-00942, HTTP 404, exit code 1. Two errors that differ in values only have
// one signature.
//
// # Tasks
//
// A session is one task unless it says otherwise. A new task begins
//
//   - with a user's message after a sign that the one before is over: feedback that is
//     no correction, a task or goal that changed its state to done, a user's message
//     that only says thanks and was followed by no step;
//   - with a user's message after a pause of [LongPause], if steps were taken before;
//   - with a state_change of a task or a goal to something that begins, or a decision
//     about the next task or goal, if steps were taken before.
//
// The goal is the first message of the user in the task that says something, which a
// greeting does not.
//
// # Outcomes
//
// A task is judged by feedback, else by a change of its state, else by what the user
// plainly said, else by its last run of tests, else by its last step with a known outcome;
// a last step that failed outweighs tests that passed before it. See [Evidence].
// Feedback that names an event judges the task which that event is in, however long
// ago; feedback that names none judges the latest task. A correction is a failure until a
// further step is taken. Judgements about an event that was not read, or about a task before
// the first, are returned in Abroad, for callers that read long sessions in parts.
//
// # Environments
//
// A task is from an environment if its events name it, by a tag such as "staging" or
// "env:eu-2" or by the member environment or env of the metadata, and none names another.
// Feedback does not count.
//
// # Where values come from
//
// For each argument the trace says where its value was first seen: a message, the
// result of an earlier step, an argument of one, or nowhere. Values are compared
// without case, as whole words of texts and whole strings of JSON, also of JSON in a
// string; of a list or an object the first id-like string counts, else the first
// string. Each step also has the number of id-like values that results listed and that
// were still unused: a list that is half worked through suggests the next step.
package trace
