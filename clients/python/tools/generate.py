"""Makes lukasa/_operations.py of the description of the interface (../openapi.json), which
the server gives at /openapi.json:

    python3 tools/generate.py            writes the file
    python3 tools/generate.py --check    fails if the file is another one

The same description always makes the same file.
"""

import json
import keyword
import pathlib
import sys
from typing import Any, Dict, List, Optional, Set, Tuple

HERE = pathlib.Path(__file__).resolve().parent.parent
SOURCE = HERE.parent / "openapi.json"
TARGET = HERE / "lukasa" / "_operations.py"

# What is answered in several places has a name of its own: that of the operation which
# answers it, or a better one from here.
NAMES = {
    "recall": "Thing", "remember": "Write", "ingest": "Intake", "root": "State", "search": "Searched", "context": "Bundle",
    "list_events": "Events", "list_memories": "Things",
}
# Documents that are described elsewhere, in lukasa/_hmx.py.
DOCUMENTS = {"pack": "Pack"}
BODIES = {"verify_pack": "Pack"}

Schema = Dict[str, Any]


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def parameter(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


class Operation:
    """Operation is one operation, as the description has it."""

    def __init__(self, path: str, method: str, described: Schema) -> None:
        self.path, self.method = path, method.upper()
        self.name: str = described["operationId"]
        self.summary: str = described["summary"]
        listed = described.get("parameters", [])
        self.parameters = [p for p in listed if "name" in p]
        shared = [p["$ref"].split("/")[-1] for p in listed if "$ref" in p]
        body = described.get("requestBody") or {}
        bodies = body.get("content", {})
        self.schema: Optional[Schema] = bodies.get("application/json", {}).get("schema")
        fields = self.schema is not None and ("properties" in self.schema or self.schema.get("additionalProperties") is False)
        self.body = "none" if not bodies else "fields" if fields else "document"
        self.optional = bool(body) and not body.get("required", False)
        answers = described["responses"].get("200", {}).get("content", {})
        self.media = next(iter(answers), "")
        self.answer: Optional[Schema] = next(iter(answers.values()), {}).get("schema")
        self.stream = "application/x-ndjson" in bodies or self.media in ("", "text/event-stream", "application/x-ndjson")
        # What changes nothing takes no If-Match.
        self.again = self.method == "GET" or "IfMatch" not in shared

    def inputs(self) -> List[Tuple[str, Schema, bool]]:
        """Names of what the operation is asked with, with their schemas; needed ones first."""
        found = [(p["name"], p["schema"], p.get("required", False)) for p in self.parameters]
        if self.body == "fields" and self.schema is not None:
            needed = self.schema.get("required", [])
            found += [(name, schema, name in needed) for name, schema in self.schema.get("properties", {}).items()]
        if self.body == "document":
            found.append(("document", {}, not self.optional))
        return [f for f in found if f[2]] + [f for f in found if not f[2]]


class Types:
    """Types declares a TypedDict for each object that there is, once."""

    def __init__(self) -> None:
        self.named: Dict[str, str] = {}  # by schema
        self.begun: Set[str] = set()
        self.declared: List[str] = []

    def reserve(self, schema: Schema, name: str) -> str:
        """Gives a schema a name, unless it has one, and returns it."""
        return self.named.setdefault(json.dumps(schema), name)

    def of(self, schema: Schema, name: str) -> str:
        """Returns the type of a schema; objects in it are declared under the name."""
        if "oneOf" in schema:
            return "Any"
        if "enum" in schema:
            return "Literal[" + ", ".join(json.dumps(v) for v in schema["enum"]) + "]"
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if not kinds:
            return "Any"
        optional = "null" in kinds
        found = [self.plain(kind, schema, name) for kind in kinds if kind != "null"]
        if len(found) != 1:
            raise ValueError("a schema has the types %s, which are not known here" % kinds)
        return "Optional[%s]" % found[0] if optional else found[0]

    def plain(self, kind: str, schema: Schema, name: str) -> str:
        simple = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
        if kind in simple:
            return simple[kind]
        if kind == "array":
            return "List[%s]" % self.of(schema.get("items", {}), name + "Item")
        if kind != "object":
            raise ValueError("a schema has the type %s, which is not known here" % kind)
        if "properties" in schema:
            return self.declare(schema, name)
        more = schema.get("additionalProperties")
        return "Dict[str, %s]" % (self.of(more, name + "Value") if isinstance(more, dict) else "Any")

    def declare(self, schema: Schema, name: str) -> str:
        name = self.reserve(schema, name)
        if name in self.begun:
            return name
        self.begun.add(name)
        needed = schema.get("required", [])
        members = {k: self.of(s, name + pascal(k)) for k, s in schema["properties"].items()}
        sure = {k: t for k, t in members.items() if k in needed}
        maybe = {k: t for k, t in members.items() if k not in needed}
        if not maybe:
            self.declared.append(typed_dict(name, "TypedDict", sure, True))
        elif any(keyword.iskeyword(k) for k in maybe):
            # A member that is a word of Python cannot be written in a class.
            self.declared.append(typed_dict("_%sRequired" % name, "TypedDict", sure, True))
            self.declared.append(typed_dict("_%sOptional" % name, "TypedDict", maybe, False))
            self.declared.append("class %s(_%sRequired, _%sOptional):\n    pass\n" % (name, name, name))
        elif sure:
            self.declared.append(typed_dict("_%sRequired" % name, "TypedDict", sure, True))
            self.declared.append(typed_dict(name, "_%sRequired" % name, maybe, False))
        else:
            self.declared.append(typed_dict(name, "TypedDict", maybe, False))
        return name


def typed_dict(name: str, parent: str, members: Dict[str, str], total: bool) -> str:
    if any(keyword.iskeyword(k) for k in members):
        listed = ", ".join("%s: %s" % (json.dumps(k), json.dumps(t)) for k, t in members.items())
        return "%s = TypedDict(%s, {%s}%s)\n" % (name, json.dumps(name), listed, "" if total else ", total=False")
    head = "class %s(%s%s):\n" % (name, parent, "" if total else ", total=False")
    return head + "".join("    %s: %s\n" % (k, t) for k, t in members.items())


def method(op: Operation, types: Types) -> str:
    """Returns the method of an operation."""
    name = pascal(op.name)
    arguments, places = ["self"], []
    keyword_only = False
    for field, schema, needed in op.inputs():
        kind = BODIES.get(op.name, "Dict[str, Any]") if field == "document" else types.of(schema, name + pascal(field))
        if not needed and not keyword_only:
            arguments.append("*")
            keyword_only = True
        arguments.append("%s: %s" % (parameter(field), kind) if needed else "%s: Optional[%s] = None" % (parameter(field), kind))
        places.append('"%s": %s' % (field, parameter(field)))
    if not keyword_only:
        arguments.append("*")
    arguments.append("options: Optional[CallOptions] = None")
    answer = answer_of(op, types)
    call = 'self.call("%s", {%s}, options)' % (op.name, ", ".join(places))
    returned = call if answer == "Any" else "cast(%s, %s)" % (json.dumps(answer), call)
    return "    def %s(\n        %s,\n    ) -> %s:\n        %s\n        return %s\n" % (
        parameter(op.name), ",\n        ".join(arguments), answer, json.dumps(op.summary).join(('""', '""')), returned,
    )


def answer_of(op: Operation, types: Types) -> str:
    if op.name in DOCUMENTS:
        return DOCUMENTS[op.name]
    if op.media != "application/json":
        return "str"
    return types.of(op.answer or {}, NAMES.get(op.name, pascal(op.name) + "Answer"))


def operations(api: Schema) -> List[Operation]:
    found = [Operation(path, verb, described) for path, methods in api["paths"].items() for verb, described in methods.items()]
    return sorted(found, key=lambda op: op.name)


def generate(api: Schema) -> str:
    """Returns the file."""
    ops = operations(api)
    types = Types()
    named = [op for op in ops if op.name in NAMES and op.answer is not None]
    for op in named:
        types.reserve(op.answer or {}, NAMES[op.name])
    for op in named:
        types.of(op.answer or {}, NAMES[op.name])
    methods = [method(op, types) for op in ops if not op.stream]
    out = [
        '"""Made by tools/generate.py of ../openapi.json. Do not edit."""\n',
        "from __future__ import annotations\n",
        "from abc import abstractmethod",
        "from typing import Any, Dict, List, Literal, NamedTuple, Optional, Tuple, TypedDict, cast\n",
        "from ._hmx import Pack",
        "from ._options import CallOptions\n\n",
    ]
    out += [declared + "\n" for declared in types.declared]
    out.append('''class Route(NamedTuple):
    """Route is how an operation is called."""

    method: str
    path: str
    # Names that stand in the path, and in the query.
    in_path: Tuple[str, ...]
    in_query: Tuple[str, ...]
    # What the body is: the other names (fields), one document, or nothing (none).
    body: str
    # Whether doing it twice is the same as doing it once.
    again: bool
    # What is answered.
    media: str


#: Those of all operations, by name.
ROUTES: Dict[str, Route] = {''')
    for op in ops:
        where = lambda place: repr(tuple(p["name"] for p in op.parameters if p["in"] == place))  # noqa: E731
        out.append('    "%s": Route("%s", "%s", %s, %s, "%s", %s, "%s"),' % (op.name, op.method, op.path, where("path"), where("query"), op.body, op.again, op.media))
    out.append('''}


class OperationMethods:
    """OperationMethods has a method for each operation that is one call and one answer."""

    @abstractmethod
    def call(self, name: str, fields: Optional[Dict[str, Any]] = None, options: Optional[CallOptions] = None) -> Any:
        """Asks an operation by its name."""
''')
    return "\n".join(out) + "\n" + "\n".join(methods)


def main() -> int:
    made = generate(json.loads(SOURCE.read_text(encoding="utf-8")))
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != made:
        print("lukasa/_operations.py is stale: run python3 tools/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
