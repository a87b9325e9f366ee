"""The retrieved passages by every name under which an answer may cite them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self

from ragvigil.scorer.checks.reading.aliases import Aliases
from ragvigil.scorer.checks.reading.citing.lists import is_aside, is_field
from ragvigil.scorer.checks.reading.described import (
    ADDRESS_KEYS,
    AUTHOR_KEYS,
    addresses_of,
    description_of,
    folded_word,
    headings_of,
    normal_address,
    titles_of,
)
from ragvigil.scorer.checks.reading.files import Files
from ragvigil.scorer.checks.reading.identifiers import (
    CHARACTER_RANGE,
    DIGITS,
    ENDING,
    HASH,
    ID_PREFIX,
    IPV6,
    LETTERS_AND_DIGITS,
    SLUG,
    TELLABLE,
    TIME_OR_DATE,
    UNIQUE,
    WORD_AND_NUMBER,
    marked,
    mould,
    shape,
    stem,
)
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import Document

_NAME = re.compile(r"[^\W\d_]{2,40}")
_SITE = re.compile(
    r"www\.|[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|edu|gov|int|io|dev|app|ai|co|eu|uk|de|fr|es|it|nl|br|jp|cn|ru|ch)(?:/|\Z)",
    re.IGNORECASE,
)
"""The beginning of an address on the web without its scheme."""
_SHORTEST_TITLE = 5
_OPENING = 200


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
    def _aliases(self) -> Aliases:
        return Aliases(self._ids)

    @made_once
    def _folded(self) -> Mapping[str, str]:
        return {document.id.casefold(): name for name, document in self._names if document.id}

    @made_once
    def _ranks(self) -> Mapping[int, str]:
        return {document.rank: name for name, document in self._names}

    @made_once
    def _count_themselves(self) -> bool:
        numbers = [int(one) for one in self._ids if one.isdecimal() and len(one) < 4]
        return 1 < len(numbers) == len(self._sources) and max(numbers) <= len(numbers)

    @made_once
    def files(self) -> Files:
        """The passages by what they were cut from."""
        return Files(self._sources)

    @made_once
    def _addresses(self) -> Mapping[str, str]:
        return {address: name for name, document in self._names for address in addresses_of(document)}

    @made_once
    def _shapes(self) -> frozenset[str]:
        return frozenset(shape(document.id) for _, document in self._names if document.id)

    @made_once
    def _stems(self) -> frozenset[str]:
        return frozenset(stem(document.id) for _, document in self._names if document.id)

    @made_once
    def _titles(self) -> Mapping[str, str]:
        return {title: name for name, document in self._names for title in titles_of(document)}

    @made_once
    def titled(self) -> Mapping[str, str]:
        """The passages by their titles_of in small letters, those without a title of several words by such an id."""
        return {one.casefold(): one for one in self._ids if " " in one} | dict(self._titles)

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
        return [one for one in self._ids if one in prose and TELLABLE.match(one)]

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

    @made_once
    def _has_web_addresses(self) -> bool:
        values = [document.metadata.get(key) for _, document in self._names for key in ADDRESS_KEYS]
        values += self._ids
        return any(isinstance(value, str) and ("://" in value or _SITE.match(value)) for value in values)

    def may_come_from(self, address: str) -> bool:
        """Whether a link to `address`, from where no passage comes, would cite: not what a passage itself links to.

        >>> known = Passages.of([Document("https://a.example/1", "Book at https://book.example/now.")])
        >>> [known.may_come_from(f"{one}.example") for one in ("https://b", "https://book", "app://b")]
        [True, False, False]
        """
        return (
            self._has_web_addresses
            and address.startswith(("http://", "https://"))
            and not self.tell_of(address.rstrip("/"))
        )

    def by_path(self, address: str) -> str | None:
        """The passage with its id at the end of `address`, or whose address, with a number at its end, that goes on."""
        above = address.partition("?")[0].rstrip("/").rpartition("/")[0]
        found = self.by_address(above) if above[-1:].isdigit() else None
        return found or self._aliases.at_the_end_of(address)

    def by_id(self, text: str) -> str | None:
        """The passage with this id, case set aside where that is needed."""
        return self._ids.get(text) or self._folded.get(text.casefold())

    def by_alias(self, text: str) -> str | None:
        """The one passage whose id is `text` as models rewrite ids."""
        return self._aliases.of(text)

    def by_rank(self, rank: int) -> str | None:
        """The passage that the answer calls so, counting from 1 or from 0; where ids number the passages, that id."""
        if self._count_themselves:
            return self._ids.get(str(rank))
        return self._ranks.get(rank + 1 - self.counts_from)

    def by_place(self, place: int) -> str | None:
        """The passage at this 0-based place."""
        return self._ranks.get(place + 1)

    def by_title(self, text: str) -> str | None:
        """The passage with this title."""
        return self._titles.get(text.casefold()) if self._titles else None

    @made_once
    def _headings(self) -> Mapping[str, str]:
        return {heading: name for name, document in self._names for heading in headings_of(document)}

    def by_heading(self, text: str) -> str | None:
        """The passage below this heading of several words, in its case."""
        return self._headings.get(text) if " " in text else None

    @property
    def has_authors(self) -> bool:
        """Whether any passage says who wrote it."""
        return any(key in document.metadata for document in self._sources for key in AUTHOR_KEYS)

    def by_author(self, surnames: Sequence[str], year: str) -> str | None:
        """The passage by the first of `surnames` of that year: by its metadata, title, id or opening words."""
        wanted = {folded_word(surname) for surname in surnames[:1]}
        for document in self._sources:
            for about in (description_of(document), (document.text or "")[:_OPENING]):
                if (
                    year in about
                    and wanted
                    and wanted <= {folded_word(word) for word in _NAME.findall(about)}
                ):
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
            and stem(text) in self._stems
            and TELLABLE.match(text) is not None
        )

    @made_once
    def _shouted(self) -> bool:
        return any(one.isupper() and "_" in one for one in self._ids)

    def is_field(self, text: str) -> bool:
        """Whether `text` is to be filled in, ``ORDER_ID``, and no id among such as ``RETURNS_POLICY``."""
        return is_field(text) and not self._shouted

    @made_once
    def _unnumbered(self) -> frozenset[str]:
        return frozenset(
            DIGITS.sub("0", document.id.casefold()) for _, document in self._names if document.id
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
            and DIGITS.sub("0", text.casefold()) in self._unnumbered
        )

    def by_address(self, text: str) -> str | None:
        """The passage that comes from this address."""
        return self._addresses.get(normal_address(text))

    def explained(self, target: str) -> str | None:
        """The passage that a note or a list of sources means by `target`: its address, id, title, or a text with one.

        >>> known = Passages.of([Document("a1", None, metadata={"title": "Travel Policy"})])
        >>> known.explained("Travel Policy, p. 3"), known.explained("See a1."), known.explained("Calendar days")
        ('a1', 'a1', None)
        """
        if not target:
            return None
        found = self.by_address(target) or self.mentioned(target) or self.by_title(target.strip())
        if found is None and self.titled:
            folded = target.casefold()
            inside = [one for one in self.titled if len(one) > _SHORTEST_TITLE and one in folded]
            found = self.titled[max(inside, key=len)] if inside else None
        return found

    def mentioned(self, text: str) -> str | None:
        """The passage whose id is one of the words of `text`."""
        words = (word.strip(".,;()<>[]\"'") for word in text.split())
        return next((found for word in words if (found := self.by_id(word) or self.by_address(word))), None)

    @made_once
    def _moulds(self) -> frozenset[str]:
        return frozenset(mould(document.id) for _, document in self._names if document.id)

    def has_the_mould_of_one(self, text: str) -> bool:
        """Whether `text` has the separators and the case of a known id."""
        return mould(text) in self._moulds

    def written_alike(self, text: str) -> bool:
        """Whether a word with letters and digits has the separators and the case of a known id, which it is not.

        >>> known = Passages.of([Document("kettle-price", None)])
        >>> [known.written_alike(text) for text in ("garden-65", "COVID-19", "K12", "well-known", "kettle-price")]
        [True, False, False, False, False]
        """
        return (
            LETTERS_AND_DIGITS.match(text) is not None
            and self.by_id(text) is None
            and (alike := mould(text)) in self._moulds
            and len(alike) > 1
        )

    @made_once
    def _endings(self) -> frozenset[str]:
        return frozenset(
            ending[1].casefold()
            for name in (*self._ids, *self.files.names)
            if (ending := ENDING.search(name)) is not None
        )

    @made_once
    def _hashes(self) -> frozenset[int]:
        """How long those ids are that are hashes."""
        return frozenset(len(one) for one in self._ids if HASH.match(one))

    @made_once
    def _bare_stems(self) -> frozenset[str]:
        return frozenset(stem.rstrip("-_ ") for stem in self._stems)

    def written_like_one(self, text: str) -> bool:
        """Whether the letters, digits and separators of `text` run as in a known id, or its word begins one."""
        return shape(text) in self._shapes or (
            " " not in text and stem(text).rstrip("-_") in self._bare_stems
        )

    def only_looks_like_one(self, text: str) -> bool:
        """Whether `text`, which `resembles` an id, does so by its letters and digits alone, in one word and a number.

        >>> known = Passages.of([Document("doc-3", None)])
        >>> [known.only_looks_like_one(text) for text in ("worker-3", "doc-9", "chunk-7", "kb_guide#4")]
        [True, False, False, False]
        """
        return (
            (WORD_AND_NUMBER.match(text) is not None or SLUG.match(text) is not None)
            and ID_PREFIX.match(text) is None
            and UNIQUE.match(text) is None
            and stem(text) not in self._stems
        )

    def resembles(self, text: str) -> bool:
        """Whether `text` has the shape of an id, although no passage has it; one letter has where none is known.

        >>> known = Passages.of([Document("doc-3", None)])
        >>> [known.resembles(text) for text in ("doc-9", "kb_guide#4", "COVID-19", "sic", "12:30", "a-z", "see above")]
        [True, True, False, False, False, False, False]
        """
        if not text or len(text) > 200 or any(character.isspace() for character in text):
            return False
        if TIME_OR_DATE.match(text) or CHARACTER_RANGE.match(text):
            return False
        alike = shape(text) in self._shapes
        if not alike and "::" in text and IPV6.match(text):
            return False
        if (is_aside(text) or self.is_field(text)) and not (alike and any(map(str.isdigit, text))):
            return False
        if text.isalpha():
            return len(text) == 1 and text.isascii() and not self._ranks
        return alike or self._is_made(text)

    def _is_made(self, text: str) -> bool:
        """Whether `text` ends as a name of a file, is a hash or a UUID, or begins or is marked as ids are."""
        if self._endings and (ending := ENDING.search(text)) and ending[1].casefold() in self._endings:
            return True
        if len(text) in self._hashes and HASH.match(text):
            return True
        return UNIQUE.match(text) is not None or ID_PREFIX.match(text) is not None or marked(text)


def name_of(document: Document) -> str:
    """The name under which results mention a passage: its id, else its rank.

    >>> name_of(Document(None, "text", rank=3))
    '#3'
    """
    return document.id or f"#{document.rank}"
