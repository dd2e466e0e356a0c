import json
from dataclasses import replace

from inline_snapshot import snapshot
from report_samples import CLEAN, REQUIREMENTS, REQUIREMENTS_TEXT, SAMPLE, STORY, VAGUE

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Place
from reviewloop.reports import render
from reviewloop.reports.report import ReviewReport


def fingerprints(text, *findings):
    artifact = Artifact(kind=Kind.REQUIREMENTS, name="r", files=(SourceFile(path=REQUIREMENTS, text=text),))
    reviewed = replace(SAMPLE.artifacts[0], artifact=artifact, findings=findings, suppressed=())
    return [issue["fingerprint"] for issue in json.loads(render(ReviewReport(artifacts=(reviewed,)), "gitlab"))]


def moved(finding, by):
    return replace(finding, place=replace(finding.place, line=finding.place.line + by))


def test_a_merge_request_gets_code_quality_issues():
    assert (
        snapshot(
            [
                {
                    "type": "issue",
                    "check_name": "REQ018",
                    "description": '"fast" cannot be checked (Say how fast, and for how many: within 300 ms for 95% of requests.)',
                    "severity": "major",
                    "fingerprint": "56c3a521923a79cd556e8dde28656e74e7560d0439bc369682fdd57bcce0cbcd",
                    "location": {"path": "specs/sign in/requirements.md", "lines": {"begin": 7, "end": 7}},
                },
                {
                    "type": "issue",
                    "check_name": "REQ013",
                    "description": "US-2 has no acceptance criteria (List what can be observed when it works.)",
                    "severity": "critical",
                    "fingerprint": "53a33f202ca518082522ecbea4322988d1f8e7547acc9ec85a1fdbc44cf14a32",
                    "location": {"path": "specs/sign in/requirements.md", "lines": {"begin": 9, "end": 9}},
                },
            ]
        )
        == json.loads(render(SAMPLE, "gitlab"))[:2]
    )


def test_a_finding_about_the_whole_is_pinned_to_the_first_line():
    whole = json.loads(render(SAMPLE, "gitlab"))[2]

    assert {"path": "specs/sign in/design.md", "lines": {"begin": 1, "end": 1}} == whole["location"]


def test_a_finding_keeps_its_fingerprint_when_text_is_added_above():
    before = fingerprints(REQUIREMENTS_TEXT, VAGUE, STORY)
    after = fingerprints("\n\n\n" + REQUIREMENTS_TEXT, moved(VAGUE, 3), moved(STORY, 3))

    assert before == after


def test_a_finding_keeps_its_fingerprint_when_a_model_says_it_in_other_words():
    before = replace(VAGUE, rule=None, criterion="testability")
    after = replace(before, issue="nobody can measure that")

    assert fingerprints(REQUIREMENTS_TEXT, before) == fingerprints(REQUIREMENTS_TEXT, after)


def test_a_finding_keeps_its_fingerprint_when_its_neighbour_on_the_line_is_fixed_or_a_count_changes():
    first = replace(VAGUE, issue="3 of 12 requirements have no priority")
    second = replace(VAGUE, issue="there is no glossary")

    both = fingerprints(REQUIREMENTS_TEXT, first, second)

    assert both[1:] == fingerprints(REQUIREMENTS_TEXT, second)
    assert both[:1] == fingerprints(REQUIREMENTS_TEXT, replace(first, issue="2 of 12 requirements have no priority"))


def test_the_same_finding_twice_on_one_line_has_two_fingerprints():
    other = replace(VAGUE, place=Place(file=REQUIREMENTS, line=7, column=1))

    assert 2 == len(set(fingerprints(REQUIREMENTS_TEXT, VAGUE, other)))


def test_a_clean_report_is_an_empty_list():
    assert [] == json.loads(render(CLEAN, "gitlab"))
