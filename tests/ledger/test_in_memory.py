import asyncio
from dataclasses import replace

import pytest

from reviewloop.errors import LedgerError
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.testing.ledger import started


def test_what_a_file_could_not_keep_is_refused_in_memory_too():
    ledger = MemoryLedger()
    draft = started("export")
    odd = replace(draft, payload=replace(draft.payload, source={"handle": object()}))

    for session, drafts in (("export", [draft, odd]), ("\udcff", [draft])):
        with pytest.raises(LedgerError):
            asyncio.run(ledger.append(session, 0, drafts))

    assert [] == asyncio.run(ledger.feed())
