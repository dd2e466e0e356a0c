import json

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE

from reviewloop.reports import render


def test_reviewdog_gets_diagnostics_with_ranges_and_links_to_rules():
    assert snapshot(
        {
            "source": {"name": "reviewloop"},
            "diagnostics": [
                {
                    "message": """\
"fast" cannot be checked

hint: Say how fast, and for how many: within 300 ms for 95% of requests.\
""",
                    "location": {
                        "path": "specs/sign in/requirements.md",
                        "range": {"start": {"line": 7, "column": 28}, "end": {"line": 7, "column": 32}},
                    },
                    "severity": "WARNING",
                    "code": {"value": "REQ018", "url": "https://reviewloop.example/rules/REQ018"},
                },
                {
                    "message": """\
US-2 has no acceptance criteria

hint: List what can be observed when it works.\
""",
                    "location": {
                        "path": "specs/sign in/requirements.md",
                        "range": {"start": {"line": 9, "column": 5}, "end": {"line": 9, "column": 35}},
                    },
                    "severity": "ERROR",
                    "code": {"value": "REQ013"},
                },
                {
                    "message": "No diagram shows the data's way",
                    "location": {"path": "specs/sign in/design.md"},
                    "severity": "INFO",
                    "code": {"value": "completeness"},
                },
                {
                    "message": """\
The session's life time is never stated:
readers will guess\
""",
                    "location": {
                        "path": "specs/sign in/design.md",
                        "range": {"start": {"line": 3, "column": 10}, "end": {"line": 3, "column": 29}},
                    },
                    "severity": "WARNING",
                    "code": {"value": "completeness"},
                },
            ],
        }
    ) == json.loads(render(SAMPLE, "rdjson"))


def test_columns_count_bytes_of_utf_8():
    story = json.loads(render(SAMPLE, "rdjson"))["diagnostics"][1]

    line = "### US-2: Sign out 🔑 everywhere".encode()
    span = story["location"]["range"]
    assert (
        b"US-2: Sign out \xf0\x9f\x94\x91 everywhere" == line[span["start"]["column"] - 1 : span["end"]["column"] - 1]
    )


def test_a_clean_report_has_no_diagnostics():
    assert {"source": {"name": "reviewloop"}, "diagnostics": []} == json.loads(render(CLEAN, "rdjson"))
