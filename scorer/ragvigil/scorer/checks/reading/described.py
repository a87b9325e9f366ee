"""What a passage says of itself: its titles, addresses, files, authors, and the document it is a part of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import cast

from ragvigil.scorer.trace import Document

_TITLE_KEYS = ("title", "name", "file_name", "filename", "document_title")
AUTHOR_KEYS = ("author", "authors", "creator", "creators", "byline", "publisher")
_DATE_KEYS = ("year", "date", "published", "publication_date", "published_at", "citation")
ADDRESS_KEYS = ("url", "uri", "source", "link", "href", "path", "file", "file_path", "source_url")
_FILE_KEYS = (
    *(
        "filepath",
        "source_uri",
        "sourceurl",
        "sourcefile",
        "source_file",
        "sourcepage",
        "object_key",
        "s3_uri",
        "gcs_uri",
    ),
    *("metadata_storage_path", "x-amz-bedrock-kb-source-uri"),
)
"""More keys for where a passage comes from, of Azure's, Amazon's and Google's samples; no links are judged by them."""
_NAME_KEYS = frozenset(
    (*("document_name", "documentName", "doc_name", "display_name", "displayName", "metadata_storage_name"),)
)
"""More keys for the name of a passage's document, a file or several words."""
_HEADING_KEYS = frozenset(("heading", "header", "section", "section_title"))
_NESTED_KEYS = frozenset(
    (
        *("metadata", "source", "source_metadata", "location", "loc", "s3Location", "webLocation"),
        *("confluenceLocation", "sharePointLocation", "structData", "derivedStructData"),
    )
)
"""Keys under which samples keep more of what they say of a passage."""
_ALL_ADDRESSES = frozenset(ADDRESS_KEYS) | frozenset(_FILE_KEYS)
_ALL_TITLES = frozenset(_TITLE_KEYS)
_ALL_NAMES = _ALL_ADDRESSES | _ALL_TITLES | _NAME_KEYS
_MOST_NESTED, _MOST_FOLDERS = 8, 4
_DOCUMENT_KEYS = ("doc_id", "document_id", "source_id", "parent_id")
_FILE = re.compile(r"[^/\\]{1,200}\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
"""The name of a file, without its folders."""
_FILE_OF_A_CHUNK = re.compile(
    r"(?:\A|[/\\])([^/\\]{1,200}?\.(?:pdf|docx?|xlsx?|pptx?|mdx?|txt|html?|csv|jsonl?|rtf|odt|rst|eml|adoc|epub|ipynb|"
    r"tex|xml|ya?ml|tsv|py|java|ts|go|rs|sql))(?=[#:_@/| -].)",
    re.IGNORECASE,
)
"""The name of a document's file at the beginning of the id of a chunk or a page; `Node.js` is none."""
_TRACKING = re.compile(r"(?:utm_\w{1,20}|fbclid|gclid|ref_src)=[^&]{0,200}(?:&|\Z)")
"""What assistants and advertisers add to an address."""
_LONGEST_ABOUT = 1000
_CHUNK_MARKS = ("#", "::", "/chunk", ":", "@")
_CHUNK = re.compile(
    r"[-_.](?:chunk|part|page|sec|section|p|v|rev)[-_.]?\d{1,6}(?:\.\d{1,3}){0,2}\Z", re.IGNORECASE
)
"""How an id of a chunk, a page or a version of a document ends."""


def documents_of(document: Document) -> list[str]:
    """Ids of the document of which this passage is a chunk."""
    named = (
        [value for key in _DOCUMENT_KEYS if isinstance(value := document.metadata.get(key), str) and value]
        if document.metadata
        else []
    )
    name = document.id or ""
    cut = [name.rpartition(mark)[0] for mark in _CHUNK_MARKS if mark in name[1:]][:1]
    if not cut and (chunk := _CHUNK.search(name)) is not None:
        cut = [name[: chunk.start()]]
    return [base.casefold() for base in (*named, *cut) if base and base != name]


def facts_of(document: Document) -> Sequence[Mapping[str, object]]:
    """Its metadata, and what they hold within, as ``location: {s3Location: {uri: …}}``.

    >>> len(facts_of(Document("a", None, metadata={"location": {"s3Location": {"uri": "s3://b/c.pdf"}}})))
    3
    """
    found: list[Mapping[str, object]] = [document.metadata]
    for facts in found:
        if len(found) < _MOST_NESTED:
            found += [
                cast("Mapping[str, object]", value)
                for key, value in facts.items()
                if key in _NESTED_KEYS and isinstance(value, dict)
            ]
    return found


def _values(document: Document, keys: frozenset[str]) -> list[str]:
    if not document.metadata:
        return []
    return [
        value
        for facts in facts_of(document)
        for key, value in facts.items()
        if key in keys and isinstance(value, str) and value
    ]


def addresses_of(document: Document) -> list[str]:
    values = _values(document, _ALL_ADDRESSES)
    if document.id and "://" in document.id:
        values.append(document.id)
    return [normal_address(value) for value in values]


def file_names_of(document: Document) -> list[str]:
    """The names of the file that a passage is from: alone, and behind some of its folders.

    >>> file_names_of(Document("a", None, metadata={"source": "data/book.pdf"}))
    ['book.pdf', 'data/book.pdf']
    >>> [file_names_of(Document(one, None)) for one in ("book.pdf:6:2", "Node.js#3")]
    [['book.pdf'], []]
    """
    values = _values(document, _ALL_NAMES)
    identity = document.id or ""
    if "/" in identity:
        values += [identity, *documents_of(document)]
    if "." in identity and (chunk := _FILE_OF_A_CHUNK.search(identity)):
        values.append(identity[: chunk.end(1)])
    names: list[str] = []
    for value in values:
        names += _file_names_in(value) if "." in value else ()
    if "/" in identity and "." in identity:
        names.append(identity.rpartition("/")[2].casefold())
    return list(dict.fromkeys(names))


def _file_names_in(value: str) -> list[str]:
    """The name of the file at the end of `value`, a path or an address, alone and behind its folders."""
    marked = [value.partition(mark)[0] for mark in ("#", "?") if mark in value]
    for bare in (value, *marked):
        if file := _FILE.search(bare):
            name, folders = file[0].casefold(), bare[: file.start()].casefold()
            return [name, *_within(name, [one for one in folders.replace("\\", "/").split("/") if one])]
    return []


def _within(file: str, folders: Sequence[str]) -> list[str]:
    names: list[str] = []
    for folder in folders[: -_MOST_FOLDERS - 1 : -1]:
        if folder.endswith(":") or folder == ".":
            break
        file = f"{folder}/{file}"
        names.append(file)
    return names


def titles_of(document: Document) -> list[str]:
    if not document.metadata:
        return []
    names = _values(document, _ALL_TITLES)
    names += [one for one in _values(document, _NAME_KEYS) if " " in one or _FILE.search(one)]
    return [name.casefold() for name in names if len(name) > 3]


def headings_of(document: Document) -> list[str]:
    """The headings above a passage, of several words: one word may as well be any other in brackets."""
    return [value for value in _values(document, _HEADING_KEYS) if " " in value.strip()]


def description_of(document: Document) -> str:
    values = [document.metadata.get(key) for key in (*AUTHOR_KEYS, *_DATE_KEYS, *_TITLE_KEYS)]
    return " ".join((*(str(value) for value in values if value), document.id or ""))[:_LONGEST_ABOUT]


def folded_word(word: str) -> str:
    """Case, accents and German spelling set aside.

    >>> folded_word("Müller") == folded_word("Mueller"), folded_word("García")
    (True, 'garcia')
    """
    plain = "".join(
        one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one)
    )
    return plain.replace("ue", "u").replace("oe", "o").replace("ae", "a")


def normal_address(address: str) -> str:
    bare = address.strip(" <>").partition("#")[0].casefold()
    if "?" in bare and "=" in bare:
        bare = _TRACKING.sub("", bare).rstrip("?&")
    bare = bare.rstrip("/")
    return bare.removeprefix("https://").removeprefix("http://").removeprefix("www.")
