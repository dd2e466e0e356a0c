from invoices.store import rows


def test_there_is_an_invoice():
    assert rows()
