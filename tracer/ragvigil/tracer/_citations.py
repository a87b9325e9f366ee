"""Which retrieved documents an answer cites, read where the answer is, so that no text need leave for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ragvigil.tracer._citing import ASIDE, PLACED, RAISED, markers_in
from ragvigil.tracer._words_cited import words_cited

_SEPARATOR = re.compile(
    r"[,;|、\uff0c\uff1b]|(?<=\d)\s*(?:&|(?<!\w)(?:and|und|et|e|y|en|og|och|и)(?!\w))\s*(?=\D{0,12}\d)"
)
_RANGE = re.compile(r"(\d{1,3})\s?(?:[-\u2013\u2014]|to|bis|a|à)\s?(\d{1,3})\Z")
_LABELLED = re.compile(r"([^\s\d:=#.,_-]{2,14})[\s:=#.\u00ba\u00b0_-]*(.*)\Z", re.DOTALL)
_LABELS = """
chunk chunks citation citations cite doc docs document documents passage passages ref refs reference references snippet
source sources auszug beleg dok dokument dokumente quelle quellen documento documentos fonte fontes trecho referência
fuente fuentes pasaje referencia extrait référence références brano fonti bron bronnen fragment źródło dokumen sumber
kaynak källa документ источник المستند المصدر مستند مصدر وثيقة מסמך מקור दस्तावेज़ स्रोत
出典 参考 文書 文档 文献 来源 來源 资料 資料 문서 참고 출처
belege belge brani contesto context contexte contexto contexts documenti dokumenty excerpt excerpts extraits
fragmenten fragmento fragmentos fragmenty kaynaklar kontext liệu nguồn pasajes passagem referencias referenz
referenzen referências riferimento snippets trechos tài zdroj źródła джерело документі отрывок קטע المرجع المقطع
الوثيقة مرجع संदर्भ
đoạn เอกสารที่ อ้างอิง ที่มา ソース 出处 出處 ドキュメント 参照 参考資料 参考资料 引用 文件 段落 片段 자료
asiakirja asiakirjan belgede belgeye documentul documentului dokumencie dokumentem dokumentet dokumentu dokumentum
dokumentów dokumentů forrás fragmentu kaynakta kaynağa kilde kilden kilder källan källor lähde lähteen réf réfs
sursa sursei zdroje źródle źródłem έγγραφο εγγράφου πηγή πηγής док ист סימוכין سند منبع เอกสาร แหล่งที่มา
"""
LABELS = frozenset(_LABELS.split())
"""Words before an ordinal or an id in a citation."""
_BESIDE = frozenset(("id", "see", "siehe", "ver", "voir", "vgl", "cf", "según", "segundo", "selon", "laut"))
"""Words before an id only."""
_HEX = re.compile(r"[\da-f-]{8,}\Z", re.IGNORECASE)
_FILE_AND_PAGE = re.compile(r"(.*?\.[^\W\d_][^\W_]{1,4})[\s:#(]")
_FILE = re.compile(r"\.[^\W\d_][^\W_]{1,4}\Z")
_MOST_RANKS = 99
"""Of more retrieved documents as many; a larger number in brackets is no ordinal."""
_CHUNK = re.compile(r"(?:#|::)[^#:]{1,40}\Z")
"""What the id of a chunk has behind that of its document."""
LONGEST_UNKNOWN = 64
_QUOTES = " '\"`^\u201c\u201d\u2018\u2019"


class Cited(NamedTuple):
    """What an answer cites, each once, in order of appearance."""

    ids: list[str]
    """Ids of retrieved documents; for one without an id, its rank in brackets, such as ``[2]``."""
    unknown: list[str]
    """Ranks, and ids written as those that were retrieved, that were not."""
    words: list[str]
    """Other ids that were not retrieved. They may be any words of the answer: how many may leave, they may not."""


def read_citations(answer: str, retrieved: Sequence[str | None]) -> Cited:
    """The documents that ids and ordinals mean; ordinals count the retrieved documents from 1.

    Read are brackets, known ids in parentheses, and raised numbers; the scorer, which has the text, reads more.

    >>> read_citations("Yes [doc-3][2], no [doc-9] [7] [sic].", ["doc-3", "doc-5"])
    Cited(ids=['doc-3', 'doc-5'], unknown=['doc-9', '7'], words=[])
    >>> read_citations("Yes [Source 2] (see doc-3).¹ `rows[7]`", ["doc-3", "doc-5"])
    Cited(ids=['doc-5', 'doc-3'], unknown=[], words=[])
    >>> read_citations("You have 28 days [annual-leave] [sick-pay].", ["annual-leave", "parental-leave"])
    Cited(ids=['annual-leave'], unknown=[], words=['sick-pay'])
    """
    return cited_by(read_answer_once(answer).markers, tuple(retrieved))


# A request's generator and root have the same answer, one right after the other.
read_answer_once = lru_cache(maxsize=4)(markers_in)


@lru_cache(maxsize=4)
def cited_by(markers: tuple[str, ...], retrieved: tuple[str | None, ...]) -> Cited:
    """The documents that these markers mean.

    In parentheses stands much that is no citation, so only known ids and ordinals with a word before them count there.
    """
    retrieval = _Retrieval(retrieved, markers)
    found: dict[str, bool] = {}
    placed: list[str] = []
    by_id = False
    for marker in markers:
        content = marker.removeprefix(PLACED).partition("†")[0].strip()
        by_id = by_id or retrieval.known_in(content) is not None
        if marker.startswith(PLACED):
            meant: dict[str, bool] = {}
            _read_parts(content, retrieval, meant, aside=False)
            found.update(meant)
            if not meant:
                placed.append(content)
        elif content in retrieval.known:
            found[content] = True
        elif marker.startswith(RAISED):
            _read_raised(content.lstrip(RAISED), retrieval, found)
        else:
            aside = marker.startswith(ASIDE)
            _read_parts(content.lstrip(ASIDE), retrieval, found, aside=aside)
    ids = [cited for cited, there in found.items() if there]
    unknown = [cited for cited, there in found.items() if not there]
    if not placed or (ids and not by_id):  # whoever cites ranks cites no words
        return Cited(ids, unknown, [])
    return Cited(ids, unknown, words_cited(dict.fromkeys(placed), retrieval.known, by_id=by_id))


class _Retrieval:
    """What was retrieved, and what its ids look like."""

    def __init__(self, retrieved: Sequence[str | None], markers: Sequence[str]) -> None:
        self.retrieved = retrieved
        self.known = {identity for identity in retrieved if identity is not None}
        ids = [identity for identity in reversed(retrieved) if identity is not None]
        self._by_name = {_CHUNK.sub("", identity).casefold(): identity for identity in ids}
        self._by_name |= {identity.casefold(): identity for identity in ids}
        self._shapes = {_shape(identity) for identity in self.known} - {""}
        told = {_labelled(one.removeprefix(PLACED))[1].strip(_QUOTES) for one in markers}
        self._first = 0 if "0" in told and str(len(retrieved)) not in told else 1
        """Whoever cites a lone `0`, and not the last by counting from 1, counts from 0."""
        self._rough = {_rough(shape) for shape in self._shapes} if len(self._shapes) > 1 else set[str]()
        """Of ids that differ in their letters any letters will do."""

    def looks_like_an_id(self, part: str) -> bool:
        """Whether something has the shape of the ids that were retrieved."""
        shape = _shape(part) if len(part) <= LONGEST_UNKNOWN and not part.isdigit() else ""
        return bool(shape) and (shape in self._shapes or _rough(shape) in self._rough)

    def known_in(self, part: str) -> str | None:
        """The id that this is, whatever its case, of a document its first chunk, of a file with a page the file."""
        if part in self.known:
            return part
        file = _FILE_AND_PAGE.match(part)
        return self._by_name.get(part.casefold()) or (self._by_name.get(file[1].casefold()) if file else None)

    def note(self, ordinal: int, found: dict[str, bool]) -> None:
        """The document that this number means, or that there is none."""
        place = ordinal - self._first
        if 0 <= place < len(self.retrieved):
            found[self.retrieved[place] or f"[{place + 1}]"] = True
        elif 0 <= place < _MOST_RANKS:
            found[str(ordinal)] = False


def _read_parts(content: str, retrieval: _Retrieval, found: dict[str, bool], *, aside: bool) -> None:
    """Note what the parts of a marker mean; a word before the first holds for the others too."""
    labelled = False
    for each in _SEPARATOR.split(content):
        part = unicodedata.normalize("NFKC", each).strip(_QUOTES)
        for _ in range(2):  # "Source: Document 3"
            word, rest = _labelled(part)
            as_id = retrieval.known_in(part) is not None or (
                retrieval.looks_like_an_id(part) and retrieval.known_in(rest) is None
            )
            if word and not as_id:
                labelled, part = word in LABELS, rest
        known = retrieval.known_in(part)
        if known is not None:
            found[known] = True
        elif not aside or labelled:
            for number in _ordinals(part):
                retrieval.note(number, found)
            if retrieval.looks_like_an_id(part):
                found[part] = False


def _labelled(part: str) -> tuple[str, str]:
    """The word before an ordinal or id, and what follows it; none, and all of it, where no such word is."""
    match = _LABELLED.match(part)
    word = match[1].casefold() if match else ""
    return (word, match[2].strip(_QUOTES)) if match and word in LABELS | _BESIDE else ("", part)


def _read_raised(content: str, retrieval: _Retrieval, found: dict[str, bool]) -> None:
    """Note what numbers above the line mean; `12` is the first and the second where no twelve were retrieved."""
    for part in content.split(","):
        rank = part.strip(" []")
        one_each = rank.isdigit() and int(rank) > len(retrieval.retrieved) and len(set(rank)) > 1
        for number in rank if one_each else (rank,):
            for ordinal in _ordinals(number):
                retrieval.note(ordinal, found)


def _ordinals(part: str) -> range:
    if part.isdecimal() and len(part) <= 3:
        return range(int(part), int(part) + 1)
    bounds = _RANGE.match(part)
    if bounds is None:
        return range(0)
    first, last = int(bounds[1]), int(bounds[2])
    return range(first, last + 1) if 0 < first < last <= first + 50 else range(0)


def _shape(identity: str) -> str:
    """What alike ids have in common: their letters, runs of digits, and what stands between; of files the ending.

    >>> _shape("doc-17#2") == _shape("Doc-3#11"), _shape("COVID-19") == _shape("doc-3"), _shape("sic")
    (True, False, '')
    """
    ending = _FILE.search(identity)
    if ending is not None:
        return ending[0].casefold()
    if not re.search(r"\d", identity):
        return ""
    if _HEX.match(identity):
        return re.sub(r"[^-]", "9", identity)
    return re.sub(r"\d+", "9", identity.casefold())


def _rough(shape: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", shape)
