"""A unified diff for a person: in colours if the screen has any, and with nothing in it that a terminal would obey."""

from __future__ import annotations

from reviewloop.reports.safe_text import printable, without_commands
from reviewloop.reports.screen import Screen
from reviewloop.reports.wrapped_lines import Piece, painted

_HEADS = ("diff --git ", "--- ", "+++ ", "old mode ", "new mode ", "new file mode ", "deleted file mode ")
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def render_diff(diff: str, screen: Screen) -> str:
    """The diff of one or several files. Tabs stay, so that tools can read it where it has no colours."""
    shown: list[str] = []
    in_head = True
    lines = diff.removesuffix("\n").split("\n") if diff else []
    ends = all(
        line.endswith("\r") for line in lines if line.startswith(("+", "-", " ")) and not line.startswith(_HEADS)
    )
    for line in lines:
        in_head = line.startswith("diff --git ") or (in_head and line.startswith(_HEADS))
        style = "bold" if in_head else _STYLES.get(line[:1], "")
        # Where every line ends in CR LF that is no news; where only some do, it is shown.
        text = _harmless(line.removesuffix("\r") if ends and not in_head else line)
        shown.append(painted(Piece(text=text, style=style)) if screen.colour else text)
    return "".join(f"{line}\n" for line in shown)


def _harmless(line: str) -> str:
    return without_commands("\t".join(printable(part) for part in line.split("\t")))
