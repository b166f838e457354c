import json
import pathlib
import unittest

from lukasa import cut_marked, mark_lines

CASES = json.loads((pathlib.Path(__file__).resolve().parents[2] / "marks.json").read_text(encoding="utf-8"))


class TestMarks(unittest.TestCase):
    def test_what_is_handed_out_is_marked(self) -> None:
        for case in CASES["mark"]:
            self.assertEqual(mark_lines(case["title"], case["text"]), case["want"])

    def test_what_was_handed_out_is_cut(self) -> None:
        for case in CASES["cut"]:
            with self.subTest(case["about"]):
                self.assertEqual(cut_marked(case["text"]), case["want"])
                self.assertEqual(cut_marked(case["want"]), case["want"])
