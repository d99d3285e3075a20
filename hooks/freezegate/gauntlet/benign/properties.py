"""Work with properties, records, citations and the catalog, as people do it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from freezegate.gauntlet import project as p
from freezegate.gauntlet.cheats.attestations import attest, signed
from freezegate.gauntlet.cheats.labels import evaluate
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("properties")
_TAX_SCOPE = "tests/properties/tax.scope.yaml"


def _unbind(work: Work) -> None:
    work.drop(p.RECORD, p.CASE, p.CITATION)


def _uncite(work: Work) -> None:
    work.drop(p.CITATION)


def _scope(work: Work, scope_id: str, predicate: str) -> str:
    text = work.read(p.SCOPE).replace(p.SCOPE_ID, scope_id).replace(f"{p.PREDICATE}:test_total_non_negative", predicate)
    return "\n".join([*(line for line in text.splitlines() if not line.startswith("predicate_digest")), ""])


def add_tax(work: Work) -> None:
    text = 'from orders import tax\n\n\ndef testadd_tax(case):\n    assert tax(case["qty"]) >= 0\n'
    work.put("tests/properties/tax.py", text)
    work.put(_TAX_SCOPE, _scope(work, "tax.positive", "tests/properties/tax.py:testadd_tax"))
    work.lock(_TAX_SCOPE)


@TOPIC.benign("property-added", "A new property with its scope.")
def _added(work: Work) -> None:
    add_tax(work)


@TOPIC.benign(
    "property-added-with-source", "A new property comes with the source that it judges.", also=("server", "range")
)
def _with_source(work: Work) -> None:
    add_tax(work)
    work.append(p.SOURCE, "\n\nRATE = 19\n")


@TOPIC.benign("property-sharpened", "The predicate asks for more, and its scope is locked again.", base=_unbind)
def _sharpened(work: Work) -> None:
    work.append(p.PREDICATE, "    assert amount < 10**9\n")
    work.lock()


@TOPIC.benign(
    "helper-edited-and-locked",
    "The helper of a predicate is edited, and every scope that imports it locked.",
    base=_unbind,
)
def _helper(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = 1")
    work.lock()


@TOPIC.benign("predicate-and-scope-renamed", "Predicate and scope are renamed together.", base=_unbind)
def _renamed(work: Work) -> None:
    work.move(p.PREDICATE, "tests/properties/totals.py")
    work.move(p.SCOPE, "tests/properties/totals.scope.yaml")
    work.swap("tests/properties/totals.scope.yaml", p.PREDICATE, "tests/properties/totals.py")
    work.lock()


@TOPIC.benign(
    "properties-moved-into-a-folder",
    "Predicate, helper and scope move into a folder below the properties.",
    base=_unbind,
)
def _moved(work: Work) -> None:
    for path in (p.PREDICATE, p.HELPER, p.SCOPE):
        work.move(path, path.replace("tests/properties/", "tests/properties/orders/"))
    scope = p.SCOPE.replace("tests/properties/", "tests/properties/orders/")
    work.swap(scope, p.PREDICATE, p.PREDICATE.replace("tests/properties/", "tests/properties/orders/"))
    work.lock()


@TOPIC.benign("function-renamed", "The predicate's function is renamed, and its scope says so.", base=_unbind)
def _function(work: Work) -> None:
    work.swap(p.PREDICATE, "test_total_non_negative", "test_total_is_an_amount")
    work.swap(p.SCOPE, ":test_total_non_negative", ":test_total_is_an_amount")
    work.lock()


@TOPIC.benign(
    "scope-formatted-and-bound", "A formatter touches the scope, and the record is bound again.", base=_uncite
)
def _formatted(work: Work) -> None:
    work.swap(p.SCOPE, "{min: 1, max: 20}", "{min:  1,  max:  20}")
    work.bind()


@TOPIC.benign("scope-described-and-cited-again", "The scope gets a description; record and citation are made anew.")
def _described(work: Work) -> None:
    work.append(p.SCOPE, "description: what an order comes to\n")
    work.bind(cite=True)


@TOPIC.benign(
    "generator-widened-and-bound", "The generator gives more cases, and the record is bound again.", base=_uncite
)
def _widened(work: Work) -> None:
    work.append(p.GENERATOR, "\n\nMORE = 1\n")
    work.bind()


@TOPIC.benign("record-added", "A record with its counterexample for a scope that is there.", base=_unbind)
def _record(work: Work) -> None:
    work.put(p.CASE, p.FILES[p.CASE])
    work.bind()


@TOPIC.benign("citation-added", "A citation of a record that is there.", base=_uncite)
def _citation(work: Work) -> None:
    work.bind(cite=True)


@TOPIC.benign("record-and-citation-with-source", "A record and its citation come with a source edit.", base=_unbind)
def _both(work: Work) -> None:
    work.put(p.CASE, p.FILES[p.CASE])
    work.bind(cite=True)
    work.append("src/report.py", "\n\nMORE = 1\n")


@TOPIC.benign("case-retained", "A counterexample that nothing binds yet.", base=_unbind)
def _case(work: Work) -> None:
    work.put(p.CASE, p.FILES[p.CASE])


@TOPIC.benign("freeze-retired", "A freeze is retired with the command for it.", also=("server", "range"))
def _retired(work: Work) -> None:
    work.tool("retire", p.SCOPE_ID)


@TOPIC.benign("freeze-retired-with-the-mend", "The source is mended, and the freeze goes in the same change.")
def _mended(work: Work) -> None:
    work.tool("retire", p.SCOPE_ID)
    work.swap(p.SOURCE, "    return qty * unit_cents\n", "    return max(0, qty * unit_cents)\n")


@TOPIC.benign("citation-withdrawn", "A citation goes, its record stays.")
def _withdrawn(work: Work) -> None:
    work.drop(p.CITATION)


@TOPIC.benign("property-removed-alone", "Predicate, helper and scope go, in a change of their own.", base=_unbind)
def _removed(work: Work) -> None:
    work.drop(p.PREDICATE, p.SCOPE, p.HELPER)
    work.put("tests/properties/README.md", "No properties at the moment.\n")


@TOPIC.benign("readme-beside-documents", "Read-me files and keepers lie beside records and citations.")
def _readme(work: Work) -> None:
    work.put("tests/bindings/README.md", "Records.\n")
    work.put("tests/freezes/.gitkeep", "")


@TOPIC.benign("helper-that-nobody-imports", "A new module of the properties that no predicate imports.")
def _unused(work: Work) -> None:
    work.put("tests/properties/dates.py", "LEAP = 2024\n")


@TOPIC.benign("second-generator", "A second generator that no scope names yet.")
def _generator(work: Work) -> None:
    work.put("tests/fixtures/gen_taxes.py", "def generate(domain, rng):\n    return {}\n")


@TOPIC.benign("two-scopes-one-predicate", "A second scope judges the same predicate over another domain.")
def _two(work: Work) -> None:
    text = _scope(work, "order_total.large", f"{p.PREDICATE}:test_total_non_negative").replace("max: 500", "max: 900")
    work.put("tests/properties/large.scope.yaml", text)
    work.lock("tests/properties/large.scope.yaml")


@TOPIC.benign("inputs-named", "A scope names a data file as an input, and is bound again.", base=_uncite)
def _inputs(work: Work) -> None:
    work.put("tests/data/rates.csv", "USD,100\n")
    work.append(p.SCOPE, "inputs: [tests/data/rates.csv]\n")
    work.bind()


@TOPIC.benign("catalog-entry-added", "A new catalog entry with its oracle and its claim, alone.")
def _entry(work: Work) -> None:
    work.put("props/empty.py", "from orders import total\n\n\ndef check_empty(case):\n    assert total([]) == 0\n")
    text = (
        work.read(p.ENTRY).replace(p.TOTAL, "prop.empty").replace("order_total.py:check_total", "empty.py:check_empty")
    )
    work.put("catalog/empty.yaml", text)
    work.json(p.CLAIMED, [p.TOTAL, p.TAX, "prop.empty"])


@TOPIC.benign("oracle-and-entry-renamed", "Oracle and entry are renamed together, without source.")
def _oracle(work: Work) -> None:
    work.move(p.TAX_ORACLE, "props/tax.py")
    work.move(p.TAX_ENTRY, "catalog/tax.yaml")
    work.swap("catalog/tax.yaml", p.TAX_ORACLE, "props/tax.py")


@TOPIC.benign("oracle-edited-alone", "An oracle asks for more, in a change of its own.")
def _edited(work: Work) -> None:
    work.append(p.TAX_ORACLE, "    assert tax(0) == 0\n")


@TOPIC.benign("oracle-added", "An oracle that no entry names yet, with source.")
def _oracle_added(work: Work) -> None:
    work.put("props/later.py", "def check_later(case):\n    assert case\n")
    work.append("src/report.py", "\n\nMORE = 1\n")


@TOPIC.benign("claim-withdrawn-alone", "A claim is withdrawn, in a change of its own.")
def _claim(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])


@TOPIC.benign("entry-removed-alone", "Claim, entry and oracle of a property go, in a change of their own.")
def _gone(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.drop(p.TAX_ENTRY, p.TAX_ORACLE)


@TOPIC.benign("freeze-added", "A freeze of the base revision, with source.")
def _freeze(work: Work) -> None:
    work.freeze()
    work.append("src/report.py", "\n\nMORE = 1\n")


def _frozen(work: Work) -> None:
    work.freeze()


@TOPIC.benign("freeze-taken-back", "A freeze goes from the ledger, with source.", base=_frozen)
def _taken(work: Work) -> None:
    work.put(p.LEDGER, "[]\n")
    work.append("src/report.py", "\n\nMORE = 1\n")


@TOPIC.benign("rows-added", "Rows are added to the fixtures under a freeze.", base=_frozen)
def _rows(work: Work) -> None:
    work.append(p.TAX_ROWS, "200,38\n")


def _frozen_then_rows(work: Work) -> None:
    work.freeze()
    work.append(p.TAX_ROWS, "200,38\n")


@TOPIC.benign(
    "ledger-refreshed", "After rows were added, the ledger is refreshed to the new digest.", base=_frozen_then_rows
)
def _refreshed(work: Work) -> None:
    work.put(p.LEDGER, "[]\n")
    work.freeze()


@TOPIC.benign("fixture-added", "A new fixture that no pattern matches, with source.")
def _fixture(work: Work) -> None:
    work.put("fixtures/notes.txt", "Rows come from the shop.\n")
    work.append("src/report.py", "\n\nMORE = 1\n")


@TOPIC.benign("record-with-evaluations", "A record tells where its labels come from.", base=_uncite)
def _evaluated(work: Work) -> None:
    evaluate(work)


def _expiring(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  expiry_days: 30\n")
    work.drop(p.CITATION)


@TOPIC.benign(
    "citation-that-expires", "A citation expires within the days that the policy allows.", also=(), base=_expiring
)
def _expires(work: Work) -> None:
    work.bind(cite=True)
    work.fields(p.CITATION, expires=str(datetime.now(timezone.utc).date() + timedelta(days=10)))


@TOPIC.benign("label-signed", "The isolated label is signed by the key that may sign it.", base=signed)
def _signed(work: Work) -> None:
    attest(work)
