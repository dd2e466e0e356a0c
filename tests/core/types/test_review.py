import pytest

from reviewloop.core.types.review import Failure


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("mine exited with 3: no key", "exited with 3: no key"),
        ("mine: no key", "no key"),
        ("mine's provider refused to answer", "mine's provider refused to answer"),
        ("no answer within 5 s", "no answer within 5 s"),
    ],
)
def test_an_agent_that_is_named_already_is_not_named_twice(message: str, expected: str):
    assert expected == Failure(cause="failed", message=message).about("mine")
