"""The JUnit XML format for CI servers: one suite per file, one case per rule or criterion.

A clean file has one case that passes, so that CI shows that it was reviewed. A criterion that was not checked is a
skipped case. Files that could not be read are errors in a suite of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.phrases import origin, remark, score_text
from reviewloop.reports.report import CriterionResult, ReviewReport
from reviewloop.reports.safe_text import clipped, one_line

_MESSAGE_LIMIT = 300
_NOT_XML = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: ReviewReport) -> str:
    root = ET.Element("testsuites", name="reviewloop", time=f"{report.elapsed:.3f}")
    root.extend(_suite(file) for file in by_file(report))
    if report.left_out:
        root.append(_skipped_suite(report.left_out))
    _count(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(file: FileFindings) -> ET.Element:
    suite = ET.Element("testsuite", name=_xml_text(file.title))
    suite.extend(_cases(file))
    _count(suite)
    return suite


def _skipped_suite(left_out: Sequence[str]) -> ET.Element:
    suite = ET.Element("testsuite", name="skipped")
    for text in left_out:
        message = clipped(_xml_text(one_line(text)), _MESSAGE_LIMIT)
        case = ET.SubElement(suite, "testcase", classname="skipped", name=message)
        ET.SubElement(case, "error", type="skipped", message=message)
    _count(suite)
    return suite


def _cases(file: FileFindings) -> Iterator[ET.Element]:
    findings = worst_first(file.findings)
    criteria = {result.criterion: result for result in _criteria(file)}
    labels = dict.fromkeys((*(located.label for located in findings), *criteria)) or ("reviewed",)
    for label in labels:
        case = ET.Element("testcase", classname=_xml_text(file.title), name=_xml_text(label))
        if file.path is not None:
            case.set("file", _xml_text(file.path))
        _fill(case, [located for located in findings if located.label == label], criteria.get(label))
        yield case


def _criteria(file: FileFindings) -> tuple[CriterionResult, ...]:
    """The artifact's criteria, for its first file only."""
    if file.reviewed is None or file.path != next(iter(file.reviewed.artifact.paths), None):
        return ()
    return file.reviewed.criteria


def _fill(case: ET.Element, findings: Sequence[Located], result: CriterionResult | None) -> None:
    lines = [_finding_text(located) for located in findings]
    missed = result is not None and result.met is False
    if result is not None and missed:
        lines.append(
            f"score {score_text(result.score)}, {remark(result)}" if result.score is not None else remark(result)
        )
    text = _xml_text("\n\n".join(lines))
    failed = [located for located in findings if located.finding.severity > Severity.INFO]
    if failed or missed:
        first = failed[0].finding.issue if failed else lines[-1]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        message = clipped(_xml_text(one_line(first)), _MESSAGE_LIMIT) + more
        kind = failed[0].finding.severity if failed else "score"
        ET.SubElement(case, "failure", type=kind, message=message).text = text
    elif result is not None and result.met is None and not findings:
        ET.SubElement(case, "skipped", message=remark(result))
    elif text:
        ET.SubElement(case, "system-out").text = text


def _finding_text(located: Located) -> str:
    finding = located.finding
    lines = [f"{located.where}: {finding.severity}: {finding.issue}"]
    if finding.suggestion:
        lines.append(f"hint: {finding.suggestion}")
    if source := origin(located):
        lines.append(f"from: {source}")
    return "\n".join(lines)


def _count(parent: ET.Element) -> None:
    for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        parent.set(attribute, str(len(list(parent.iter(tag)))))


def _xml_text(text: str) -> str:
    """The text without characters that XML cannot hold even escaped, such as control characters."""
    return _NOT_XML.sub("\ufffd", text)
