from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.testing.ledger import LedgerConformance


class TestSqliteLedger(LedgerConformance):
    def open_ledger(self, tmp_path):
        return SqliteLedger(tmp_path / "project" / ".reviewloop" / "reviewloop.db")


class TestMemoryLedger(LedgerConformance):
    durable = False

    def open_ledger(self, tmp_path):
        return MemoryLedger()
