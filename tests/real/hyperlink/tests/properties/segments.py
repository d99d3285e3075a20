from hyperlink import DecodedURL


def test_segments_survive_the_wire(case):
    url = DecodedURL.from_text("http://host.example").child(*case["segments"])
    wire = url.to_uri().to_text()
    assert wire.isascii()
    assert DecodedURL.from_text(wire).path == tuple(case["segments"])
