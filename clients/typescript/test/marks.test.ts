import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cutMarked, markLines } from "../src/index.js";

interface Cases {
  mark: { title: string; text: string; want: string }[];
  cut: { about: string; text: string; want: string }[];
}
const cases = JSON.parse(readFileSync(new URL("../../../marks.json", import.meta.url), "utf8")) as Cases;

test("what is handed out is marked", () => {
  for (const c of cases.mark) assert.equal(markLines(c.title, c.text), c.want);
});

test("what was handed out is cut", () => {
  for (const c of cases.cut) {
    assert.equal(cutMarked(c.text), c.want, c.about);
    assert.equal(cutMarked(c.want), c.want, c.about);
  }
});
