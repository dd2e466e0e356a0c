import json
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest
from inline_snapshot import snapshot
from report_samples import CLEAN, REQUIREMENTS_TEXT, SAMPLE, STORY
from sarif_schema import problems

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Place
from reviewloop.core.types.review import Verdict
from reviewloop.reports import render
from reviewloop.reports.report import Reviewed, ReviewReport, Silencer, Suppressed


def run_of(report):
    log = json.loads(render(report, "sarif"))
    assert [] == problems(log)
    return log["runs"][0]


def report_on(path, *findings):
    artifact = Artifact(kind=Kind.SPEC, name="s", files=(SourceFile(path=path, text="one\ntwo\n"),))
    return ReviewReport(artifacts=(Reviewed(artifact=artifact, verdict=Verdict.PASS, findings=findings),))


def test_the_schema_would_notice_a_mistake():
    log = json.loads(render(SAMPLE, "sarif"))
    log["runs"][0]["results"][0]["level"] = "fatal"

    assert ["runs/0/results/0/level: 'fatal' is not one of ['none', 'note', 'warning', 'error']"] == problems(log)


def test_a_run_names_the_tool_its_rules_and_what_it_looked_at():
    run = run_of(SAMPLE)

    assert snapshot(
        {
            "tool": {
                "driver": {
                    "name": "Reviewloop",
                    "version": "0.1.0",
                    "rules": [
                        {
                            "id": "REQ013",
                            "name": "story-without-criteria",
                            "shortDescription": {"text": "A user story has no acceptance criteria"},
                            "fullDescription": {"text": "Nobody can tell when such a story is done."},
                            "help": {
                                "text": """\
Nobody can tell when such a story is done.

See docs/rules/REQ013.md\
"""
                            },
                            "defaultConfiguration": {"level": "error", "rank": 95},
                            "properties": {"tags": ["testability"]},
                        },
                        {
                            "id": "REQ018",
                            "name": "vague-word",
                            "shortDescription": {"text": "A vague word in a requirement"},
                            "fullDescription": {"text": "A vague word in a requirement"},
                            "help": {"text": "A vague word in a requirement"},
                            "helpUri": "https://reviewloop.example/rules/REQ018",
                            "defaultConfiguration": {"level": "note", "rank": 35},
                            "properties": {"tags": ["testability"]},
                        },
                        {
                            "id": "completeness",
                            "shortDescription": {"text": "Reviewers' findings under “completeness”"},
                            "fullDescription": {"text": "Reviewers' findings under “completeness”"},
                            "help": {"text": "Reviewers' findings under “completeness”"},
                            "defaultConfiguration": {"level": "warning", "rank": 65},
                            "properties": {"tags": ["completeness"]},
                        },
                    ],
                }
            },
            "invocations": [
                {
                    "executionSuccessful": True,
                    "toolExecutionNotifications": [
                        {"level": "warning", "message": {"text": "tasks.md is empty and was skipped"}},
                        {"level": "note", "message": {"text": "the upstream PRD was found by convention"}},
                    ],
                }
            ],
            "originalUriBaseIds": {
                "%SRCROOT%": {"description": {"text": "The root of the project that was reviewed."}}
            },
            "artifacts": [
                {
                    "location": {"uri": "specs/sign%20in/requirements.md", "uriBaseId": "%SRCROOT%"},
                    "roles": ["analysisTarget"],
                },
                {
                    "location": {"uri": "specs/sign%20in/design.md", "uriBaseId": "%SRCROOT%"},
                    "roles": ["analysisTarget"],
                },
            ],
            "columnKind": "utf16CodeUnits",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": 5,
            "properties": {
                "reviews": [
                    {
                        "artifact": "sign in",
                        "kind": "requirements",
                        "verdict": "needs_revision",
                        "total": 81.667,
                        "scores": {"completeness": 100, "testability": 45},
                        "unjudged": ["scope"],
                    },
                    {
                        "artifact": "sign in",
                        "kind": "design",
                        "verdict": "pass",
                        "total": 81,
                        "scores": {"completeness": 81},
                        "unjudged": [],
                    },
                ]
            },
        }
    ) == {**run, "results": len(run["results"])}


def test_a_result_has_a_rule_a_level_a_place_and_a_fingerprint():
    assert (
        snapshot(
            {
                "ruleId": "REQ013",
                "ruleIndex": 0,
                "level": "error",
                "rank": 95,
                "message": {
                    "text": """\
US-2 has no acceptance criteria

hint: List what can be observed when it works.\
"""
                },
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {
                                "uri": "specs/sign%20in/requirements.md",
                                "uriBaseId": "%SRCROOT%",
                                "index": 0,
                            },
                            "region": {"startLine": 9, "endLine": 9, "startColumn": 5, "endColumn": 33},
                        },
                        "logicalLocations": [{"name": "User stories"}],
                    }
                ],
                "partialFingerprints": {
                    "reviewloop/v1": "53a33f202ca518082522ecbea4322988d1f8e7547acc9ec85a1fdbc44cf14a32"
                },
                "suppressions": [],
                "properties": {
                    "severity": "critical",
                    "criterion": "testability",
                    "standing": None,
                    "reviewers": ["static"],
                },
            }
        )
        == run_of(SAMPLE)["results"][1]
    )


def test_columns_count_utf_16_code_units():
    region = run_of(SAMPLE)["results"][1]["locations"][0]["physicalLocation"]["region"]

    line = REQUIREMENTS_TEXT.splitlines()[8].encode("utf-16-le")
    marked = line[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)].decode("utf-16-le")
    assert STORY.quote == marked


def test_suppressed_results_say_so_and_all_others_say_that_they_are_not():
    external = Suppressed(finding=STORY, reason="known", by=Silencer.BASELINE)
    report = replace(SAMPLE, artifacts=(replace(SAMPLE.artifacts[0], suppressed=(external,)), SAMPLE.artifacts[1]))

    assert [[], [], ["inSource"], [], []] == _kinds(run_of(SAMPLE))
    assert [[], [], ["external"], [], []] == _kinds(run_of(report))
    assert "known" == run_of(report)["results"][2]["suppressions"][0]["justification"]


def _kinds(run):
    return [[one["kind"] for one in result["suppressions"]] for result in run["results"]]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("specs/sign in/ü#?%.md", "specs/sign%20in/%C3%BC%23%3F%25.md"),
        ("a:b.md", "a%3Ab.md"),
        ("/abs/olute path.md", "file:///abs/olute%20path.md"),
        ("C:/win dows.md", "file:///C:/win%20dows.md"),
    ],
)
def test_paths_become_uris_that_lead_back_to_them(path, uri):
    place = run_of(report_on(path, replace(STORY, place=Place(line=1))))["artifacts"][0]["location"]

    assert uri == place["uri"]
    assert unquote(urlsplit(uri).path).endswith(path)
    assert ("uriBaseId" in place) == (not uri.startswith("file:"))


def test_a_finding_about_the_whole_points_at_the_first_line_for_github():
    result = run_of(report_on("spec.md", replace(STORY, place=Place(), quote=None)))["results"][0]

    assert {"startLine": 1, "endLine": 1} == result["locations"][0]["physicalLocation"]["region"]


def test_a_review_without_an_answer_is_no_successful_run():
    report = ReviewReport(artifacts=(replace(CLEAN.artifacts[0], verdict=Verdict.INCONCLUSIVE),))

    assert not run_of(report)["invocations"][0]["executionSuccessful"]
    assert run_of(CLEAN)["invocations"][0]["executionSuccessful"]


def test_a_run_that_could_not_read_everything_is_no_successful_one_and_says_why():
    report = replace(SAMPLE, left_out=("tasks.md is not UTF-8",), warnings=(), notes=())

    assert {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": "skipped: tasks.md is not UTF-8"}}],
    } == run_of(report)["invocations"][0]
