"""The key that natsort sorts by when it is given no options."""

from natsort import natsort_keygen

KEY = natsort_keygen()


def key_of(value):
    return KEY(value)
