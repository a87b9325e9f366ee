"""Code names: addresses, endpoints, packages, flags and settings that an answer gives and its passages may not have.

Placeholders and examples name nothing, nor does what the answer's own code defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragvigil.scorer.checks.reading.markup import fenced, inline_code

_LONGEST = 200_000
_MOST = 200
_EMAIL = re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24}")
_URL = re.compile(
    r"https?://(?P<host>[^\s/`'\"<>()\[\]|\\,;]{3,100})(?P<path>/[^\s`'\"<>()\[\]|\\,;]{0,200})?"
)
_CALL = re.compile(
    r"(?:(?:GET|POST|PUT|PATCH|DELETE)\s+(?P<path>/\S{1,200})|(?P<bare>/(?:api|v\d{1,2})/\S{1,200}))\Z"
)
_FLAG = re.compile(r"(?P<flag>--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[= ]\S{1,100})?\Z")
_NAME = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9]{0,40}(?:[_.][A-Za-z0-9]{1,40}){1,6}|[a-z]{2,20}(?:[A-Z][a-z0-9]{1,20}){1,4})"
    r"(?:\([^()`]{0,60}\))?(?:\s?[:=]\s?\S{1,60})?\Z"
)
_INSTALL = re.compile(
    r"\b(?P<tool>pip3?|uv|poetry|conda|npm|yarn|pnpm|bun|gem|cargo|composer|brew|apt|apt-get)\s"
    r"(?:pip\s)?(?:install|add|i|require)\s(?:-{1,2}[\w-]+\s){0,4}(?P<package>@?[A-Za-z][\w./-]{1,80})"
)
_FAMILIES = {
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "conda"), "python"),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), "node"),
    **dict.fromkeys(("apt", "apt-get"), "debian"),
}
_PLACEHOLDER = re.compile(
    r"example|localhost|placeholder|your|dummy|sample|changeme|foo|\bbar\b|xxx|\b(?:127|10|192)\.\d|0\.0\.0\.0|[<>{}$*\u2026]|\.\.\.",
    re.IGNORECASE,
)
_EXAMPLE_HOST = re.compile(
    r"\.(?:local|localhost|test|invalid|internal)\b|^(?:my|host|server|domain)\b", re.IGNORECASE
)
_NOBODY = re.compile(
    r"(?:you|your\w*|name|user\w*|me|git|john\S*|jane\S*|someone|first\S*|max\S*|root)@", re.IGNORECASE
)
_OWN = re.compile(r"(?:my|your|some|new|old|test|foo|example)(?:_|(?=[A-Z]))", re.IGNORECASE)
_SECRET = re.compile(r"(?:api_?key|token|secret|password|base_?url|host)$", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:json|ya?ml|toml|ini|cfg|conf|xml|properties|env|lock|gradle|tf|tfstate|txt|md|py|js|ts|sh|html|css)\Z"
)
_COMMON = frozenset(
    (
        *("requirements.txt", "node_modules", "snake_case", "read_only", "utf_8", "lower_case"),
        *("camelCase", "node.js", "vue.js", "next.js", "asp.net", "e.g", "i.e", "process.env", "os.environ"),
        *(
            "console.log",
            "true",
            "false",
            "javaScript",
            "typeScript",
            "gitHub",
            "macOS",
            "iOS",
            "eBay",
            "iPhone",
        ),
        *(
            "--help",
            "--version",
            "--verbose",
            "--force",
            "--global",
            "--save",
            "--save-dev",
            "--upgrade",
            "--user",
        ),
    )
)
_PACKAGES = frozenset(
    (
        "pip",
        "setuptools",
        "wheel",
        "requests",
        "numpy",
        "pandas",
        "python-dotenv",
        "dotenv",
        "axios",
        "express",
        "httpx",
        "flask",
        "fastapi",
    )
)
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_A_PART = re.compile(r"[A-Za-z]{4,}(?:[_-][A-Za-z0-9]+)*")
_STANDARD = frozenset(
    (
        *("os", "sys", "self", "this", "json", "math", "console", "process", "window", "document"),
        *("pd", "np", "df", "plt", "re", "e", "err", "datetime", "response", "resp", "request", "req", "res"),
    )
)


class CodeNames(NamedTuple):
    """What an answer names in code, and as addresses."""

    told: list[str]
    missing: list[str]
    """Those of them that stand nowhere else."""


def may_name(answer: str) -> bool:
    """Whether an answer may name any: a quick first look."""
    return "`" in answer or "@" in answer or "://" in answer


def code_names(answer: str, prose: str, known: str) -> CodeNames:
    """The names in the code of `answer`, and the addresses of it and of its `prose`, beside what is `known`.

    >>> text = "Set `max_retries` or `retry_count`, then write to help@acme.io."
    >>> code_names(text, text, "The value max_retries. Mail: support@acme.io").missing
    ['help@acme.io', 'retry_count']
    """
    passages = known[:_LONGEST].lower()
    plain = _NOT_PLAIN.sub("", passages)
    blocks = [answer[start:end] for start, end in fenced(answer)]
    told: dict[str, bool] = {}
    for name, stands in (
        *_addresses("\n".join((prose, *blocks)), passages, plain),
        *_packages(answer, passages, plain),
    ):
        told.setdefault(name, stands)
    pieces = [*dict.fromkeys(answer[start:end].strip("` ") for start, end in inline_code(answer))][:_MOST]
    own = "\n".join((*blocks, *map(_defining, pieces)))[:_LONGEST]
    for piece in pieces:
        for name, stands in _inline(piece, plain, own):
            told.setdefault(name, stands)
    return CodeNames(list(told), [name for name, stands in told.items() if not stands])


def _defining(piece: str) -> str:
    """What a piece of code tells beside the one name that it is: its arguments, or all of it."""
    found = _NAME.match(piece)
    return piece[found.end("name") :] if found else piece if " " in piece else ""


def _addresses(text: str, passages: str, plain: str) -> Iterator[tuple[str, bool]]:
    for one in _EMAIL.finditer(text) if "@" in text else ():
        if not _PLACEHOLDER.search(one[0]) and not _NOBODY.match(one[0]):
            yield one[0], one[0].lower().rstrip(".") in passages
    for one in _URL.finditer(text) if "://" in text else ():
        host = one["host"].lower().removeprefix("www.").rstrip(".:*_")
        if _PLACEHOLDER.search(host) or _EXAMPLE_HOST.search(host) or "." not in host:
            continue
        yield one[0].rstrip(".:*_"), host in passages and _parts_stand(one["path"] or "", plain)


def _parts_stand(path: str, plain: str) -> bool:
    """Whether each part of a path, but numbers and placeholders, stands somewhere."""
    parts = [part for part in re.split(r"[/?#&]", path) if part and not _PLACEHOLDER.search(part)]
    return all(
        _NOT_PLAIN.sub("", part.lower()) in plain
        for part in parts
        if not part.startswith(":") and "=" not in part and _A_PART.fullmatch(part)
    )


def _packages(answer: str, passages: str, plain: str) -> Iterator[tuple[str, bool]]:
    if "`" not in answer:
        return
    installed: set[tuple[str, str]] | None = None
    for one in _INSTALL.finditer(answer):
        package = one["package"].rstrip(".").lower()
        if package in _PACKAGES or package in _COMMON or _PLACEHOLDER.search(package) or _OWN.match(package):
            continue
        if installed is None:
            installed = {(each["package"].rstrip("."), _family(each)) for each in _INSTALL.finditer(passages)}
        ways = {way for name, way in installed if name == package}
        yield one[0], _NOT_PLAIN.sub("", package) in plain and (not ways or _family(one) in ways)


def _family(install: re.Match[str]) -> str:
    return _FAMILIES.get(install["tool"], install["tool"])


def _inline(code: str, plain: str, own: str) -> Iterator[tuple[str, bool]]:
    """What a piece of code in a line names; `own`: the code of the answer itself."""
    if call := _CALL.match(code):
        path = call["path"] or call["bare"]
        yield code, _parts_stand(path, plain)
    elif flag := _FLAG.match(code):
        if flag["flag"] not in _COMMON:
            yield flag["flag"], _NOT_PLAIN.sub("", flag["flag"]) in plain
    elif found := _NAME.match(code):
        name = found["name"]
        if (
            name in _COMMON
            or name.lower() in _COMMON
            or _OWN.match(name)
            or _SECRET.search(name)
            or name in own
        ):
            return
        if _PLACEHOLDER.search(code) or name.partition(".")[0] in _STANDARD:
            return
        if not _FILE.search(name) or "_" in name:
            yield name, _stands(name, plain)


def _stands(name: str, plain: str) -> bool:
    """Whether a name stands somewhere, in whatever spelling; of one with points the last part does: data.items."""
    if _NOT_PLAIN.sub("", name.lower()) in plain:
        return True
    return (
        not _FILE.search(name)
        and "." in name
        and _NOT_PLAIN.sub("", name.rpartition(".")[2].lower()) in plain
    )
