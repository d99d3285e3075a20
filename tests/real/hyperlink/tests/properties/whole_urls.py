from hyperlink import URL


def test_parts_make_the_url_again(case):
    parts = case["parts"]
    url = URL(scheme=case["scheme"], host=parts["host"], port=parts["port"], path=parts["path"], rooted=True)
    assert URL.from_text(url.to_text()) == url
