from natsort.utils import groupletters


def test_each_letter_follows_its_folded_self(case):
    rest = groupletters(case["text"])
    for letter in case["text"]:
        pair = letter.casefold() + letter
        assert rest.startswith(pair)
        rest = rest[len(pair) :]
    assert rest == ""
