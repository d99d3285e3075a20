from hyperlink import URL
from idna import check_label
from labels import labels_of


def test_idn_host_has_a_wire_form(case):
    for label in labels_of(case["host"]):
        check_label(label)
    wire = URL(scheme="http", host=case["host"]).to_uri().host
    assert wire.isascii()
    assert all(1 <= len(label) <= 63 for label in labels_of(wire))
