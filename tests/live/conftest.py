"""Real agents that talk to a model server of our own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from live.model_server import ModelServer, serving
from live.real_agents import KINDS, Real


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture(params=KINDS)
def real(request: pytest.FixtureRequest, server: ModelServer) -> Real:
    return Real(request.param, server)
