import type { CallOptions, Lukasa } from "./client.js";
import { Problem } from "./problem.js";
import type { MemoryToolInput } from "./operations.js";

/** ToolUse is a block with which a model of Anthropic calls a tool. */
export interface ToolUse {
  type?: string;
  id: string;
  name?: string;
  input: unknown;
}

/** ToolResult is the block that answers it. */
export interface ToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

/** memoryTool is how the tool is announced to the model. */
export const memoryTool = { type: "memory_20250818", name: "memory" } as const;

/** MemoryAnswer is what became of a call of the memory tool. */
export interface MemoryAnswer {
  content: string;
  is_error: boolean;
}

/**
 * memory runs one command of Anthropic's memory tool: view, create, str_replace, insert,
 * delete or rename under /memories. What the model did wrong is in the answer, in words for
 * the model; what it cannot mend (no server, no right) is thrown.
 */
export async function memory(lukasa: Lukasa, input: unknown, options: CallOptions = {}): Promise<MemoryAnswer> {
  try {
    const answer = (await lukasa.call("memory_tool", input as MemoryToolInput, options)) as MemoryAnswer;
    return { content: answer.content, is_error: answer.is_error === true };
  } catch (error) {
    if (error instanceof Problem && error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status)) {
      return { content: `Error: ${error.detail}${error.fix === "" ? "" : ` (${error.fix})`}`, is_error: true };
    }
    throw error;
  }
}

/** memoryResult answers a tool_use block of the memory tool with a tool_result block. */
export async function memoryResult(lukasa: Lukasa, use: ToolUse, options: CallOptions = {}): Promise<ToolResult> {
  const answer = await memory(lukasa, use.input, options);
  return { type: "tool_result", tool_use_id: use.id, content: answer.content, ...(answer.is_error ? { is_error: true } : {}) };
}

/** The commands of the memory tool. */
type Command = "view" | "create" | "str_replace" | "insert" | "delete" | "rename";

/** memoryHandlers are what betaMemoryTool of @anthropic-ai/sdk takes. What went wrong is thrown, as it expects. */
export function memoryHandlers(lukasa: Lukasa): { [C in Command]: (command: { command: C }) => Promise<string> } {
  const run = async (command: { command: Command }): Promise<string> => {
    const answer = await memory(lukasa, command);
    if (answer.is_error) throw new Error(answer.content);
    return answer.content;
  };
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}
