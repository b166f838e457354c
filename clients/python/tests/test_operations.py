import inspect
import json
import pathlib
import sys
import unittest

from lukasa import ROUTES, Lukasa

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tools"))

import generate  # noqa: E402

API = json.loads((HERE.parent / "openapi.json").read_text(encoding="utf-8"))

# Streams have methods of their own.
STREAMS = {"ingest": "ingest", "tail_events": "tail", "export": "export_lines", "import": "import_lines", "ingest_ws": "open_socket"}


class TestOperations(unittest.TestCase):
    def test_the_methods_are_made_of_the_interface(self) -> None:
        made = (HERE / "lukasa" / "_operations.py").read_text(encoding="utf-8")
        self.assertEqual(made, generate.generate(API), "it is stale: run python3 tools/generate.py")

    def test_every_operation_can_be_reached(self) -> None:
        operations = generate.operations(API)
        self.assertEqual(sorted(ROUTES), [op.name for op in operations])
        for op in operations:
            self.assertEqual((ROUTES[op.name].method, ROUTES[op.name].path), (op.method, op.path))
            method = getattr(Lukasa, STREAMS.get(op.name, op.name))
            if op.name not in STREAMS:
                self.assertEqual(set(inspect.signature(method).parameters) - {"self", "options"}, {generate.parameter(name) for name, _, _ in op.inputs()}, op.name)
