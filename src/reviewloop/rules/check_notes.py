"""Rules about the check itself: suppressions, size limits, broken front matter."""

from __future__ import annotations

from collections.abc import Iterator

from reviewloop.core.types.finding import Severity
from reviewloop.documents.document import MAX_CHARS, MAX_LINE
from reviewloop.rules.criteria import COMPLETENESS, NO_CRITERION
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.scoring import NOT_READ_WHOLE


def reported_by_the_runner(subject: Subject) -> Iterator[Hit]:  # noqa: ARG001 - only the runner sees findings
    return iter(())


@rule("DOC900", "suppression-without-reason", criteria=NO_CRITERION, severity=Severity.MINOR, precision=1.0)
def suppression_without_reason(subject: Subject) -> Iterator[Hit]:
    """A suppression without a reason has no effect.

    What it checks: suppression comments such as `<!-- reviewloop: ignore REQ004 -->`.

    Why: the next reader must be able to tell whether the suppression is still justified.

    Known problems: none.

    Example:
        <!-- reviewloop: ignore REQ004 -->

    Instead:

        <!-- reviewloop: ignore REQ004 because the limit is set by law -->
    """
    yield from reported_by_the_runner(subject)


@rule("DOC901", "unused-suppression", criteria=NO_CRITERION, severity=Severity.INFO, precision=1.0)
def unused_suppression(subject: Subject) -> Iterator[Hit]:
    """A suppression does not suppress anything.

    What it checks: suppressions whose rule has no finding on their line or the next one. A suppression at the top of a
    file covers the whole file.

    Why: it would hide the next real finding in this place.

    Known problems: a rule that needs a repository or an upstream document finds nothing without it.

    Example:
        <!-- reviewloop: ignore REQ004 because the limit is set by law -->      above a line without a finding

    Instead: remove the comment.
    """
    yield from reported_by_the_runner(subject)


@rule(NOT_READ_WHOLE, "not-read-whole", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=1.0)
def not_read_whole(subject: Subject) -> Iterator[Hit]:
    """The document is too large to be checked completely.

    What it checks: documents with more than 300,000 characters, and lines with more than 20,000.

    Why: the rest was not checked. The offline rules never pass such a document; their review is inconclusive.

    Known problems: none.

    Example: a log pasted into a design.

    Instead: split the document, and link to data instead of pasting it.
    """
    if subject.document.truncated:
        issue = f"too large: only the first {MAX_CHARS:,} characters, and {MAX_LINE:,} per line, were checked"
        yield Hit(issue=issue, line=1)


@rule("DOC903", "broken-front-matter", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.98)
def broken_front_matter(subject: Subject) -> Iterator[Hit]:
    """The front matter is not valid YAML.

    What it checks: the block between the `---` lines at the top of the file.

    Why: tools that read the front matter ignore it or fail.

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
