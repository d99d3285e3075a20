from natsort import natsorted


def test_order_given_is_forgotten(case):
    names = case["names"]
    assert natsorted(names) == natsorted(names[::-1])
