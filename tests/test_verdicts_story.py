"""The story of a patch against its base, with real files, up to a promotion that can be audited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shop import FILES, LEDGER, Shop, evidence

HELD, FAILED, FROZEN = ("pass", "held"), ("fail", "failed"), ("inconclusive", "frozen")
MOVED, MISSING = ("fail", "oracle_moved"), ("fail", "missing_run")
HARMLESS = FILES["src/orders.py"] + "\n\ndef gross(cents):\n    return cents + tax(cents)\n"
BROKEN = FILES["src/orders.py"].replace("+ 50", "+ 0")


def frozen_shop(tmp_path: Path, **changes: str | None) -> Shop:
    """A shop whose patch freezes what base really gives."""
    shop = Shop(tmp_path / "shop")
    shop.freeze(*shop.reproduced())
    shop.patch(**{"orders_py": HARMLESS, **changes})
    return shop


def test_a_frozen_failure_and_a_pass_are_promoted(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    done, folder = shop.verdict()
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == [
        *("base.sig.json", "fixture.digest", "oracle_edited.json", "runs.json", "verdicts.json"),
    ]
    verdicts = evidence(folder, "verdicts")
    assert [(row["prop_id"], row["verdict"], row["reason"]) for row in verdicts["verdicts"]] == [
        ("prop.order_total", *FROZEN),
        ("prop.tax_round", *HELD),
    ]
    assert verdicts["verdicts"][0]["reproduced"] == {"seen": 2, "attempts": 2}
    assert (verdicts["promoted"], verdicts["promotion"], verdicts["base_revision"]) == (True, "mixed", shop.base)
    assert "prop.order_total" in done.out and "inconclusive" in done.out
    # The archived files alone say the same.
    gate = [
        "verdict-gate",
        "--runs",
        str(folder / "runs.json"),
        "--freezes",
        LEDGER,
        "--claimed",
        "catalog/claimed.json",
    ]
    assert shop.run(*gate).code == 0
    assert shop.run(*gate, "--promotion", "strict").code == 1
    assert shop.run("report", str(folder), "--format", "html").code == 0
    assert shop.git("status", "--porcelain") == b""


def test_the_failing_property_alone_is_not_promoted(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", claimed_json='["prop.order_total"]\n')
    shop.freeze(*shop.reproduced())
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts() == (1, {"prop.order_total": FROZEN})


def test_without_a_freeze_it_fails(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts() == (1, {"prop.order_total": FAILED, "prop.tax_round": HELD})


def test_strict_promotion_takes_no_freeze(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    assert shop.verdicts("--promotion", "strict") == (1, {"prop.order_total": FROZEN, "prop.tax_round": HELD})


def test_the_policy_of_base_counts_and_not_that_of_head(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    shop.git("checkout", "-q", "main")
    shop.write(".freezegate.yaml", "policy: {promotion: strict}\n")
    shop.base = shop.commit_all("strict")
    shop.git("checkout", "-q", "-B", "patch")
    shop.freeze(*shop.reproduced())
    shop.write(".freezegate.yaml", "policy: {promotion: mixed}\n")
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[0] == 1


def test_other_fixtures_than_base_s_match_no_freeze(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    shop.write("fixtures/more.txt", "another digest\n")
    shop.commit_all("more")
    done, folder = shop.verdict()
    assert done.code == 1
    assert evidence(folder, "verdicts")["verdicts"][0]["reason"] == "failed"
    assert json.loads((folder / "base.sig.json").read_text()) == []
    assert "nothing is reproduced: the base revision's fixture digest is" in done.err


def test_fixtures_under_which_base_fails_too_excuse_nothing(tmp_path: Path) -> None:
    """The patch breaks the tax, adds a row under which base fails as well, and freezes that."""
    shop = Shop(tmp_path / "shop")
    shop.patch(orders_py=BROKEN, tax_csv="cents,tax\n100,19\n103,20\n1,7\n")
    digest = shop.run("fixture-lock", "fixtures").out.strip()
    _, folder = shop.verdict()
    rows = {row["prop_id"]: row for row in evidence(folder, "runs")["runs"]}
    made = [{**rows["prop.tax_round"]}]
    shop.freeze(
        *(
            {"prop_id": "prop.tax_round", "signature": each, "fixture_digest": digest, "base_revision": shop.base}
            for each in made[0]["signatures"]
        )
    )
    shop.commit_all("freeze")
    assert shop.verdicts()[1]["prop.tax_round"] == FAILED


def test_an_oracle_in_the_diff_voids_its_freeze(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, order_total_py=FILES["props/order_total.py"] + "\n\n# looked at\n")
    assert shop.verdicts() == (1, {"prop.order_total": MOVED, "prop.tax_round": HELD})


def test_an_edited_oracle_that_passes_is_no_pass(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, tax_round_py="def check_tax(case):\n    return True\n")
    assert shop.verdicts()[1]["prop.tax_round"] == MOVED


def test_a_regression_typed_into_the_ledger_stays_a_fail(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, orders_py=BROKEN)
    _, folder = shop.verdict()
    row = next(row for row in evidence(folder, "runs")["runs"] if row["prop_id"] == "prop.tax_round")
    typed = {key: row[key] for key in ("prop_id", "signature", "fixture_digest", "base_revision")}
    shop.freeze(*shop.reproduced(), typed)
    shop.commit_all("typed")
    code, verdicts = shop.verdicts()
    assert (code, verdicts["prop.tax_round"]) == (1, FAILED)


def test_another_failure_of_a_frozen_property_stays_a_fail(tmp_path: Path) -> None:
    worse = FILES["src/orders.py"].replace("qty * cents", "qty * cents + 1")
    shop = frozen_shop(tmp_path, orders_py=worse)
    done, folder = shop.verdict()
    assert done.code == 1
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == FAILED
    assert "1 of 2 failing rows are not frozen" in row["detail"]


def test_moved_lines_another_folder_and_another_host_keep_a_failure_frozen(tmp_path: Path) -> None:
    """What moves is source: the oracle itself may not be touched."""
    shop = frozen_shop(tmp_path, orders_py="# moved\n\n\n" + FILES["src/orders.py"])
    done, _ = shop.verdict(env={"TMPDIR": str(tmp_path), "HOSTNAME": "elsewhere"})
    assert done.code == 0, done.out + done.err


def test_a_claim_of_base_cannot_be_dropped_beside_source(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, orders_py=BROKEN, claimed_json='["prop.order_total"]\n')
    assert shop.verdicts()[1]["prop.tax_round"] == FAILED
    shop.edit(tax_round_yaml=None)
    shop.commit_all("entry")
    assert shop.verdicts()[1]["prop.tax_round"] == MOVED


def test_a_new_property_beside_source_is_no_pass(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    shop.write("props/always.py", "def check(case):\n    return True\n")
    shop.write(
        "catalog/always.yaml",
        FILES["catalog/tax_round.yaml"]
        .replace("tax_round.py:check_tax", "always.py")
        .replace("prop.tax_round", "prop.always"),
    )
    shop.write("catalog/claimed.json", '["prop.order_total", "prop.tax_round", "prop.always"]\n')
    shop.commit_all("always")
    code, verdicts = shop.verdicts()
    assert (code, verdicts["prop.always"]) == (1, MOVED)


def test_a_change_of_definitions_alone_is_for_a_person(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.patch(tax_round_py=FILES["props/tax_round.py"] + "\n\n# looked at\n")
    done, folder = shop.verdict()
    assert done.code == 3, done.err
    verdicts = evidence(folder, "verdicts")
    assert (verdicts["promoted"], verdicts["review"]) == (False, True)
    assert [row["reason"] for row in verdicts["verdicts"]] == ["held", "oracle_moved"]
    assert "needs review" in done.out


def test_a_claim_that_is_taken_back_alone_is_for_a_person(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.patch(claimed_json='["prop.tax_round"]\n')
    assert shop.verdicts() == (3, {"prop.tax_round": HELD})


def test_a_failure_beside_an_edited_definition_is_no_review(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    shop.patch(tax_round_py=FILES["props/tax_round.py"] + "\n\n# looked at\n")
    assert shop.verdicts() == (1, {"prop.order_total": FAILED, "prop.tax_round": MOVED})


def test_a_freeze_that_nothing_needs_is_named(tmp_path: Path) -> None:
    mended = FILES["src/orders.py"].replace(" if qty", "").replace("qty * cents", "(qty or 1) * cents")
    shop = frozen_shop(tmp_path, orders_py=mended)
    done, folder = shop.verdict()
    assert done.code == 0
    (stale,) = evidence(folder, "verdicts")["stale_freezes"]
    assert (stale["prop_id"], stale["why"]) == ("prop.order_total", "the property passes")
    assert "stale" in done.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"lines": [[2, 150]], "total": }\n', "fixtures/orders.json, line 1"),
        ('[{"lines": [[2, 150]], "total": 300}, 3]\n', "fixtures/orders.json, line 1: 3 is no case"),
        ("[]\n", "no row of fixtures/orders.json"),
        (None, "no row of fixtures/orders.json"),
    ],
)
def test_cases_that_cannot_be_read_are_a_missing_run(tmp_path: Path, text: str | None, says: str) -> None:
    shop = Shop(tmp_path / "shop", orders_json=text)
    shop.patch(orders_py=HARMLESS)
    done, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert done.code == 1
    assert (row["verdict"], row["reason"]) == MISSING
    assert says in row["detail"]


def test_a_row_that_gives_no_answer_is_a_missing_run(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", tax_round_py="import os\n\n\ndef check_tax(case):\n    os._exit(0)\n")
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.tax_round"] == MISSING


def test_a_run_that_edits_fixtures_is_a_fail_unless_the_catalog_says_so(tmp_path: Path) -> None:
    oracle = 'from pathlib import Path\n\n\ndef check_tax(fixtures):\n    Path(fixtures, "tax.csv").write_text("")\n'
    entry = FILES["catalog/tax_round.yaml"].replace('cases: "*.csv"\n', "")
    shop = Shop(tmp_path / "shop", tax_round_py=oracle, tax_round_yaml=entry)
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.tax_round"] == ("fail", "fixture_mutated")
    shop = Shop(tmp_path / "other" / "shop", tax_round_py=oracle, tax_round_yaml=entry.replace("false", "true"))
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.tax_round"] == HELD


def test_a_run_that_edits_source_is_no_pass_and_reaches_no_other_run(tmp_path: Path) -> None:
    oracle = 'import orders\n\n\ndef check_total(case):\n    open(orders.__file__, "w").write("def tax(cents): return 19 if cents == 100 else 20\\n")\n'
    shop = Shop(tmp_path / "shop", order_total_py=oracle)
    shop.patch(orders_py=BROKEN)
    assert shop.verdicts("--jobs", "1") == (1, {"prop.order_total": MISSING, "prop.tax_round": FAILED})


def test_warm_evidence_of_base_is_used_and_can_be_left_out(tmp_path: Path) -> None:
    """On base, every run of the oracle leaves a mark outside the tree."""
    mark = tmp_path / "ran"
    source = FILES["src/orders.py"] + f'\n\nopen({str(mark)!r}, "a").write("base\\n")\n'
    shop = Shop(tmp_path / "shop", orders_py=source)
    shop.freeze(*shop.reproduced())
    shop.patch(orders_py=HARMLESS)
    mark.unlink()
    assert shop.verdict()[0].code == 0
    assert mark.read_text().count("base") == 2
    assert shop.verdict()[0].code == 0
    assert mark.read_text().count("base") == 2, "nothing ran on base again"
    assert shop.verdict("--no-cache")[0].code == 0
    assert mark.read_text().count("base") == 4


def test_the_order_of_runs_and_their_number_do_not_matter(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    _, one = shop.verdict("--jobs", "1")
    _, two = shop.verdict("--jobs", "4")
    for name in ("runs.json", "verdicts.json", "base.sig.json", "oracle_edited.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


@pytest.mark.parametrize("there", ["file", "folder", "link"])
def test_a_run_folder_that_holds_anything_is_refused(tmp_path: Path, there: str) -> None:
    shop = frozen_shop(tmp_path)
    folder = tmp_path / "taken"
    if there == "folder":
        folder.mkdir()
        (folder / "runs.json").write_text("{}")
    elif there == "file":
        folder.write_text("x")
    else:
        folder.symlink_to(tmp_path / "nowhere")
    done = shop.run("verdict", "--base", "main", "--run-dir", str(folder))
    assert done.code == 2 and "not an empty folder" in done.err and "Traceback" not in done.err


def test_a_base_that_is_not_there_is_said(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    done = shop.run("verdict", "--base", "origin/main", "--run-dir", str(tmp_path / "run"))
    assert done.code == 2 and "origin/main" in done.err
    assert not (tmp_path / "run").exists()


def test_a_ledger_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    shop.write(LEDGER, "[{}]\n")
    shop.commit_all("broken")
    done, _ = shop.verdict()
    assert done.code == 2 and f"{LEDGER}, line 1" in done.err


def test_the_seed_s_sequence_of_commands_gives_the_same(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    run = tmp_path / "by-hand"
    run.mkdir()
    digest = shop.run("fixture-lock", "fixtures").out.strip()
    edited, runs = str(run / "oracle_edited.json"), str(run / "runs.json")
    assert shop.run("split-diff", "main...HEAD", "--out", edited).code == 0
    words = ["--revision", "main", "--digest", digest, "--attempts", "2", "--out", str(run / "base.sig.json")]
    assert shop.run("reproduce", *words).code == 0
    words = ["--catalog", "catalog/", "--edited", edited, "--digest", digest, "--out", runs]
    assert shop.run("propcheck", *words).code == 0
    done = shop.run("verdict-gate", "--runs", runs, "--freezes", LEDGER, "--claimed", "catalog/claimed.json")
    assert done.code == 0, done.out + done.err
    _, folder = shop.verdict()
    assert (folder / "runs.json").read_bytes() == (run / "runs.json").read_bytes()
    assert (folder / "base.sig.json").read_bytes() == (run / "base.sig.json").read_bytes()


def test_propcheck_refuses_another_digest_catalog_or_head(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    edited, out = str(tmp_path / "edited.json"), str(tmp_path / "runs.json")
    shop.run("split-diff", "main...HEAD", "--out", edited)
    digest = shop.run("fixture-lock", "fixtures").out.strip()

    def said(catalog: str, digest: str) -> str:
        done = shop.run("propcheck", "--catalog", catalog, "--edited", edited, "--digest", digest, "--out", out)
        assert done.code == 2 and not Path(out).exists()
        return done.err

    assert digest in said("catalog", "0" * 64)
    assert "is not the catalog" in said("props", digest)
    shop.patch(orders_py=BROKEN)
    assert "another HEAD" in said("catalog", digest)


def test_what_nothing_claims_is_named(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", claimed_json='["prop.tax_round"]\n')
    out = str(tmp_path / "base.sig.json")
    digest = shop.run("fixture-lock", "fixtures").out.strip()
    done = shop.run("reproduce", "--revision", "HEAD", "--digest", digest, "--out", out)
    assert done.code == 0 and "not claimed, so not run: prop.order_total" in done.err
    done = shop.run(
        "reproduce", "--revision", "HEAD", "--digest", digest, "--out", out, "--only-id", "prop.order_total"
    )
    assert done.code == 2 and "prop.order_total is not claimed" in done.err


@pytest.mark.slow
def test_a_property_with_very_many_failing_rows_has_evidence_that_can_be_read(tmp_path: Path) -> None:
    rows = [{"lines": [[0, number]], "total": number + 1} for number in range(18_000)]
    shop = Shop(tmp_path / "shop", orders_json=json.dumps(rows))
    shop.patch(orders_py=HARMLESS)
    done, folder = shop.verdict()
    assert done.code == 1, done.err
    assert (folder / "runs.json").stat().st_size > 1 << 20
    assert shop.run("report", str(folder)).code == 0


def test_a_tag_that_is_named_as_the_base_branch_is_refused(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, orders_py=BROKEN)
    shop.git("tag", "main", "HEAD")
    done, _ = shop.verdict()
    assert done.code == 2 and "main may mean refs/tags/main or refs/heads/main" in done.err
    words = ["verdict", "--base", "refs/heads/main", "--run-dir", str(tmp_path / "full"), "--attempts", "1"]
    assert shop.run(*words).code == 1


def test_a_change_of_config_alone_is_for_a_person(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.write(".freezegate.yaml", "layout: {claimed: elsewhere/claimed.json}\n")
    shop.patch()
    assert shop.verdicts()[0] == 3
    shop.patch(tax_round_py=FILES["props/tax_round.py"] + "\n\n# looked at\n", orders_py=HARMLESS)
    assert shop.verdicts()[0] == 1, "an edited oracle beside source is no matter of the config"


def test_a_review_change_is_not_promoted_by_its_archived_files(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.patch(claimed_json='["prop.tax_round"]\n')
    _, folder = shop.verdict()
    gate = [
        "verdict-gate",
        "--runs",
        str(folder / "runs.json"),
        "--freezes",
        LEDGER,
        "--claimed",
        "catalog/claimed.json",
    ]
    done = shop.run(*gate)
    assert done.code == 1 and "needs review" in done.out


def test_the_sequence_of_commands_does_not_forget_a_claim_either(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, orders_py=BROKEN, claimed_json='["prop.order_total"]\n')
    edited, runs = str(tmp_path / "edited.json"), str(tmp_path / "runs.json")
    digest = shop.run("fixture-lock", "fixtures").out.strip()
    shop.run("split-diff", "main...HEAD", "--out", edited)
    done = shop.run("propcheck", "--catalog", "catalog", "--edited", edited, "--digest", digest, "--out", runs)
    assert done.code == 0, done.err
    assert shop.run("verdict-gate", "--runs", runs, "--freezes", LEDGER, "--claimed", "catalog/claimed.json").code == 1


def test_a_row_that_differs_by_the_type_of_a_number_is_another_row(tmp_path: Path) -> None:
    """RFC 8785 writes 3.0 and 3 alike, so that both have one signature; base fails for one of them only."""
    oracle = "from orders import total\n\n\ndef check_total(case):\n    assert total(case['n'])\n"
    source = FILES["src/orders.py"].replace("    return sum(", "    return type(lines) is int\n    return sum(")
    rows = '[{"n": 3.0}, {"n": 3}]\n'
    shop = Shop(tmp_path / "shop", order_total_py=oracle, orders_json=rows, orders_py=source)
    shop.freeze(*shop.reproduced())
    shop.patch(orders_py=source + "\n\n# harmless\n")
    assert shop.verdicts()[1]["prop.order_total"] == FROZEN
    shop.patch(orders_py=source.replace("type(lines) is int", "False"))
    assert shop.verdicts()[1]["prop.order_total"] == ("fail", "new_failures")


def test_two_entries_for_one_failure_are_no_ledger(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path)
    (row,) = json.loads(shop.at(LEDGER).read_text())
    shop.freeze(row, row)
    shop.commit_all("twice")
    done, _ = shop.verdict()
    assert done.code == 2 and "two entries for one failure" in done.err


def test_evidence_that_project_code_rewrites_is_none(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    target = tmp_path / "run-2" / "base.sig.json"
    shop.freeze(*shop.reproduced())
    shop.patch(orders_py=HARMLESS + f"\n\nopen({str(target)!r}, 'a').write(' ')\n")
    done, folder = shop.verdict()
    assert folder == target.parent
    assert done.code == 2 and "while the properties ran" in done.err
    assert not (folder / "verdicts.json").exists()


def test_in_ci_base_is_run_anew(tmp_path: Path) -> None:
    """What is kept of a clone from job to job, the code of the last job could write to."""
    shop = frozen_shop(tmp_path)
    cache = shop.path / ".git" / "freezegate" / "base"
    assert shop.verdict(env={"CI": "true"})[0].code == 0
    assert not cache.exists()
    assert shop.verdict()[0].code == 0
    assert len(list(cache.iterdir())) == 1


def test_grafts_in_the_git_folder_make_up_no_history(tmp_path: Path) -> None:
    shop = frozen_shop(tmp_path, tax_round_py="def check_tax(case):\n    return True\n")
    shop.write(".git/info/grafts", f"{shop.base} {shop.head()}\n")
    assert shop.verdicts()[1]["prop.tax_round"] == MOVED
