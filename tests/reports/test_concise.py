from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE

from reviewloop.reports import render


def test_an_editor_gets_one_line_per_finding_in_the_order_of_the_text():
    assert snapshot("""\
specs/sign in/requirements.md:7:28: important REQ018 "fast" cannot be checked
specs/sign in/requirements.md:9:5: critical REQ013 US-2 has no acceptance criteria
specs/sign in/design.md:1:1: info completeness No diagram shows the data's way
specs/sign in/design.md:3:10: important completeness The session's life time is never stated: readers will guess
""") == render(SAMPLE, "concise")


def test_nothing_found_is_nothing_printed():
    assert "" == render(CLEAN, "concise")
