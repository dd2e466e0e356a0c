from dataclasses import replace

import pytest

from reviewloop.core.types.finding import Finding, Severity, Standing
from reviewloop.reports.fail_on import FailOn, fail_on

MINOR = Finding(issue="x", severity=Severity.MINOR)
IMPORTANT = Finding(issue="x", severity=Severity.IMPORTANT)
CRITICAL = Finding(issue="x", severity=Severity.CRITICAL)


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("critical", [False, False, True]), ("important", [False, True, True]), ("minor", [True, True, True])],
)
def test_a_run_fails_on_findings_that_are_bad_enough(threshold, expected):
    assert expected == [fail_on([finding], threshold) for finding in (MINOR, IMPORTANT, CRITICAL)]


def test_never_means_never():
    assert not fail_on([CRITICAL], FailOn.NEVER)


def test_nothing_and_mere_information_never_fail_a_run():
    assert not fail_on([], FailOn.MINOR)
    assert not fail_on([replace(MINOR, severity=Severity.INFO)], FailOn.MINOR)


def test_what_memory_suppressed_or_came_late_does_not_fail_a_run():
    assert not fail_on([replace(CRITICAL, suppressed="dismissed twice")], FailOn.MINOR)
    assert not fail_on([replace(IMPORTANT, standing=Standing.LATE)], FailOn.MINOR)
    assert fail_on([replace(CRITICAL, standing=Standing.LATE)], FailOn.MINOR)
