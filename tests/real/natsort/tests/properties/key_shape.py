from plain_key import key_of


def test_text_and_numbers_alternate(case):
    kinds = [type(part) for part in key_of(case["text"])]
    assert kinds == [(str, int)[place % 2] for place in range(len(kinds))]
