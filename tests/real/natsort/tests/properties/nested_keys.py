from plain_key import key_of


def test_list_is_its_parts(case):
    assert key_of(case["parts"]) == tuple(key_of(part) for part in case["parts"])
