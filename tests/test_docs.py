"""What any page names is there: pages and their headings, settings, variables, metrics, files."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.gate.load import load_gate
from ragvigil.scorer.metrics.names import DEFINITIONS
from tests.scorer.settings_tree import every_setting

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
SOURCES = "\n".join(
    path.read_text() for room in ("scorer", "tracer") for path in sorted((ROOT / room).rglob("*.py"))
)
every_page = pytest.mark.parametrize("page", PAGES, ids=[str(one.relative_to(ROOT)) for one in PAGES])


def anchors(page: Path) -> set[str]:
    """Where a link into the page may point: its headings, as forges name them, and what it names itself."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)"', page.read_text()))


def leads_nowhere(page: Path, link: str) -> bool:
    """Whether a link of the page, which is no web address, leads to no file or to no heading of one."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return not target.exists() or (bool(anchor) and anchor not in anchors(target))


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    """Pages are renamed, and headings more often."""
    links = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", page.read_text()))
    assert [link for link in links if "://" not in link and leads_nowhere(page, link)] == []


@every_page
def test_every_page_that_is_named_is_a_link(page: Path) -> None:
    """A reader cannot click on `docs/x.md`. The changelog is also read as release notes, where links lead elsewhere."""
    if page.name == "CHANGELOG.md":
        return
    text = re.sub(r"\[[^\]]*\]\([^)]*\)", "", CODE.sub("", BLOCK.sub("", page.read_text())))
    names = re.findall(r"(?<![\w/.-])(?:docs/)?([a-z-]+\.md)\b", text)
    assert [name for name in names if (ROOT / "docs" / name).exists()] == []


def test_a_link_that_leads_nowhere_is_seen() -> None:
    """Else the test above would pass whatever there is."""
    page = ROOT / "docs" / "judge.md"
    assert leads_nowhere(page, "missing.md")
    assert leads_nowhere(page, "checks.md#missing")
    assert not leads_nowhere(page, "checks.md#grounded_answer")


PLACES = list(every_setting())
KEYS = {".".join(place[:last]) for place in PLACES for last in range(1, len(place) + 1)}
SECTIONS = {place[0] for place in PLACES if len(place) > 1 and place[1] != "x" and place[0] != "channels"}
"""Those whose keys are ours, not names of the operator's."""


def keys_in(page: str) -> set[str]:
    """What looks like a setting with its section; files and a judge's scores, which have such names too, are none."""
    named = (re.match(r"([a-z]+(?:\.[a-z_]+)+)(?: ?=|$)", code) for code in CODE.findall(BLOCK.sub("", page)))
    found = {match[1] for match in named if match and match[1].partition(".")[0] in SECTIONS}
    return {key for key in found if not key.endswith(".json") and f'"{key}"' not in SOURCES}


@every_page
def test_every_setting_is_one(page: Path) -> None:
    """A renamed setting would leave readers with an unknown key."""
    assert sorted(keys_in(page.read_text()) - KEYS) == []


@every_page
def test_every_variable_is_read_by_something(page: Path) -> None:
    """Of the environment: a setting by its other name, or one that the code names."""
    named = set(re.findall(r"\bRAGVIGIL_[A-Z_]*[A-Z]", page.read_text()))
    keys = {name: name.removeprefix("RAGVIGIL_").lower().replace("__", ".") for name in named}
    chosen = ("channels.", "forward.", "export.")
    assert [
        name
        for name, key in keys.items()
        if key not in KEYS and not key.startswith(chosen) and f'"{name}"' not in SOURCES
    ] == []


@every_page
def test_every_metric_is_one(page: Path) -> None:
    """A rule over a metric that is no more never fires."""
    named = re.findall(r"\bragvigil_[a-z_]*[a-z](?:_\*)?", page.read_text())
    assert [one for one in named if not fnmatch.filter(DEFINITIONS, one)] == []


def test_settings_variables_and_metrics_are_found() -> None:
    """Else the tests above would look at nothing."""
    text = "".join(page.read_text() for page in PAGES)
    assert {"judge.max_jobs", "sample.minimum_per_day", "retention.content_days"} <= keys_in(text)
    assert keys_in("`judge.max_job = 3` and `judge.six_axes`") == {"judge.max_job"}
    assert "RAGVIGIL_DISABLED" in text
    assert "ragvigil_sample_factor_ratio" in text


def configurations(page: Path) -> list[str]:
    """What the page shows of a configuration file; as `text` where it needs files that only the reader has."""
    shown = re.findall(r"^```(?:toml|text)\n(\[.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    return [text for text in shown if re.match(r"\[+[a-z_.]+\S*\] *(#.*)?\n", text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=f"{page.name} {number}")
        for page in PAGES
        for number, text in enumerate(configurations(page))
    ],
)
def test_every_configuration_can_be_used(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands, with the secrets that the page says come from the environment or a file."""
    secret = tmp_path / "secret"
    secret.write_text("https://example.com/0123456789abcdef")
    usual = load()
    path = tmp_path / "ragvigil.toml"
    path.write_text(re.sub(r"/run/secrets/[\w-]+", str(secret), text))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", *re.findall(r"RAGVIGIL_[A-Z_]*[A-Z]", text)):
        monkeypatch.setenv(name, "0123456789abcdef" * 2)
    if re.search(r"^\[(limits|scenarios)\]", text, re.MULTILINE):
        (tmp_path / "gold.jsonl").write_text(GOLD)
        load_gate(path)
        return
    assert load(path) != usual


GOLD = '{"truth": 1, "verdict": 1, "cheap": 0.9}\n{"truth": 0, "verdict": 0, "cheap": 0.1}\n' * 10


@every_page
def test_every_extra_is_one(page: Path) -> None:
    """pip warns of an unknown extra and installs nothing for it."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"\bragvigil\[([a-z,]+)\]", page.read_text())
    assert [extra for extras in named for extra in extras.split(",") if extra not in known] == []


def tails() -> set[str]:
    """Every file of the repository, by its path from any folder on."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    parts = [name.split("/") for name in listed.stdout.split("\0") if name]
    return {"/".join(one[first:]) for one in parts for first in range(len(one))}


@every_page
def test_every_file_is_there(page: Path) -> None:
    """Of code, and what stands in a folder; `examples/FOLDER` is the reader's choice, the inbox a scorer's."""
    words = {
        word.strip("(),:") for code in CODE.findall(BLOCK.sub("", page.read_text())) for word in code.split()
    }
    named = {
        word
        for word in words
        if re.fullmatch(r"[\w.-]+\.py|[\w-]+(/[\w.-]+)+\.(py|jsonl?|txt|toml|yml)", word)
        and not word.startswith(("ragvigil-inbox/", "examples/FOLDER/"))
    }
    assert sorted(named - tails()) == []
