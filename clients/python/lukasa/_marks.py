"""The mark of what Lukasa hands out into a prompt, so that it is known again.

A line that is handed out begins with the mark and four characters that are made of what it
says. A line whose four characters are not its own is not Lukasa's and stays as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Tuple

#: How each line begins that is handed out. Four characters of the line follow.
MARK = "§L"

# What a line ends with, for one program or another, and what is a space inside of one.
_ENDS = "\n\r\v\f\u0085\u2028\u2029"
_LINES = re.compile("[^%s]*(?:\r\n|[%s])|[^%s]+\\Z" % (_ENDS, _ENDS, _ENDS))
_UNLINED = re.compile("[\x00-\x08\x0a-\x1f\x7f\u0085\u2028\u2029]")
# A mark may be in a text only in one of these ways.
_MAY = re.compile("§|&sect;|00[aA]7|&#[xX][aA]7;|&#0?167;")

_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"
_SIGNS = " \t>|*+#`-•│┃→/;%~!_“”‘’„«»'\u00a0"
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": "\u00a0", "sect": "§"}
_ESCAPE = re.compile(r"\\+(?:(t)|u([0-9a-fA-F]{4}))")
_ENTITY = re.compile(r"&(?:([a-z]+)|#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8}));")

# Bounds of what may stand before the mark.
_MOST_PREFIXES, _MOST_PATH, _MOST_TAG, _MOST_ESCAPE = 24, 256, 64, 12


def mark_lines(title: str, text: str) -> str:
    """Returns a text as it is handed out: under a title, every line with the mark. An empty
    text stays empty."""
    lines = [line for line in (line.rstrip(" \t\r") for line in text.split("\n")) if line]
    if not lines:
        return ""
    return "\n".join(_line(_UNLINED.sub(" ", line)) for line in [" ".join(title.split())] + lines + ["End."])


def _line(text: str) -> str:
    return MARK + _sum(text) + " " + text


# How often a line is looked at again.
_LAYERS = 16


def cut_marked(text: str) -> str:
    """Returns a text without the lines that Lukasa handed out."""
    if not _MAY.search(text):
        return text
    out, cut = "", 0
    left = False  # lines were cut since the last that was kept
    for line in _LINES.findall(text):
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
    """Takes what was handed out from a line: all of it, or lines of the strings in it. What is
    left when something was cut may be what was handed out."""
    cut = 0
    for _ in range(_LAYERS):
        line, n = _cut_once(line)
        cut += n
        if n == 0:
            break
    return line, cut


def _cut_once(line: str) -> Tuple[str, int]:
    """Does the same for a line as it stands."""
    if not _MAY.search(line):
        return line, 0
    said = _marked(line)
    if said and not said.quoted and said.verified():
        return "", 1
    return _cut_strings(line, bool(said and said.quoted))


def _cut_strings(line: str, inside: bool) -> Tuple[str, int]:
    """Takes out of a line what was handed out in strings, whose lines begin at a quote or at a
    break that is written as \\n; inside says that the line begins with one of them."""
    end = len(line.rstrip(_ENDS))
    out, n, i, depth, gap = "", 0, 0, 1, 0  # gap is how long the break is that out ends with
    begins = inside
    while True:
        if begins:
            sign = _next_sign(line, i, end)
            while sign and sign.depth > depth:
                sign = _next_sign(line, sign.end, end)
            up_to = sign.start if sign else end
            said = _marked(line[i:up_to])
            if said and said.verified():
                n += 1
                if sign and sign.is_break:
                    i = sign.end
                    continue
                # It was the last line of its string: no break is wanted before it.
                out, gap, i = out[: len(out) - gap], 0, up_to
        sign = _next_sign(line, i, end)
        if not sign:
            return out + line[i:], n
        out += line[i : sign.end]
        i, depth = sign.end, sign.depth
        gap = sign.end - sign.start if sign.is_break else 0
        begins = True


class _Sign(NamedTuple):
    """A quote, or a line break that is written as \\n. depth is 1 in a string, and twice as much
    in a string inside of one."""

    start: int
    end: int
    is_break: bool
    depth: int


def _next_sign(line: str, i: int, end: int) -> Optional[_Sign]:
    while i < end:
        if line[i] not in '"\\':
            i += 1
            continue
        slashes = 0
        while i < end and line[i] == "\\":
            i, slashes = i + 1, slashes + 1
        if i < end and line[i] == '"':
            depth = (slashes + 1) & -(slashes + 1)
            return _Sign(i - depth + 1, i + 1, False, depth)
        if i < end and line[i] == "n":
            depth = slashes & -slashes
            if depth:
                return _Sign(i - depth, i + 1, True, depth)
    return None


class _Said(NamedTuple):
    """What stands behind a mark: four characters, and a line that they are made of or not."""

    sum: str
    line: str
    quoted: bool

    def verified(self) -> bool:
        if _sum(self.line) == self.sum:
            return True
        tag = self.line.rfind("<")  # a tag may follow it
        return tag > 0 and _sum(self.line[:tag]) == self.sum


def _marked(line: str) -> Optional[_Said]:
    """Returns what a line says behind the mark that it begins with, behind what quotes, lists
    and tools put before a line."""
    quoted = False
    for _ in range(_MOST_PREFIXES):
        while line:
            c, n = _letter(line)
            if c not in _SIGNS and not _unseen(c):
                break
            quoted = quoted or c == "'"
            line = line[n:]
        said = _behind_mark(line, quoted)
        if said:
            return said
        n = _number_len(line) or _enclosed_len(line) or _path_len(line)
        if n == 0:
            return None
        line = line[n:]
    return None


def _behind_mark(line: str, quoted: bool) -> Optional[_Said]:
    found = ""
    while len(found) < len(MARK) + 4:
        c, n = _letter(line)
        line = line[n:]
        if _unseen(c):
            continue
        want = MARK[len(found)] if len(found) < len(MARK) else _DIGITS
        if c == "" or c not in want:
            return None
        found += c
    if _counts(_letter(line)[0]):
        return None
    return _Said(found[len(MARK):], line, quoted)


def _sum(line: str) -> str:
    """The four characters of a line: of a hash, FNV-1a of 32 bits, of its letters and digits."""
    h, i = 2166136261, 0
    while i < len(line):
        c, n = _letter(line, i)
        i += n
        if _counts(c):
            for b in c.encode("utf-8"):
                h = ((h ^ b) * 16777619) & 0xFFFFFFFF
    h ^= h >> 20
    return "".join(_DIGITS[h >> shift & 31] for shift in (15, 10, 5, 0))


def _counts(c: str) -> bool:
    """Whether a character is a letter or a digit, or may be one."""
    if c == "":
        return False
    r = ord(c)
    if r < 0x80:
        return c.isalnum()
    return not (
        r < 0xC0 or 0x2000 <= r < 0x2C00 or 0x3000 <= r < 0x3040 or 0xD800 <= r < 0xE000 or 0xFE00 <= r < 0xFE10 or r == 0xFEFF or r >= 0xFFF0
    )


def _unseen(c: str) -> bool:
    """Whether a character takes no room."""
    return c != "" and ("\u200b" <= c <= "\u200f" or c in "\u2060\ufeff\u00ad")


def _letter(text: str, i: int = 0) -> Tuple[str, int]:
    """The character at a place and how long it is, also as JSON and HTML write it."""
    if i >= len(text):
        return "", 0
    if text[i] == "\\":
        m = _ESCAPE.match(text, i, i + _MOST_ESCAPE)
        if m:
            return ("\t" if m.group(1) else chr(int(m.group(2), 16))), m.end() - i
    elif text[i] == "&":
        m = _ENTITY.match(text, i, i + _MOST_ESCAPE)
        if m:
            name, number, digits = m.groups()
            r = _ENTITIES.get(name, "") if name else _char(int(number) if number else int(digits, 16))
            if r:
                return r, m.end() - i
    return text[i], 1


def _char(r: int) -> str:
    return chr(r) if 0 < r <= 0xFFFF else ""


_NUMBER = re.compile("[0-9]{1,9}(?![0-9])")


def _number_len(line: str) -> int:
    """How long the number of a line is and what divides it from the line, or 0."""
    m = _NUMBER.match(line)
    if not m:
        return 0
    n = m.end()
    if line[n:].startswith(("  ", " |", " │")):
        return n
    c, size = _letter(line, n)
    return n + size if c and c in ":-→.)|│┃\t" else 0


_ENCLOSED = re.compile(r'<!--|[<\[]([^<>\[\]"\\&§]+)([<>\[\]"\\&§])')


def _enclosed_len(line: str) -> int:
    """How long the tag or the name in brackets is that a line begins with, or 0."""
    m = _ENCLOSED.match(line[:_MOST_TAG])
    if not m:
        return 0
    if m.group(1) is None or m.group(2) == (">" if line[0] == "<" else "]"):
        return m.end()
    return 0


_PATH_ENDS = re.compile("[ \t\"'<>{}()&§\u200b\u2060\ufeff%s]" % _ENDS)


def _path_len(line: str) -> int:
    """How long the name of a file is that a line begins with, with the number of the line and
    what divides them, or 0."""
    run = line[:_MOST_PATH]
    for stop in ("00a7", "00A7"):
        i = run.find(stop)
        if i > 0:
            run = (run[: i - 1] if run[i - 1] == "u" else run[:i]).rstrip("\\")
    m = _PATH_ENDS.search(run)
    if m:
        run = run[: m.start()]
    if "\\n" in run:
        return 0
    i = run.rfind(":")
    if i > 0:
        rest = line[i + 1:]
        name, numbered = _without_number(run[:i], ":")
        plain = not numbered and not any(c in name for c in "./\\")
        if not name or plain or (rest.startswith(" ") and not rest.startswith("  ")):
            return 0
        return i + 1
    if run.endswith("-"):
        name, numbered = _without_number(run[:-1], "-")
        if numbered and name:
            return len(run)
    return 0


def _without_number(name: str, divider: str) -> Tuple[str, bool]:
    body = name.rstrip("0123456789")
    if body == name or not body.endswith(divider):
        return name, False
    return body[:-1], True
