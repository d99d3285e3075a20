from natsort.compat.fake_fastnumbers import fast_float, fast_int


def test_int_text(case):
    number = case["number"]
    read = fast_int(repr(number))
    assert type(read) is int
    assert read == number


def test_float_text(case):
    number = float(case["number"])
    read = fast_float(repr(number))
    assert type(read) is float
    assert read == number
