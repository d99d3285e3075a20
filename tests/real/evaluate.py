"""Run predicates on cases that their generators make: a child that is given folders, then scopes as JSON on its input.

For each scope it prints the cases, and for each whether the predicate held.
"""

import importlib.util
import json
import random
import sys


def load(path):
    spec = importlib.util.spec_from_file_location(path.rpartition("/")[2].removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(generator, domain, seed, count):
    if not hasattr(generator, "strategy"):
        rng = random.Random(seed)
        return [generator.generate(domain, rng) for _ in range(count)]
    import hypothesis

    cases = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        database=None,
        deadline=None,
        max_examples=count,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(generator.strategy(domain))
    def collect(case):
        cases.append(case)

    collect()
    return cases


def held(predicate, case):
    try:
        return predicate(case) is None
    except AssertionError:
        return False


def judged(scope, count):
    path, _, name = scope["predicate"].partition(":")
    predicate = getattr(load(path), name)
    cases = scope["cases"] or made(load(scope["generator"]), scope["domain"], scope["seed"], count)
    return [[case, held(predicate, json.loads(json.dumps(case)))] for case in cases]


sys.path += sys.argv[2:]
json.dump([judged(scope, int(sys.argv[1])) for scope in json.load(sys.stdin)], sys.stdout)
