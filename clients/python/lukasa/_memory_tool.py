"""A back end of Anthropic's memory tool."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional

from ._client import Lukasa
from ._options import CallOptions
from ._problem import Problem

#: How the tool is announced to the model.
MEMORY_TOOL = {"type": "memory_20250818", "name": "memory"}


class MemoryAnswer(NamedTuple):
    """MemoryAnswer is what became of a call of the memory tool."""

    content: str
    is_error: bool


def memory(lukasa: Lukasa, tool_input: Mapping[str, Any], options: Optional[CallOptions] = None) -> MemoryAnswer:
    """Runs one command of the memory tool: view, create, str_replace, insert, delete or rename
    under /memories. What the model did wrong is in the answer, in words for the model; what
    it cannot mend (no server, no right) is raised."""
    try:
        answer = lukasa.call("memory_tool", dict(tool_input), options)
    except Problem as problem:
        if 400 <= problem.status < 500 and problem.status not in (401, 403, 429):
            return MemoryAnswer("Error: %s%s" % (problem.detail, " (%s)" % problem.fix if problem.fix else ""), True)
        raise
    return MemoryAnswer(answer["content"], answer.get("is_error") is True)


def memory_result(lukasa: Lukasa, tool_use: Any, options: Optional[CallOptions] = None) -> Dict[str, Any]:
    """Answers a tool_use block of the memory tool, a dict or an object of the SDK, with a
    tool_result block."""
    use = tool_use if isinstance(tool_use, Mapping) else {"id": tool_use.id, "input": tool_use.input}
    answer = memory(lukasa, use["input"], options)
    block = {"type": "tool_result", "tool_use_id": use["id"], "content": answer.content}
    if answer.is_error:
        block["is_error"] = True
    return block


class MemoryTool:
    """MemoryTool has a method for each command, as BetaAbstractMemoryTool of the anthropic
    package wants them: derive from both, this one first. What went wrong is raised."""

    def __init__(self, lukasa: Lukasa, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lukasa = lukasa

    def _run(self, command: Any) -> str:
        given = command if isinstance(command, Mapping) else command.model_dump(exclude_none=True)
        answer = memory(self.lukasa, given)
        if answer.is_error:
            raise ValueError(answer.content)
        return answer.content

    def view(self, command: Any) -> str:
        """Shows a file, or what is in a directory."""
        return self._run(command)

    def create(self, command: Any) -> str:
        """Makes a file, or replaces it."""
        return self._run(command)

    def str_replace(self, command: Any) -> str:
        """Replaces a text that is in a file once."""
        return self._run(command)

    def insert(self, command: Any) -> str:
        """Puts a text behind a line."""
        return self._run(command)

    def delete(self, command: Any) -> str:
        """Takes a file or a directory away."""
        return self._run(command)

    def rename(self, command: Any) -> str:
        """Calls a file or a directory something else."""
        return self._run(command)
