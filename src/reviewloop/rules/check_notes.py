"""Notes about the check itself. The runner raises the first two; they are here for their pages."""

from __future__ import annotations

from collections.abc import Iterator

from reviewloop.core.types.finding import Severity
from reviewloop.documents.document import MAX_CHARS, MAX_LINE
from reviewloop.rules.criteria import COMPLETENESS, NO_CRITERION
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.scoring import NOT_READ_WHOLE


def raised_by_the_runner(subject: Subject) -> Iterator[Hit]:  # noqa: ARG001 - it sees findings, which rules do not
    return iter(())


@rule("DOC900", "suppression-without-reason", criteria=NO_CRITERION, severity=Severity.MINOR, precision=1.0)
def suppression_without_reason(subject: Subject) -> Iterator[Hit]:
    """A suppression gives no reason, and so does not count.

    What it checks: comments of the form `<!-- reviewloop: ignore REQ004 -->`.

    Why: the next reader has to know whether the reason still holds.

    Known problems: none.

    Example:
        <!-- reviewloop: ignore REQ004 -->

    Instead:

        <!-- reviewloop: ignore REQ004 because the limit is set by law -->
    """
    yield from raised_by_the_runner(subject)


@rule("DOC901", "unused-suppression", criteria=NO_CRITERION, severity=Severity.INFO, precision=1.0)
def unused_suppression(subject: Subject) -> Iterator[Hit]:
    """A suppression covers nothing any more.

    What it checks: suppressions whose rule finds nothing on their line, the next line or, at the top of a file, in it.

    Why: it would hide the next real finding there.

    Known problems: a rule that only runs with a repository or an upstream document finds nothing without it.

    Example:
        <!-- reviewloop: ignore REQ004 because the limit is set by law -->      above a line that is fine

    Instead: take the comment out.
    """
    yield from raised_by_the_runner(subject)


@rule(NOT_READ_WHOLE, "not-read-whole", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=1.0)
def not_read_whole(subject: Subject) -> Iterator[Hit]:
    """The document is too large, and was not read whole.

    What it checks: documents of more than 300,000 characters, and lines of more than 20,000.

    Why: what was not read was not checked, and nobody should think it was. The offline rules alone do not pass such a
    document: their review is inconclusive.

    Known problems: none.

    Example: a log pasted into a design.

    Instead: split the document, and link to data.
    """
    if subject.document.truncated:
        yield Hit(issue=f"only the first {MAX_CHARS:,} characters, and {MAX_LINE:,} of each line, were checked", line=1)


@rule("DOC903", "broken-front-matter", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.98)
def broken_front_matter(subject: Subject) -> Iterator[Hit]:
    """The front matter is not valid YAML.

    What it checks: the block between `---` lines at the top of the file.

    Why: tools that read it see nothing, or stop.

    Known problems: none.

    Example:

        ---
        title: Export: the plan
        ---

    Instead:

        ---
        title: "Export: the plan"
        ---
    """
    frontmatter = subject.document.frontmatter
    if frontmatter and frontmatter.broken:
        yield Hit(issue=f"the front matter cannot be read: {frontmatter.broken}", line=1)
