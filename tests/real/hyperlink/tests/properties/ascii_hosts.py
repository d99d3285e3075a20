from hyperlink import URL
from labels import labels_of


def test_ascii_host_is_its_own_wire_form(case):
    host = ".".join(case["labels"])
    wire = URL(scheme="http", host=host).to_uri().host
    assert labels_of(wire) == case["labels"]
