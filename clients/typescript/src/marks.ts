/** mark is how each line begins that Lukasa hands out into a prompt, so that it is known again. Four characters follow that
 * are made of what the line says: a line whose four characters are not its own is not Lukasa's and stays as it is. */
export const mark = "§L";

/** What a line ends with, for one program or another, and what is a space inside of one. */
const ends = "\n\r\v\f\u0085\u2028\u2029";
const lines = new RegExp(`[^${ends}]*(?:\r\n|[${ends}])|[^${ends}]+$`, "g");
const unlined = /[\x00-\x08\x0a-\x1f\x7f\u0085\u2028\u2029]/g;
/** A mark may be in a text only in one of these ways. */
const may = /§|&sect;|00[aA]7|&#[xX][aA]7;|&#0?167;/;

const digits32 = "abcdefghijklmnopqrstuvwxyz234567";
const signs = " \t>|*+#`-•│┃→/;%~!_“”‘’„«»'\u00a0";
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", sect: "§" };

/** Bounds of what may stand before the mark. */
const mostPrefixes = 24;
const mostPath = 256;
const mostTag = 64;
const mostEscape = 12;

/** markLines returns a text as it is handed out: under a title, every line with the mark. An empty text stays empty. */
export function markLines(title: string, text: string): string {
  const kept = text.split("\n").map((line) => line.replace(/[ \t\r]+$/, "")).filter((line) => line !== "");
  if (kept.length === 0) return "";
  const head = title.split(/\s+/).filter((word) => word !== "").join(" ");
  return [head, ...kept, "End."].map((line) => markedLine(line.replace(unlined, " "))).join("\n");
}

function markedLine(text: string): string {
  return `${mark}${sum(text)} ${text}`;
}

/** cutMarked returns a text without the lines that Lukasa handed out. */
export function cutMarked(text: string): string {
  if (!may.test(text)) return text;
  let out = "";
  let cut = 0;
  let left = false; // lines were cut since the last that was kept
  for (const line of text.match(lines) ?? []) {
    const [kept, n] = cutLine(line);
    cut += n;
    const empty = kept.trim() === "";
    if (n > 0 && empty) {
      left = true;
      continue;
    }
    // Empty lines around a block belong to it.
    if (left && empty && (out === "" || out.endsWith("\n\n"))) continue;
    left = false;
    out += kept;
  }
  return cut === 0 ? text : out.replace(/^[\r\n]+|[\r\n]+$/g, "");
}

/** layers is how often a line is looked at again: what is left of it when something was cut may be what was handed out. */
const layers = 16;

/** cutLine takes what was handed out from a line: all of it, or lines of the strings in it. */
function cutLine(line: string): [kept: string, cut: number] {
  let cut = 0;
  for (let i = 0; i < layers; i++) {
    const [kept, n] = cutOnce(line);
    if (n === 0) break;
    cut += n;
    line = kept;
  }
  return [line, cut];
}

/** cutOnce is cutLine for a line as it stands. */
function cutOnce(line: string): [kept: string, cut: number] {
  if (!may.test(line)) return [line, 0];
  const said = marked(line);
  if (said && !said.quoted && verified(said)) return ["", 1];
  return cutStrings(line, said?.quoted ?? false);
}

/** cutStrings takes out of a line what was handed out in strings, whose lines begin at a quote or at a break that is written
 * as \n; inside says that the line begins with one of them. */
function cutStrings(line: string, inside: boolean): [kept: string, cut: number] {
  let end = line.length;
  while (end > 0 && ends.includes(line.charAt(end - 1))) end--;
  let [out, n, i, depth, gap] = ["", 0, 0, 1, 0]; // gap is how long the break is that out ends with
  for (let begins = inside; ; begins = true) {
    if (begins) {
      let sign = nextSign(line, i, end);
      while (sign && sign.depth > depth) sign = nextSign(line, sign.end, end);
      const upTo = sign ? sign.start : end;
      const said = marked(line.slice(i, upTo));
      if (said && verified(said)) {
        n++;
        if (sign?.isBreak) {
          i = sign.end;
          continue;
        }
        // It was the last line of its string: no break is wanted before it.
        out = out.slice(0, out.length - gap);
        gap = 0;
        i = upTo;
      }
    }
    const sign = nextSign(line, i, end);
    if (!sign) return [out + line.slice(i), n];
    out += line.slice(i, sign.end);
    i = sign.end;
    depth = sign.depth;
    gap = sign.isBreak ? sign.end - sign.start : 0;
  }
}

/** Sign is a quote, or a line break that is written as \n. depth is 1 in a string, and twice as much in a string inside of one. */
interface Sign {
  start: number;
  end: number;
  isBreak: boolean;
  depth: number;
}

function nextSign(line: string, from: number, end: number): Sign | undefined {
  for (let i = from; i < end; ) {
    if (line[i] !== '"' && line[i] !== "\\") {
      i++;
      continue;
    }
    let slashes = 0;
    for (; i < end && line[i] === "\\"; i++) slashes++;
    if (i < end && line[i] === '"') {
      const depth = (slashes + 1) & -(slashes + 1);
      return { start: i - depth + 1, end: i + 1, isBreak: false, depth };
    }
    if (i < end && line[i] === "n" && slashes > 0) {
      const depth = slashes & -slashes;
      return { start: i - depth, end: i + 1, isBreak: true, depth };
    }
  }
  return undefined;
}

/** Said is what stands behind a mark: four characters, and a line that they are made of or not. */
interface Said {
  sum: string;
  line: string;
  quoted: boolean;
}

function verified(said: Said): boolean {
  if (sum(said.line) === said.sum) return true;
  const tag = said.line.lastIndexOf("<"); // a tag may follow it
  return tag > 0 && sum(said.line.slice(0, tag)) === said.sum;
}

/** marked returns what a line says behind the mark that it begins with, behind what quotes, lists and tools put before a line. */
function marked(text: string): Said | undefined {
  let line = text;
  let quoted = false;
  for (let tries = 0; tries < mostPrefixes; tries++) {
    while (line !== "") {
      const [c, n] = letter(line);
      if (!signs.includes(c) && !unseen(c)) break;
      quoted ||= c === "'";
      line = line.slice(n);
    }
    const said = behindMark(line, quoted);
    if (said) return said;
    const n = numberLength(line) || enclosedLength(line) || pathLength(line);
    if (n === 0) return undefined;
    line = line.slice(n);
  }
  return undefined;
}

function behindMark(text: string, quoted: boolean): Said | undefined {
  let line = text;
  let found = "";
  while (found.length < mark.length + 4) {
    const [c, n] = letter(line);
    line = line.slice(n);
    if (unseen(c)) continue;
    const want = found.length < mark.length ? mark.charAt(found.length) : digits32;
    if (c === "" || !want.includes(c)) return undefined;
    found += c;
  }
  if (counts(letter(line)[0])) return undefined;
  return { sum: found.slice(mark.length), line, quoted };
}

/** sum returns the four characters of a line: of a hash, FNV-1a of 32 bits, of its letters and digits in UTF-8. */
function sum(line: string): string {
  let h = 2166136261;
  for (let i = 0; i < line.length; ) {
    const [c, n] = letter(line, i);
    i += n;
    if (!counts(c)) continue;
    for (const b of utf8(c.charCodeAt(0))) h = Math.imul(h ^ b, 16777619);
  }
  h = (h ^ (h >>> 20)) >>> 0;
  return [15, 10, 5, 0].map((shift) => digits32.charAt((h >>> shift) & 31)).join("");
}

function utf8(r: number): number[] {
  if (r < 0x80) return [r];
  if (r < 0x800) return [0xc0 | (r >> 6), 0x80 | (r & 63)];
  return [0xe0 | (r >> 12), 0x80 | ((r >> 6) & 63), 0x80 | (r & 63)];
}

/** counts says whether a character is a letter or a digit, or may be one. */
function counts(c: string): boolean {
  if (c === "") return false;
  const r = c.charCodeAt(0);
  if (r < 0x80) return /[0-9A-Za-z]/.test(c);
  return !(
    r < 0xc0 || (r >= 0x2000 && r < 0x2c00) || (r >= 0x3000 && r < 0x3040) || (r >= 0xd800 && r < 0xe000) ||
    (r >= 0xfe00 && r < 0xfe10) || r === 0xfeff || r >= 0xfff0
  );
}

/** unseen says whether a character takes no room. */
function unseen(c: string): boolean {
  return c !== "" && ((c >= "\u200b" && c <= "\u200f") || "\u2060\ufeff\u00ad".includes(c));
}

/** letter returns the character at a place and how long it is, also as JSON and HTML write it. */
function letter(text: string, i = 0): [c: string, length: number] {
  if (i >= text.length) return ["", 0];
  const c = text.charAt(i);
  if (c === "\\") {
    const m = /^\\+(?:(t)|u([0-9a-fA-F]{4}))/.exec(text.slice(i, i + mostEscape));
    if (m) return [m[1] ? "\t" : String.fromCharCode(parseInt(m[2] ?? "", 16)), m[0].length];
  } else if (c === "&") {
    const m = /^&(?:([a-z]+)|#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8}));/.exec(text.slice(i, i + mostEscape));
    if (m) {
      const one = m[1] ? (entities[m[1]] ?? "") : character(m[2] ? parseInt(m[2], 10) : parseInt(m[3] ?? "", 16));
      if (one !== "") return [one, m[0].length];
    }
  }
  return [c, 1];
}

function character(r: number): string {
  return r > 0 && r <= 0xffff ? String.fromCharCode(r) : "";
}

/** numberLength is how long the number of a line is and what divides it from the line, or 0. */
function numberLength(line: string): number {
  const n = /^[0-9]{1,9}(?![0-9])/.exec(line)?.[0].length ?? 0;
  if (n === 0) return 0;
  if (/^(?: {2}| \|| │)/.test(line.slice(n))) return n;
  const [c, size] = letter(line, n);
  return c !== "" && ":-→.)|│┃\t".includes(c) ? n + size : 0;
}

/** enclosedLength is how long the tag or the name in brackets is that a line begins with, or 0. */
function enclosedLength(line: string): number {
  const m = /^(?:<!--|[<[]([^<>[\]"\\&§]+)([<>[\]"\\&§]))/.exec(line.slice(0, mostTag));
  if (!m) return 0;
  return m[1] === undefined || m[2] === (line.startsWith("<") ? ">" : "]") ? m[0].length : 0;
}

const pathEnds = new RegExp(`[ \t"'<>{}()&§\u200b\u2060\ufeff${ends}]`);

/** pathLength is how long the name of a file is that a line begins with, with the number of the line and what divides them, or 0. */
function pathLength(line: string): number {
  let run = line.slice(0, mostPath);
  for (const stop of ["00a7", "00A7"]) {
    const i = run.indexOf(stop);
    if (i > 0) run = run.slice(0, i).replace(/u$/, "").replace(/\\+$/, "");
  }
  const stop = run.search(pathEnds);
  if (stop >= 0) run = run.slice(0, stop);
  if (run.includes("\\n")) return 0;
  const i = run.lastIndexOf(":");
  if (i > 0) {
    const rest = line.slice(i + 1);
    const [name, numbered] = withoutNumber(run.slice(0, i), ":");
    const plain = !numbered && !/[./\\]/.test(name);
    return name === "" || plain || (rest.startsWith(" ") && !rest.startsWith("  ")) ? 0 : i + 1;
  }
  if (run.endsWith("-")) {
    const [name, numbered] = withoutNumber(run.slice(0, -1), "-");
    if (numbered && name !== "") return run.length;
  }
  return 0;
}

function withoutNumber(name: string, divider: string): [name: string, numbered: boolean] {
  const body = name.replace(/[0-9]+$/, "");
  return body === name || !body.endsWith(divider) ? [name, false] : [body.slice(0, -1), true];
}
