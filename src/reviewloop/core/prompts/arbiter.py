"""What somebody independent is told who is to rule on a contested finding."""

from __future__ import annotations

from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import fenced, joined
from reviewloop.core.session.events import Contested
from reviewloop.core.types.artifact import Artifact


def ruling_prompt(contest: Contested, artifact: Artifact, marker: str) -> str:
    """A neutral question about a claim. Who made it, how bad they think it is and what they propose is not told."""
    claim = f"{contest.finding.place}: {contest.finding.issue}"
    return joined(
        f"""\
# Your role

Two people disagree about a document of kind `{artifact.kind}`. You belong to neither side. You read; you never edit.
One claims something about it, the other answers. Look at the document yourself and say who is right.

Rule `upheld` if what is claimed is so, and whoever builds on the document would be hurt by it. Rule `withdrawn` if it
is not so, or if the answer settles it.""",
        material(artifact, marker),
        f"# What is claimed, and the answer\n\n{fenced('claim', claim, marker)}",
        fenced("answer", contest.reason, marker),
        """\
# Now

Answer with one JSON object and nothing after it:

{"ruling": "upheld" | "withdrawn", "reason": "<why, in a sentence or two>"}""",
    )
