from hyperlink import URL


def test_text_is_kept(case):
    assert URL.from_text(case["text"]).to_text() == case["text"]
