"""Runs the conversation that all clients have in common against a server:

    LUKASA_TOKEN=… python3 tests/conversation.py ADDRESS TENANT FILE

It prints a line for each step, and ends with 1 at the first that goes wrong.
"""

import inspect
import itertools
import json
import os
import pathlib
import re
import sys
from types import SimpleNamespace
from typing import Any, Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lukasa import CallOptions, Lukasa, Problem, memory_result, wrap  # noqa: E402


def filled(value: Any, names: Dict[str, Any]) -> Any:
    """Puts what was kept into a request or an expectation."""
    if isinstance(value, dict):
        return {k: filled(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, names) for v in value]
    if not isinstance(value, str):
        return value
    if value[:1] == "$" and value[1:] in names:
        return names[value[1:]]
    return re.sub(r"\$([a-z]+)", lambda m: str(names.get(m.group(1), m.group(0))), value)


def differs(want: Any, got: Any, path: str = "answer") -> str:
    """Says where an answer is not as expected, or nothing."""
    if isinstance(want, dict):
        if len(want) == 1 and next(iter(want)).startswith("$"):
            return compared(*next(iter(want.items())), got, path)
        if not isinstance(got, dict):
            return "%s is %r, not an object" % (path, got)
        return next((d for k, v in want.items() for d in [differs(v, got.get(k), "%s.%s" % (path, k))] if d), "")
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return "%s is %r, not a list of %d" % (path, got, len(want))
        return next((d for i, v in enumerate(want) for d in [differs(v, got[i], "%s[%d]" % (path, i))] if d), "")
    return "" if want == got and isinstance(want, bool) == isinstance(got, bool) else "%s is %r, not %r" % (path, got, want)


def compared(how: str, want: Any, got: Any, path: str) -> str:
    good = {
        "$any": lambda: got is not None,
        "$has": lambda: (want in got) if isinstance(got, str) else isinstance(got, list) and any(not differs(want, g) for g in got),
        "$len": lambda: isinstance(got, list) and len(got) == want,
        "$min": lambda: isinstance(got, (int, float)) and got >= want,
        "$max": lambda: isinstance(got, (int, float)) and got <= want,
    }[how]()
    return "" if good else "%s is %r, and not %s %r" % (path, got, how, want)


def run(client: Lukasa, call: str, given: Dict[str, Any], options: CallOptions, etag: bool) -> Any:
    """Makes the call of a step, with the methods that a program would use."""
    if call == "append":
        return client.append(*given["events"], options=options)
    if call == "lines":
        return client.ingest(iter(given["lines"]), options=options)
    if call == "pages":
        return {"elements": list(client.pages(given["of"], given["input"], options))}
    if call == "tail":
        asked = {"from_" if k == "from" else k: v for k, v in given.items() if k != "count"}
        return {"events": [t._asdict() for t in itertools.islice(client.tail(**asked, options=options), given["count"])]}
    if call == "export":
        return {"lines": list(client.export_lines(options=options))}
    if call == "socket":
        acks: List[Dict[str, Any]] = []
        with client.open_socket(acked=lambda ack: acks.append(ack._asdict()), options=options) as socket:
            for event in given["events"]:
                socket.send(event)
        return {"acks": sorted(acks, key=lambda ack: ack["event_id"])}
    if call == "wrapped":
        return wrapped(client, given)
    if call == "memory_result":
        return memory_result(client, given, options)
    method = getattr(client, call)
    asked = {"from_" if k == "from" else k: v for k, v in given.items()}
    if set(asked) <= set(inspect.signature(method).parameters) and options.if_none_match is None and not etag:
        return method(**asked, options=options)
    return client.ask(call, given, options)


def wrapped(lukasa: Lukasa, given: Dict[str, Any]) -> Any:
    """Runs a model with scripted answers, and returns what it was asked."""
    asked: Dict[str, Any] = {}
    troubles: List[str] = []

    def create(**body: Any) -> Any:
        asked.update(body)
        return {"choices": [{"message": given["says"]}]}

    model: Any = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    remembering = wrap(
        model, lukasa=lukasa, session=given["session"], agent=given["agent"], budget=given["budget"],
        on_trouble=lambda error, _: troubles.append(str(error)),
    )
    remembering.chat.completions.create(model="m", messages=given["messages"])
    return {"messages": asked["messages"], "troubles": troubles}


def main(address: str, tenant: str, file: str) -> int:
    script = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    token = os.environ["LUKASA_TOKEN"]
    names: Dict[str, Any] = {"tenant": tenant}
    names.update(filled(script["given"], names))
    for i, step in enumerate(script["steps"]):
        step = filled(step, names)
        if "python" not in step.get("only", ["python"]):
            print("ok %d left out" % i)
            continue
        options = dict(step.get("options", {}))
        with Lukasa(address, token=options.pop("token", token), tenant=tenant) as client:
            problem, answer = None, None
            try:
                answer = run(client, step["call"], step["with"], CallOptions(**options), "keep_etag" in step)
            except Problem as p:
                problem = p
        etag = getattr(answer, "etag", None)
        not_modified = getattr(answer, "not_modified", False)
        answer = getattr(answer, "data", answer)
        if problem is not None or "problem" in step:
            got = problem and {"status": problem.status, "code": problem.code, "field": problem.field}
            wrong = differs(step.get("problem"), got, "problem")
        else:
            wrong = differs(step.get("not_modified", False), not_modified, "not_modified") or differs(step.get("expect", {}) if answer is not None else {"$any": True}, answer)
            wrong = "" if step.get("not_modified") and not_modified else wrong
        if wrong:
            print("step %d, %s (%s): %s" % (i, step["about"], step["call"], problem if problem and "problem" not in step else wrong), file=sys.stderr)
            return 1
        for name, path in step.get("keep", {}).items():
            value = answer
            for part in path.split(".") if path else []:
                value = value[part]
            names[name] = value
        if "keep_etag" in step:
            names[step["keep_etag"]] = etag
        print("ok %d %s" % (i, step["call"]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
