"""Host names, label by label."""


def labels_of(host):
    return host.split(".")
