"""The command line as a user types it."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.commands import run

ROW = {
    "id": "r1",
    "query": "When does water boil?",
    "evidence": [{"id": "w", "text": "Water boils at 100 degrees Celsius at sea level."}],
    "answer": "Water boils at 100 degrees Celsius at sea level [w].",
}


@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "demo",
        "check-config",
        "status",
        "incidents",
        "ack",
        "silence",
        "routes",
        "ledger",
        "label",
        "calibrate",
        "mark",
        "forget",
        "score",
        "read",
        "explain",
        "replay",
        "pull",
    ],
)
def test_every_command_teaches(command: str) -> None:
    """--help says what the command is for and what its exit codes mean; each starts by itself."""
    started = [sys.executable, "-m", "ragvigil.scorer", command, "--help"]
    shown = subprocess.run(started, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0
    assert len(shown.stdout) > 500
    assert "Exit codes: 0 done" in shown.stdout


@pytest.mark.parametrize("group", [(), ("silence",), ("routes",), ("calibrate",), ("bench",)])
def test_no_line_of_a_list_of_commands_is_cut(group: tuple[str, ...]) -> None:
    """Each says what it is for, at whatever width."""
    shown = ragvigil(*group, "--help", environment={"COLUMNS": "80"}).stdout
    assert len(shown.partition("Commands:")[2]) > 40
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("command", [("status",), ("silence", "list"), ("test-alert", "oncall")])
def test_a_configuration_without_its_option_is_told_the_option(command: tuple[str, ...]) -> None:
    """`serve` and `check-config` take it as an argument, so people try it elsewhere."""
    refused = ragvigil(*command, "ragvigil.toml")
    assert refused.returncode == 2
    assert "(ragvigil.toml); name a configuration so: --config ragvigil.toml" in refused.stderr


def test_any_other_argument_too_many_is_only_named() -> None:
    """No configuration is suggested for a file that is none."""
    refused = ragvigil("status", "shop")
    assert refused.returncode == 2
    assert refused.stderr.endswith("Error: Got unexpected extra argument(s) (shop)\n")


def test_check_config_says_which_followed_file_is_not_there(tmp_path: Path) -> None:
    """A path with a typo was followed for ever without a word."""
    (tmp_path / "traces-1.json").touch()
    (tmp_path / "r.toml").write_text("[sources]\nfiles = ['traces-*.json', 'tracse.json']\n")
    said = ragvigil("check-config", "r.toml", folder=tmp_path).stdout
    assert "note: sources.files: nothing is at tracse.json now; it is read once it is there" in said
    assert "traces-*.json now" not in said


def test_calibrate_alone_takes_the_options_of_its_report(tmp_path: Path) -> None:
    """It was "No such option: --store"; its own help and its other commands stay."""
    alone = ragvigil("calibrate", "--store", str(tmp_path / "none.db"))
    assert alone.returncode == 3
    assert "none.db: no such store" in alone.stderr
    assert "Commands:" in ragvigil("calibrate", "--help").stdout
    assert "no such store" in ragvigil("calibrate", "draw", "--store", str(tmp_path / "none.db")).stderr


@pytest.mark.parametrize(
    "arguments", [["bogus"], ["score"], ["read"], ["score", "--bogus", "x"], ["serve", "--grpc"], []]
)
def test_a_wrong_command_line_is_exit_code_2_and_no_traceback(arguments: list[str]) -> None:
    """Whoever mistypes at three in the morning reads one sentence."""
    done = ragvigil(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_demo_without_its_library_says_so_before_it_starts_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After `pip install 'ragvigil[scorer]'` it was half a minute and a traceback until somebody was told."""
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.setattr(sys, "argv", ["ragvigil", "demo", "--dir", str(tmp_path / "demo")])
    assert run() == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == (
        "",
        "ragvigil: bm25s is not installed; run: pip install 'ragvigil[demo]'\n",
    )
    assert not (tmp_path / "demo").exists()


def test_the_version_is_the_distributions() -> None:
    """Written once."""
    from importlib.metadata import version

    assert ragvigil("--version").stdout.strip() == version("ragvigil")


def test_score_gives_one_result_a_row_in_order(tmp_path: Path) -> None:
    """Both row shapes; an unsupported number is found; a bad row is named and hurts only itself."""
    wrong = {
        "question": "",
        "answer": "Water boils at 70 degrees Celsius at sea level [q].",
        "contexts": ["x"],
    }
    wrong["contexts"] = [ROW["evidence"][0]["text"]]  # type: ignore[index]  # a literal of mixed types
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([json.dumps(ROW), json.dumps(wrong), "[1]"]))
    done = ragvigil("score", str(path), "--json")
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["state"], first["passed"], first["citation_correctness"]) == (
        "r1",
        "supported",
        True,
        1.0,
    )
    assert first["claims"][0]["supported_by"] == ["w"]
    assert (second["passed"], second["citation_correctness"]) == (False, 0.0)
    assert "line 3" in third["error"]
    assert done.returncode == 1


def test_score_reads_standard_input_and_can_leave_the_judge_out() -> None:
    """For pipes."""
    done = ragvigil("score", "-", "--judge", "none", "--json", text=json.dumps(ROW))
    result = json.loads(done.stdout)
    assert result["citation_correctness"] == 1.0
    assert result["faithfulness"] is None
    assert done.returncode == 0


def test_a_judge_that_is_not_there_is_named_with_those_that_are() -> None:
    """A name that is no judge's."""
    done = ragvigil("score", "-", "--judge", "oracle", text=json.dumps(ROW))
    assert done.returncode == 2
    assert "builtin" in done.stderr


def test_check_config_names_the_nearest_key(tmp_path: Path) -> None:
    """Exit code 2, one line, no traceback."""
    path = tmp_path / "ragvigil.toml"
    path.write_text("[sample]\nrat = 0.2\n")
    done = ragvigil("check-config", str(path))
    assert (done.returncode, done.stderr) == (2, "ragvigil: sample.rat: unknown key (did you mean rate?)\n")
    path.write_text(f"[channels.a]\ntype = 'pagerduty'\nrouting_key = '{7:032}'\n")
    shown = ragvigil("check-config", str(path), "--json")
    assert json.loads(shown.stdout)["settings"]["channels"]["a"]["routing_key"] == "**********"


def test_check_config_imports_no_check_where_no_setting_asks_for_one(tmp_path: Path) -> None:
    """People run it before each start; the checks with their patterns take longer than all the rest."""
    code = """
import sys
from ragvigil.scorer.cli import main
try:
    main()
finally:
    assert not {"ragvigil.scorer.checks", "ragvigil.scorer.dialects"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code, "check-config"], cwd=tmp_path, check=True, timeout=60)


def test_check_config_shows_what_is_set_among_what_is_not(tmp_path: Path) -> None:
    """Two settings were lost among 160 that nobody had touched."""
    path = tmp_path / "ragvigil.toml"
    path.write_text("[sample]\nrate = 0.2\nfloor = 0.01\n[links]\npublic_url = 'https://rag.example.com'\n")
    found, *shown, others = ragvigil("check-config", str(path)).stdout.splitlines()
    assert found.endswith("ragvigil.toml: ok")
    assert shown == ["  sample.rate = 0.2", '  links.public_url = "https://rag.example.com"']
    assert re.fullmatch(r"  \d+ settings as by default \(--json shows all\)", others)


@pytest.mark.parametrize("command", ["status", "ledger", "incidents"])
def test_a_store_that_is_not_there_is_exit_code_3(command: str, tmp_path: Path) -> None:
    """And names the command that makes one."""
    done = ragvigil(command, folder=tmp_path)
    assert done.returncode == 3
    assert "ragvigil serve --store" in done.stderr


def test_a_store_that_is_no_database_is_refused_before_anything_is_acknowledged(tmp_path: Path) -> None:
    """What is acknowledged must be scored."""
    (tmp_path / "notes.txt").write_text("not a database")
    for place, code in (("notes.txt", 3), (".", 2)):  # a folder is refused as a setting
        done = ragvigil(
            "serve", "--store", place, "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", folder=tmp_path
        )
        assert (done.returncode, "is ready" in done.stdout) == (code, False)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("PRAGMA user_version = 99; CREATE TABLE ledger (a)", "written by a newer ragvigil (schema 99)"),
        ("CREATE TABLE ledger (a)", "holds tables that are not ragvigil's; name another file"),
    ],
)
def test_a_store_that_is_not_ours_is_refused_before_anything_is_acknowledged(
    tmp_path: Path, sql: str, problem: str
) -> None:
    """It said that it was ready, took spans and ended; commands that read showed a newer store as if they knew it."""
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.executescript(sql)
    own = ("--store", "other.db", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    for arguments in (("serve", *own), ("status", "--store", "other.db")):
        done = ragvigil(*arguments, folder=tmp_path)
        assert (done.returncode, "is ready" in done.stdout) == (3, False)
        assert f"other.db (in {tmp_path}): {problem}" in done.stderr


@pytest.mark.parametrize("command", ["check-config", "serve"])
@pytest.mark.parametrize("named", [["--config", "r.toml"], ["r.toml"]])
def test_a_pattern_that_explodes_is_refused_before_anything_is_acknowledged(
    command: str, named: list[str], tmp_path: Path
) -> None:
    """It would hold up all scoring; both commands take the file both ways."""
    (tmp_path / "r.toml").write_text('[citations.shop]\npatterns = ["~((?:a+)+)!"]\n')
    addresses = [] if command == "check-config" else ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    done = ragvigil(command, *named, *addresses, folder=tmp_path)
    assert (done.returncode, "is ready" in done.stdout) == (2, False)
    assert "citations.shop.patterns" in done.stderr


@pytest.mark.parametrize("command", ["check-config", "serve"])
def test_two_configuration_files_are_not_guessed_between(command: str, tmp_path: Path) -> None:
    """One by --config and another beside it."""
    done = ragvigil(command, "a.toml", "--config", "b.toml", folder=tmp_path)
    assert (done.returncode, "b.toml is another file than a.toml" in done.stderr) == (2, True)


def test_bytes_that_are_no_text_refuse_their_row_alone(tmp_path: Path) -> None:
    """One bad export must not cost the others; a byte order mark is no fault."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b'\n{"answer": "\xff\xfe"}\n')
    done = ragvigil("score", str(path), "--json")
    good, bad = map(json.loads, done.stdout.splitlines())
    assert (good["passed"], "error" in bad, done.returncode) == (True, True, 1)


def test_a_file_that_is_not_there_is_exit_code_2(tmp_path: Path) -> None:
    """For read and score alike."""
    for command in ("read", "score"):
        done = ragvigil(command, str(tmp_path / "none.jsonl"))
        assert (done.returncode, "none.jsonl" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '[forward.me]\nurl = "http://127.0.0.1:4318"\n',
            "forward.me.url: 127.0.0.1:4318 is this scorer itself",
        ),
        ('dialects = ["mine.py"]\n', "read returned dict (it returns a ragvigil.scorer.dialects.Reading)"),
        ('[custom_checks.long]\nexpression = "len(documents) > 3"\n', "documents is a number"),
        ('[content]\nhook = "no_such_rules:cut"\n', "no_such_rules:cut: ModuleNotFoundError: No module"),
        ('[content]\nhook = "json:cut"\n', "json:cut: AttributeError: module 'json' has no"),
        ('[content]\nhook = "json:decoder"\n', "json:decoder is no function"),
        (
            '[receive]\ngrpc = "127.0.0.1:4318"\n',
            "receive.http: 127.0.0.1:4318 is where receive.grpc listens",
        ),
    ],
)
def test_check_config_refuses_what_serve_does_and_what_always_fails(
    tmp_path: Path, text: str, problem: str
) -> None:
    """It said ok, and `serve` ended with the error, or every record had it."""
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    name = 'mine'\n    def matches(self, span):\n        return True\n"
        "    def read(self, span):\n        return {'query': span.name}\n"
    )
    (tmp_path / "ragvigil.toml").write_text(text)
    done = ragvigil("check-config", str(tmp_path / "ragvigil.toml"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert problem in done.stderr


@pytest.mark.parametrize(
    ("text", "problem"), [("\n", "holds no row"), ("nonsense\n[1]\n", "none of its 2 rows")]
)
def test_score_of_a_file_without_a_row_that_can_be_read_is_exit_code_2(
    tmp_path: Path, text: str, problem: str
) -> None:
    """An empty file was a green build; `read` and `explain` end so, too."""
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    done = ragvigil("score", str(path))
    assert done.returncode == 2
    assert problem in done.stderr


def test_score_says_once_that_a_file_is_packed_and_of_a_line_that_it_is_no_utf8(tmp_path: Path) -> None:
    """A packed one had a line of noise for each of its line ends, and an accent was half of a surrogate pair."""
    path = tmp_path / "rows.json"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode() * 50))
    done = ragvigil("score", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ragvigil: {path}: is packed with gzip; unpack it first, as with gunzip\n"
    path.write_bytes('{"id": 1, "query": "\u00e9", "evidence": [], "answer": "No."}\n'.encode("latin-1"))
    assert f"{path}, line 1: cannot be read as text; save it as UTF-8" in ragvigil("score", str(path)).stdout


def test_score_shows_no_line_that_is_wider_than_a_screen() -> None:
    """Forty values stood on one."""
    done = ragvigil("score", "-", text=json.dumps(ROW))
    head, *checks = done.stdout.splitlines()
    assert re.fullmatch(r"r1: supported, faithfulness [01]\.\d\d", head)
    assert len(checks) > 3
    assert max(map(len, checks)) <= 120
    assert all(line.startswith("  ") for line in checks)


def test_what_check_config_prints_is_toml_that_says_the_same(tmp_path: Path) -> None:
    """A key with a dot was no key, and null is no word of TOML."""
    path = tmp_path / "ragvigil.toml"
    path.write_text('[filters.drill]\nspan = {"user.id" = ["us\u00e9r19"]}\n')
    shown = ragvigil("check-config", str(path)).stdout.splitlines()[1:-1]
    assert shown
    assert tomllib.loads("\n".join(shown))["filters"]["drill"]["span"] == {"user.id": ["us\u00e9r19"]}
    path.write_text("\n".join(shown))
    assert ragvigil("check-config", str(path)).stdout.splitlines()[1:-1] == shown


def test_mark_in_a_folder_without_a_store_leaves_nothing_there(tmp_path: Path) -> None:
    """It made an inbox there and waited for a scorer that never came."""
    done = ragvigil("mark", "hi", "--http", "127.0.0.1:9", folder=tmp_path)
    assert done.returncode == 3
    assert (
        f"ragvigil.db (in {tmp_path}) is no scorer's store; name it with --config or --store" in done.stderr
    )
    assert list(tmp_path.iterdir()) == []


def test_bench_checks_without_a_label_is_an_error_that_says_what_lacks(tmp_path: Path) -> None:
    """It was "0 answers", and exit code 0."""
    (tmp_path / "mine.jsonl").write_text(json.dumps(ROW))
    done = ragvigil("bench-checks", str(tmp_path), "--draws", "0")
    assert done.returncode == 2
    assert "holds no row with answer, evidence and label" in done.stderr
