"""The retrieved passages by every name under which an answer may cite them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Self

from ragvigil.scorer.checks.reading.citing.lists import is_aside
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import Document

_TITLE_KEYS = ("title", "name", "file_name", "filename", "document_title")
_AUTHOR_KEYS = ("author", "authors", "creator", "creators", "byline", "publisher")
_DATE_KEYS = ("year", "date", "published", "publication_date", "published_at", "citation")
_ADDRESS_KEYS = ("url", "uri", "source", "link", "href", "path", "file", "file_path", "source_url")
_PAGE_KEYS = ("page", "page_number", "page_label")
_DOCUMENT_KEYS = ("doc_id", "document_id", "source_id", "parent_id")
_NAME = re.compile(r"[^\W\d_]{2,40}")
_TELLABLE = re.compile(r"(?=\S{3,200}\Z)(?=[\W\d_]*[^\W\d_])(?:\D*\d|\S*\w\.[a-z]{2,5}\Z)")
_FILE = re.compile(r"[^/\\]{1,200}\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
"""The name of a file, without its folders."""
_TRACKING = re.compile(r"(?:utm_\w{1,20}|fbclid|gclid|ref_src)=[^&]{0,200}(?:&|\Z)")
"""What assistants and advertisers add to an address."""
_OPENING = 200
_LONGEST_ABOUT = 1000
_CHUNK_MARKS = ("#", "::", "/chunk", ":", "@")
_DIGITS = re.compile(r"\d+")
_RUNS = re.compile(r"[A-Z]+[a-z]+|[A-Z]+|[^\W\d_]+|\d+")
_WRITTEN = re.compile(r"[^\W_]+")
_LETTERS_AND_DIGITS = re.compile(r"(?=\D*\d)(?=[\W\d_]*[^\W\d_])\S{4,60}\Z")
_TIME_OR_DATE = re.compile(r"\d{1,4}(?:[:./-]\d{1,4}){1,3}\Z")
_CHARACTER_RANGE = re.compile(r"\^?(?:\w-\w){1,4}\W?\Z")
_ID_PREFIX = re.compile(
    r"(?:doc|document|source|src|chunk|passage|ref|kb|file|page|id|node|text|article)[-_:#.]?[\w.-]{0,40}\d",
    re.IGNORECASE,
)
_UNIQUE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z|(?=\D*\d)[0-9a-f]{12,64}\Z",
    re.IGNORECASE,
)


class Passages:
    """Look-ups over the passages of one record, each made when it is first asked.

    Of two passages with one name the first counts; one without an id is named by its rank, ``#3``.
    """

    def __init__(self, documents: Sequence[Document], counts_from: int = 1) -> None:
        self.counts_from = counts_from
        """How the answer numbers the first passage: 1, or 0 as many prompts do."""
        self._sources = documents
        self._names = [(name_of(document), document) for document in reversed(documents)]

    @classmethod
    def of(cls, documents: Sequence[Document], counts_from: int = 1) -> Self:
        """The look-ups of `documents`, of which the answer calls the first `counts_from`, 0 or 1."""
        return cls(documents, counts_from)

    @made_once
    def _ids(self) -> Mapping[str, str]:
        return {document.id: name for name, document in self._names if document.id}

    @made_once
    def _folded(self) -> Mapping[str, str]:
        return {document.id.casefold(): name for name, document in self._names if document.id}

    @made_once
    def _ranks(self) -> Mapping[int, str]:
        return {document.rank: name for name, document in self._names}

    @made_once
    def _documents(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for document in self._sources:
            for base in _bases(document):
                found.setdefault(base, []).append(name_of(document))
        return found

    @made_once
    def _addresses(self) -> Mapping[str, str]:
        return {address: name for name, document in self._names for address in _addresses(document)}

    @made_once
    def _files(self) -> Mapping[str, list[Document]]:
        found: dict[str, list[Document]] = {}
        for document in self._sources:
            for name in _file_names(document):
                found.setdefault(name, []).append(document)
        return found

    @made_once
    def _shapes(self) -> frozenset[str]:
        return frozenset(_shape(document.id) for _, document in self._names if document.id)

    @made_once
    def _stems(self) -> frozenset[str]:
        return frozenset(_stem(document.id) for _, document in self._names if document.id)

    @made_once
    def _titles(self) -> Mapping[str, str]:
        return {title: name for name, document in self._names for title in _titles(document)}

    @property
    def ids(self) -> Sequence[str]:
        """Their ids, without those that have none."""
        return tuple(self._ids)

    @property
    def count(self) -> int:
        """How many passages there are."""
        return len(self._ranks)

    def told_in(self, prose: str) -> list[str]:
        """Ids in `prose` that running text can hold only as a citation: with digit and letter, or a file's ending."""
        return [one for one in self._ids if one in prose and _TELLABLE.match(one)]

    def tell_of(self, name: str) -> bool:
        """Whether the text of any of them holds `name`: then it is a thing that they speak of.

        >>> known = Passages.of([Document("dock", "The dock SKU-9912 costs 90 euros.")])
        >>> known.tell_of("SKU-9912"), known.tell_of("SKU-9913")
        (True, False)
        """
        return any(name in (document.text or "") for document in self._sources)

    @property
    def has_addresses(self) -> bool:
        """Whether any passage says where it comes from."""
        return bool(self._addresses)

    def by_id(self, text: str) -> str | None:
        """The passage with this id, case set aside where that is needed."""
        return self._ids.get(text) or self._folded.get(text.casefold())

    def by_rank(self, rank: int) -> str | None:
        """The passage that the answer calls so, counting from 1 or from 0."""
        return self._ranks.get(rank + 1 - self.counts_from)

    def by_place(self, place: int) -> str | None:
        """The passage at this 0-based place."""
        return self._ranks.get(place + 1)

    def by_document(self, text: str) -> list[str]:
        """The chunks of the document with this id."""
        return self._documents.get(text.casefold(), [])

    def by_title(self, text: str) -> str | None:
        """The passage with this title."""
        return self._titles.get(text.casefold()) if self._titles else None

    def by_file(self, text: str, page: str | None = None) -> list[str]:
        """The passages from the file of this name, of that page where passages tell theirs; its folders set aside.

        >>> one, two = (Document(f"c{page}", None, metadata={"source": "hr/book.pdf", "page": page}) for page in (3, 4))
        >>> known = Passages.of([one, two])
        >>> known.by_file("Book.pdf"), known.by_file("book.pdf", "4"), known.by_file("book")
        (['c3', 'c4'], ['c4'], [])
        """
        if "." not in text or not self._files:
            return []
        found = self._files.get(text.casefold(), [])
        there = [one for one in found if page in {str(one.metadata.get(key)) for key in _PAGE_KEYS}]
        return [name_of(document) for document in there or found]

    @property
    def has_authors(self) -> bool:
        """Whether any passage says who wrote it."""
        return any(key in document.metadata for document in self._sources for key in _AUTHOR_KEYS)

    def by_author(self, surnames: Sequence[str], year: str) -> str | None:
        """The passage by the first of `surnames` of that year: by its metadata, title, id or opening words."""
        wanted = {_folded(surname) for surname in surnames[:1]}
        for document in self._sources:
            for about in (_about(document), (document.text or "")[:_OPENING]):
                if year in about and wanted and wanted <= {_folded(word) for word in _NAME.findall(about)}:
                    return name_of(document)
        return None

    def kindred(self, text: str) -> bool:
        """Whether `text` is no known id but differs from one only in its last number.

        >>> known = Passages.of([Document("PROJ-77", None)])
        >>> known.kindred("PROJ-81"), known.kindred("PROJ-77"), known.kindred("UTF-8")
        (True, False, False)
        """
        return (
            text[-1:].isdigit()
            and self.by_id(text) is None
            and _stem(text) in self._stems
            and _TELLABLE.match(text) is not None
        )

    @made_once
    def _unnumbered(self) -> frozenset[str]:
        return frozenset(
            _DIGITS.sub("0", document.id.casefold()) for _, document in self._names if document.id
        )

    @property
    def has_brackets(self) -> bool:
        """Whether any id holds square brackets itself, as ``chunk[3]`` does."""
        return any("[" in one for one in self._ids)

    def sibling(self, text: str) -> bool:
        """Whether `text`, not an id itself, differs from one in its numbers alone.

        >>> known = Passages.of([Document("doc:1:chunk:2", None)])
        >>> known.sibling("doc:9:chunk:1"), known.sibling("doc:1:chunk:2"), known.sibling("doc:9"), known.sibling("7")
        (True, False, False, False)
        """
        return (
            not text.isdigit()
            and self.by_id(text) is None
            and _DIGITS.sub("0", text.casefold()) in self._unnumbered
        )

    def by_address(self, text: str) -> str | None:
        """The passage that comes from this address."""
        return self._addresses.get(_normal(text))

    def mentioned(self, text: str) -> str | None:
        """The passage whose id is one of the words of `text`."""
        words = (word.strip(".,;()<>[]\"'") for word in text.split())
        return next((found for word in words if (found := self.by_id(word) or self.by_address(word))), None)

    @made_once
    def _moulds(self) -> frozenset[str]:
        return frozenset(mould(document.id) for _, document in self._names if document.id)

    def written_alike(self, text: str) -> bool:
        """Whether a word with letters and digits has the separators and the case of a known id, which it is not.

        >>> known = Passages.of([Document("kettle-price", None)])
        >>> [known.written_alike(text) for text in ("garden-65", "COVID-19", "K12", "well-known", "kettle-price")]
        [True, False, False, False, False]
        """
        return (
            _LETTERS_AND_DIGITS.match(text) is not None
            and self.by_id(text) is None
            and (alike := mould(text)) in self._moulds
            and len(alike) > 1
        )

    def resembles(self, text: str) -> bool:
        """Whether `text` has the shape of an id, although no passage has it; one letter has where none is known.

        >>> known = Passages.of([Document("doc-3", None)])
        >>> [known.resembles(text) for text in ("doc-9", "kb_guide#4", "COVID-19", "sic", "12:30", "a-z", "see above")]
        [True, True, False, False, False, False, False]
        """
        if not text or len(text) > 200 or any(character.isspace() for character in text):
            return False
        if _TIME_OR_DATE.match(text) or _CHARACTER_RANGE.match(text):
            return False
        alike = _shape(text) in self._shapes
        if is_aside(text) and not (alike and any(map(str.isdigit, text))):
            return False
        if text.isalpha():
            return len(text) == 1 and text.isascii() and not self._ranks
        return alike or _UNIQUE.match(text) is not None or _ID_PREFIX.match(text) is not None or _marked(text)


def name_of(document: Document) -> str:
    """The name under which results mention a passage: its id, else its rank.

    >>> name_of(Document(None, "text", rank=3))
    '#3'
    """
    return document.id or f"#{document.rank}"


def _bases(document: Document) -> list[str]:
    """Ids of the document of which this passage is a chunk."""
    named = (
        [value for key in _DOCUMENT_KEYS if isinstance(value := document.metadata.get(key), str) and value]
        if document.metadata
        else []
    )
    name = document.id or ""
    cut = [name.rpartition(mark)[0] for mark in _CHUNK_MARKS if mark in name[1:]][:1]
    return [base.casefold() for base in (*named, *cut) if base and base != name]


def _addresses(document: Document) -> list[str]:
    metadata = document.metadata
    values = [metadata.get(key) for key in _ADDRESS_KEYS] if metadata else []
    if document.id and "://" in document.id:
        values.append(document.id)
    return [_normal(value) for value in values if isinstance(value, str) and value]


def _file_names(document: Document) -> list[str]:
    if not document.metadata:
        return []
    values = [document.metadata.get(key) for key in (*_ADDRESS_KEYS, *_TITLE_KEYS)]
    found = [_FILE.search(value) for value in values if isinstance(value, str)]
    return list(dict.fromkeys(match[0].casefold() for match in found if match))


def _titles(document: Document) -> list[str]:
    if not document.metadata:
        return []
    values = [document.metadata.get(key) for key in _TITLE_KEYS]
    return [value.casefold() for value in values if isinstance(value, str) and len(value) > 3]


def _about(document: Document) -> str:
    values = [document.metadata.get(key) for key in (*_AUTHOR_KEYS, *_DATE_KEYS, *_TITLE_KEYS)]
    return " ".join((*(str(value) for value in values if value), document.id or ""))[:_LONGEST_ABOUT]


def _folded(word: str) -> str:
    """Case, accents and German spelling set aside.

    >>> _folded("Müller") == _folded("Mueller"), _folded("García")
    (True, 'garcia')
    """
    plain = "".join(
        one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one)
    )
    return plain.replace("ue", "u").replace("oe", "o").replace("ae", "a")


def _stem(identifier: str) -> str:
    """An id without its last number.

    >>> _stem("doc-3#12")
    'doc-3#'
    """
    return identifier.rstrip("0123456789").casefold()


def _normal(address: str) -> str:
    bare = address.strip(" <>").partition("#")[0].casefold()
    if "?" in bare and "=" in bare:
        bare = _TRACKING.sub("", bare).rstrip("?&")
    bare = bare.rstrip("/")
    return bare.removeprefix("https://").removeprefix("http://").removeprefix("www.")


def _shape(identifier: str) -> str:
    """Runs of letters and digits in one character each, separators as they are; a bare number keeps its length.

    >>> _shape("doc-12#3"), _shape("COVID-19"), _shape("GuideBook_7"), _shape("2019")
    ('a-0#0', 'A-0', 'CC_0', '0000')
    """
    if identifier.isdigit():
        return "0" * min(len(identifier), 32)
    return _RUNS.sub(_run, identifier[:200])


def _run(match: re.Match[str]) -> str:
    run = match[0]
    if run[0].isdigit():
        return "0"
    return "a" if run.islower() else "A" if run.isupper() else "C" if run[0].isupper() else "a"


def mould(identifier: str) -> str:
    """What ids written alike have in common: their separators, each once, and the case of their letters.

    >>> mould("kettle-price"), mould("garden-65"), mould("COVID-19"), mould("K12")
    ('a-', 'a-', 'A-', 'A')
    """
    case = "a" if identifier == identifier.lower() else "A" if identifier == identifier.upper() else "C"
    return case + "".join(sorted(set(_WRITTEN.sub("", identifier))))


def _marked(text: str) -> bool:
    """Whether `text` has a separator that prose does not use, between letters or digits."""
    return any(mark in text[1:-1] for mark in ("#", "_", "::")) and text[0].isalnum() and "=" not in text
