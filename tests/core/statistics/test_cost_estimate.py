from reviewloop.core.statistics.cost_estimate import estimate
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.policy import Seat, profile
from reviewloop.core.types.review import Stage

SPEC = Artifact(kind=Kind.SPEC, name="spec", files=(SourceFile(path="spec.md", text="word " * 80),))


def test_every_agent_that_may_be_asked_is_counted():
    policy = profile(
        "panel",
        seats=(Seat(agent="a", stage=Stage.SPEC), Seat(agent="b", stage=Stage.SPEC)),
        author="writer",
        authors={"testability": "tester"},
        tie_break="third",
        arbiter="judge",
    )

    found = estimate(SPEC, policy, free=())

    assert [("a", 3), ("b", 3), ("third", 3), ("writer", 2), ("tester", 2)] == [
        (agent.agent, agent.calls) for agent in found.agents
    ]
    assert ("judge", 1) == (found.arbiter, found.retries)


def test_the_offline_rules_cost_nothing():
    found = estimate(SPEC, profile("spec-gate"), free=("static",))

    assert (0, 0, None) == (found.calls, found.tokens, found.arbiter)
