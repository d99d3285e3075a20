from hyperlink import URL


def test_port_is_kept(case):
    url = URL.from_text(f"gopher://host.example:{case['port']}/")
    assert type(url.port) is int
    assert url.port == case["port"]
