"""What a passage says of itself: its titles, addresses, files, authors, and the document it is a part of."""

from __future__ import annotations

import re
import unicodedata

from ragvigil.scorer.trace import Document

_TITLE_KEYS = ("title", "name", "file_name", "filename", "document_title")
AUTHOR_KEYS = ("author", "authors", "creator", "creators", "byline", "publisher")
_DATE_KEYS = ("year", "date", "published", "publication_date", "published_at", "citation")
ADDRESS_KEYS = ("url", "uri", "source", "link", "href", "path", "file", "file_path", "source_url")
_DOCUMENT_KEYS = ("doc_id", "document_id", "source_id", "parent_id")
_FILE = re.compile(r"[^/\\]{1,200}\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
"""The name of a file, without its folders."""
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


def addresses_of(document: Document) -> list[str]:
    metadata = document.metadata
    values = [metadata.get(key) for key in ADDRESS_KEYS] if metadata else []
    if document.id and "://" in document.id:
        values.append(document.id)
    return [normal_address(value) for value in values if isinstance(value, str) and value]


def file_names_of(document: Document) -> list[str]:
    metadata = document.metadata
    values = [metadata.get(key) for key in (*ADDRESS_KEYS, *_TITLE_KEYS)] if metadata else []
    if document.id and "/" in document.id:
        values += [document.id, *documents_of(document)]
    found = [_FILE.search(value) for value in values if isinstance(value, str)]
    names = [match[0].casefold() for match in found if match]
    if document.id and "/" in document.id and "." in document.id:
        names.append(document.id.rpartition("/")[2].casefold())
    return list(dict.fromkeys(names))


def titles_of(document: Document) -> list[str]:
    if not document.metadata:
        return []
    values = [document.metadata.get(key) for key in _TITLE_KEYS]
    return [value.casefold() for value in values if isinstance(value, str) and len(value) > 3]


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
