"""The prompt for an arbiter, who rules on a contested finding."""

from __future__ import annotations

from reviewloop.core.prompts.artifact_text import material
from reviewloop.core.prompts.parts import fenced, joined
from reviewloop.core.session.events import Contested
from reviewloop.core.types.artifact import Artifact


def ruling_prompt(contest: Contested, artifact: Artifact, marker: str) -> str:
    """A neutral question about the claim, without its reviewer, severity and suggestion."""
    claim = f"{contest.finding.place}: {contest.finding.issue}"
    return joined(
        f"""\
# Your role

Two parties disagree about a document of kind `{artifact.kind}`. You belong to neither. You may read files, but you
never edit them. One party makes a claim, and the other answers it. Read the document and decide who is right.

Rule `upheld` if the claim is true and the problem would harm someone who builds on the document. Rule `withdrawn` if
the claim is not true, or if the answer settles it.""",
        material(artifact, marker),
        f"# The claim and the answer\n\n{fenced('claim', claim, marker)}",
        fenced("answer", contest.reason, marker),
        """\
# Now

Answer with one JSON object and nothing after it:

{"ruling": "upheld" | "withdrawn", "reason": "<why, in a sentence or two>"}""",
    )
