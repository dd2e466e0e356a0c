"""For Jenkins and other CI servers: JUnit XML, a suite per file, a case per rule or criterion.

A clean file has a case that passes, so that CI shows it was looked at. Criteria nobody judged are skipped cases.
What could not be read is a suite of its own, of errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.phrases import origin, remark, score
from reviewloop.reports.report import Judgement, ReviewReport
from reviewloop.reports.safe_text import clipped, one_line

_MESSAGE_LIMIT = 300
_NOT_XML = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: ReviewReport) -> str:
    root = ET.Element("testsuites", name="reviewloop", time=f"{report.elapsed:.3f}")
    root.extend(_suite(file) for file in by_file(report))
    if report.left_out:
        root.append(_unread(report.left_out))
    _count(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(file: FileFindings) -> ET.Element:
    suite = ET.Element("testsuite", name=_xml_text(file.title))
    suite.extend(_cases(file))
    _count(suite)
    return suite


def _unread(left_out: Sequence[str]) -> ET.Element:
    suite = ET.Element("testsuite", name="left out")
    for text in left_out:
        message = clipped(_xml_text(one_line(text)), _MESSAGE_LIMIT)
        case = ET.SubElement(suite, "testcase", classname="left out", name=message)
        ET.SubElement(case, "error", type="left out", message=message)
    _count(suite)
    return suite


def _cases(file: FileFindings) -> Iterator[ET.Element]:
    findings = worst_first(file.findings)
    judgements = {one.criterion: one for one in _judgements(file)}
    labels = dict.fromkeys((*(one.label for one in findings), *judgements)) or ("reviewed",)
    for label in labels:
        case = ET.Element("testcase", classname=_xml_text(file.title), name=_xml_text(label))
        if file.path is not None:
            case.set("file", _xml_text(file.path))
        _tell(case, [one for one in findings if one.label == label], judgements.get(label))
        yield case


def _judgements(file: FileFindings) -> tuple[Judgement, ...]:
    """Criteria are judged for the artifact, so only its first file shows them."""
    if file.reviewed is None or file.path != next(iter(file.reviewed.artifact.paths), None):
        return ()
    return file.reviewed.judgements


def _tell(case: ET.Element, found: Sequence[Located], judgement: Judgement | None) -> None:
    lines = [_told(one) for one in found]
    if judgement is not None and judgement.met is False:
        lines.append(
            remark(judgement) if judgement.score is None else f"score {score(judgement.score)}, {remark(judgement)}"
        )
    text = _xml_text("\n\n".join(lines))
    failed = [one for one in found if one.finding.severity > Severity.INFO]
    if failed or (judgement is not None and judgement.met is False):
        first = failed[0].finding.issue if failed else lines[-1]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        message = clipped(_xml_text(one_line(first)), _MESSAGE_LIMIT) + more
        kind = failed[0].finding.severity if failed else "score"
        ET.SubElement(case, "failure", type=kind, message=message).text = text
    elif judgement is not None and judgement.met is None and not found:
        ET.SubElement(case, "skipped", message=remark(judgement))
    elif text:
        ET.SubElement(case, "system-out").text = text


def _told(one: Located) -> str:
    where = ":".join(part for part in (one.anchor, one.position) if part)
    told = [f"{where}: {one.finding.severity}: {one.finding.issue}"]
    if one.finding.suggestion:
        told.append(f"hint: {one.finding.suggestion}")
    if raised := origin(one):
        told.append(f"from: {raised}")
    return "\n".join(told)


def _count(parent: ET.Element) -> None:
    parent.set("tests", str(len(list(parent.iter("testcase")))))
    parent.set("failures", str(len(list(parent.iter("failure")))))
    parent.set("errors", str(len(list(parent.iter("error")))))
    parent.set("skipped", str(len(list(parent.iter("skipped")))))


def _xml_text(text: str) -> str:
    """The text without control characters and what else XML cannot hold, not even escaped."""
    return _NOT_XML.sub("\ufffd", text)
