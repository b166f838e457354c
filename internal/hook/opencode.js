// Written by `lukasa install opencode`. It hands what happens in OpenCode to Lukasa, and what
// Lukasa answers to the model. Trouble with Lukasa never stops OpenCode.
import { spawn } from "node:child_process"

const program = "@PROGRAM@"
const args = "@ARGS@"
const limit = 10000 // milliseconds
const bus = new Set(["session.created", "session.idle", "session.error", "session.compacted", "session.deleted", "file.edited", "message.updated"])

// running are the arguments of `opencode run`, which puts quotation marks around those with a
// space, and ends with its turn. It is empty in the terminal.
const at = process.argv.indexOf("run")
const once = at > 0 && at < 6
const running = once ? process.argv.slice(at + 1) : []

// tell runs Lukasa with one hook event and returns its answer, or nothing.
function tell(event) {
  return new Promise((resolve) => {
    let out = ""
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const timer = setTimeout(() => {
      child.kill()
      done({})
    }, limit)
    child.on("error", () => done({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.on("close", () => {
      try {
        done(JSON.parse(out) ?? {})
      } catch {
        done({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Lukasa = async ({ directory }) => {
  const bundles = new Map() // of sessions
  const packs = new Map() // of the newest prompts of sessions
  const warnings = new Map() // of calls
  const parents = new Map() // of sessions that another one began
  const said = new Map() // texts of messages of the model that are not handed over yet
  const asked = new Map() // calls that the user is asked about, by the id of the question
  const denied = new Map() // who denied a call that has no result yet
  const failed = new Set() // calls whose failure is handed over
  const begun = new Map() // when calls began, in milliseconds
  const about = (hook, sessionID, rest) =>
    tell({ hook_event_name: hook, session_id: sessionID, parent_session_id: parents.get(sessionID), cwd: directory, ...rest })

  // part takes in a part of a message: texts are handed over with the message, and a tool that
  // threw or was denied has no other hook than this.
  const part = async (part) => {
    if (part?.type === "text" && !part.synthetic) {
      said.set(part.messageID, { ...said.get(part.messageID), [part.id]: part.text })
      return
    }
    if (part?.type !== "tool" || part.state?.status !== "error" || failed.has(part.callID)) return
    failed.add(part.callID)
    const by = denied.get(part.callID)
    denied.delete(part.callID)
    warnings.delete(part.callID)
    begun.delete(part.callID)
    await about("event", part.sessionID, { event: { type: "tool.error", properties: { part, denied_by: by } } })
  }

  return {
    event: async ({ event }) => {
      const of = event.properties ?? {}
      if (event.type === "message.part.updated") return part(of.part)
      if (event.type === "permission.asked" && of.tool?.callID) asked.set(of.id, of.tool.callID)
      if (event.type === "permission.replied") {
        const id = of.requestID ?? of.permissionID
        if ((of.reply ?? of.response) === "reject" && asked.has(id)) denied.set(asked.get(id), "user")
        asked.delete(id)
      }
      if (!bus.has(event.type)) return
      const info = of.info ?? {}
      const sessionID = of.sessionID ?? info.sessionID ?? info.id
      if (event.type === "message.updated") {
        if (info.role !== "assistant" || !info.time?.completed) return
        const text = Object.values(said.get(info.id) ?? {}).join("\n\n")
        said.delete(info.id)
        if (text || info.error) await about("event", sessionID, { event: { type: event.type, properties: { info, text } } })
        return
      }
      if (event.type === "session.created" && info.parentID) parents.set(info.id, info.parentID)
      const last = event.type === "session.idle" && once && !parents.has(sessionID)
      const answer = await about("event", sessionID, last ? { event, last } : { event })
      if (answer.context) bundles.set(sessionID, answer.context)
      if (event.type === "session.deleted") for (const kept of [bundles, packs, parents]) kept.delete(sessionID)
    },
    "chat.message": async (input, output) => {
      const answer = await about("chat.message", input.sessionID, { input, output: { message: output.message, parts: output.parts }, arguments: running })
      packs.set(input.sessionID, answer.context ?? "")
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const kept of [bundles, packs]) {
        const context = kept.get(input.sessionID)
        if (context) output.system.push(context)
      }
    },
    "tool.execute.before": async (input, output) => {
      const answer = await about("tool.execute.before", input.sessionID, { input, output: { args: output.args } })
      if (answer.deny) {
        denied.set(input.callID, "lukasa")
        throw new Error(answer.deny)
      }
      if (answer.context) warnings.set(input.callID, answer.context)
      begun.set(input.callID, Date.now())
    },
    "tool.execute.after": async (input, output) => {
      const from = begun.get(input.callID)
      const duration_ms = from === undefined ? undefined : Date.now() - from
      begun.delete(input.callID)
      await about("tool.execute.after", input.sessionID, { duration_ms, input, output: { title: output.title, output: output.output, metadata: output.metadata, content: output.content } })
      const warning = warnings.get(input.callID)
      if (warnings.delete(input.callID) && typeof output.output === "string") output.output += "\n\n" + warning
    },
    "experimental.session.compacting": async (input) => {
      await about("experimental.session.compacting", input.sessionID, { input })
    },
  }
}
