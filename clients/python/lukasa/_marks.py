"""The mark of what Lukasa hands out into a prompt, so that it is known again."""

from __future__ import annotations

import re
from typing import List, Tuple

#: How each line begins that is handed out.
MARK = "§L"

# What others may take for the end of a line.
_BREAKS = re.compile("[\r\v\f\u0085\u2028\u2029]")
# A line that begins with the mark, behind what quotes and lists begin with.
_MARKED = re.compile("[ \t>|*+#`\\-•│┃\u00a0\ufeff]*§L(?:\\Z|[ \t\r\n\u00a0])")
_ESCAPED = "\\n"


def mark_lines(title: str, text: str) -> str:
    """Returns a text as it is handed out: under a title, every line with the mark. An empty
    text stays empty."""
    lines = [line for line in (line.rstrip(" \t\r") for line in text.split("\n")) if line]
    if not lines:
        return ""
    marked = [" ".join(title.split())] + [_BREAKS.sub(" ", line) for line in lines] + ["End."]
    return "\n".join(MARK + " " + line for line in marked)


def cut_marked(text: str) -> str:
    """Returns a text without the lines that Lukasa handed out."""
    if MARK not in text:
        return text
    out, cut = "", 0
    left = False  # lines were cut since the last that was kept
    for line in re.findall("[^\n]*\n|[^\n]+\\Z", text):
        kept, n = _cut_line(line)
        cut += n
        empty = not kept.strip()
        if n > 0 and empty:
            left = True
            continue
        # Empty lines around a block belong to it.
        if left and empty and (not out or out.endswith("\n\n")):
            continue
        left = False
        out += kept
    return out.strip("\r\n") if cut else text


def _cut_line(line: str) -> Tuple[str, int]:
    """Takes what was handed out from a line: all of it, or pieces of a text in which line
    breaks are written as \\n."""
    if _MARKED.match(line):
        return "", 1
    if _ESCAPED + MARK not in line and '"' + MARK not in line:
        return line, 0
    kept: List[str] = []
    n = 0
    for i, piece in enumerate(line.split(_ESCAPED)):
        body = piece
        quote = piece.find('"' + MARK)
        if quote >= 0:
            # The string begins with it: what is before stays, up to the quote.
            kept.append(piece[: quote + 1])
            body = piece[quote + 1:]
        elif i == 0 or not _MARKED.match(piece):
            kept.append(piece)
            continue
        n += 1
        end = re.search(r'["\\]', body)
        if end:
            kept.append(body[end.start():])  # where the string ends, what follows is somebody else's
    out = ""
    for piece in kept:
        joined = not out or out.endswith('"') or piece.startswith(('"', '\\"'))
        out += piece if joined else _ESCAPED + piece
    return out, n
