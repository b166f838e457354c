/** mark is how each line begins that Lukasa hands out into a prompt, so that it is known again. */
export const mark = "§L";

/** What others may take for the end of a line. */
const breaks = /[\r\v\f\u0085\u2028\u2029]/g;

/** markLines returns a text as it is handed out: under a title, every line with the mark. An empty text stays empty. */
export function markLines(title: string, text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/[ \t\r]+$/, "")).filter((line) => line !== "");
  if (lines.length === 0) return "";
  const head = title.split(/\s+/).filter((word) => word !== "").join(" ");
  return [head, ...lines.map((line) => line.replace(breaks, " ")), "End."].map((line) => `${mark} ${line}`).join("\n");
}

/** cutMarked returns a text without the lines that Lukasa handed out. */
export function cutMarked(text: string): string {
  if (!text.includes(mark)) return text;
  let out = "";
  let cut = 0;
  let left = false; // lines were cut since the last that was kept
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
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

/** cutLine takes what was handed out from a line: all of it, or pieces of a text in which line breaks are written as \n. */
function cutLine(line: string): [kept: string, cut: number] {
  if (marked(line)) return ["", 1];
  const escaped = "\\n";
  if (!line.includes(escaped + mark) && !line.includes(`"${mark}`)) return [line, 0];
  const kept: string[] = [];
  let n = 0;
  for (const [i, piece] of line.split(escaped).entries()) {
    let body = piece;
    const quote = piece.indexOf(`"${mark}`);
    if (quote >= 0) {
      // The string begins with it: what is before stays, up to the quote.
      kept.push(piece.slice(0, quote + 1));
      body = piece.slice(quote + 1);
    } else if (i === 0 || !marked(piece)) {
      kept.push(piece);
      continue;
    }
    n++;
    const end = body.search(/["\\]/);
    if (end >= 0) kept.push(body.slice(end)); // where the string ends, what follows is somebody else's
  }
  return [kept.reduce((all, piece) => all + (all === "" || all.endsWith('"') || piece.startsWith('"') || piece.startsWith('\\"') ? "" : escaped) + piece, ""), n];
}

/** marked says whether a line begins with the mark, behind what quotes and lists begin with. */
function marked(line: string): boolean {
  return /^[ \t>|*+#`\-•│┃\u00a0\ufeff]*§L($|[ \t\r\n\u00a0])/.test(line);
}
