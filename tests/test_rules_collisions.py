"""Two trees may not share a plain digest: what ends a file must not pass for the beginning of the next path."""

from __future__ import annotations

from building import CITATION, RECORD, SCOPE, good_project, rebind
from memory import evaluate_memory

MOVED = "tests/properties/onetests/properties/order_total.scope.yaml"
GENERATOR = "tests/fixtures/gen_orders.py"


def test_a_generator_cannot_take_over_the_beginning_of_the_scope_path() -> None:
    files = good_project()
    old = {path: data for path, data in files.items() if path != SCOPE}
    old[MOVED] = files[SCOPE]
    old[GENERATOR] = files[GENERATOR] + b"a = 1\natests = 2\natests_properties_one = 3\nLOWEST = a"
    old = rebind(old)
    new = {path: data for path, data in old.items() if path != MOVED}
    new[SCOPE] = old[MOVED]
    new[GENERATOR] = old[GENERATOR] + b"tests/properties/one"
    assert rebind(new)[RECORD] == old[RECORD] == new[RECORD]  # the published formula gives one digest for both
    report = evaluate_memory(old, new)
    assert {"digest-ambiguous", "citation-open-record"} <= {found.rule for found in report.findings}
    assert any(found.rule == "citation-open-record" and found.path.text == CITATION for found in report.findings)
