"""What the name of an attribute, or of a field of nested JSON, says of its value."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum, auto
from functools import lru_cache


class Meaning(Enum):
    """What is under a key."""

    TEXT = auto()
    """Anything people or machines wrote."""
    LABEL = auto()
    """A word from a short list: kinds, roles, models, versions. Stays when content does not."""
    DOCUMENT_ID = auto()
    """Ids of passages and citations of them: scoring compares them, nothing touches them."""
    PERSON = auto()
    """An id of a user or of a conversation, or a name of a user."""
    PASSAGES = auto()
    """Retrieved passages, perhaps as JSON: ids and scores in it stay when content does not."""
    SECRET = auto()
    """What opens a door by its name: a password, a key."""
    TOKEN = auto()
    """What opens a door, or a piece of a text: the value tells."""
    TRANSPORT = auto()
    """Headers and cookies: never kept."""


_END = r"(?:^|.*[._\s-])"
_PATTERNS = {
    Meaning.TRANSPORT: (
        r"(?:.*\.)?(?:request|response)[._]?(?:headers?|metadata|cookies?)(?:[._].*)?"
        r"|(?:.*[._])?(?:cookies?|set-cookie|headers?|authorization)"
    ),
    Meaning.SECRET: _END
    + (
        r"(?:(?:api|(?:secret|shared)[_-]?access|account|private|secret|signing|storage|encryption)[_-]?keys?"
        r"|(?:client_)?secrets?|(?:api|access|auth|refresh|id|bearer|session|security|csrf|xsrf)[_-]?token"
        r"|pass_?words?(?:[_-](?:hash|prod|production|dev|staging|test|live|old|new|current|confirm(?:ation)?))?"
        r"|passwd|pwd|passphrases?|credentials?)"
    ),
    Meaning.TOKEN: rf"{_END}token|(?:{_END}(?:smtp|db|auth|login|ftp|proxy)[_-])?pass",
    Meaning.PERSON: (
        rf"{_END}(?:(?:end)?user|session|conversation|thread|chat|customer)[._-]?ids?"
        rf"|{_END}(?:enduser\.pseudo\.id|session\.previous_id)"
        rf"|{_END}(?:end)?user[._-]?(?:(?:full_?)?name|hash|login)"
        r"|mlflow\.trace\.(?:user|session)|.*association\.properties\.user"
        r"|(?:gen_ai|llm|.*request)\.user|(?:end_?)?user"
    ),
    Meaning.DOCUMENT_ID: (
        r"(?:.*[._])?(?:document|doc|docs|chunk|node|passage|citation|documents\.\d+|citations)"
        r"[._-]?ids?|ragvigil\.citations\.(?:ids|unknown)|cited"
    ),
    Meaning.PASSAGES: r"(?!.*content).*(?:document|retriev|passage|citation).*",
    Meaning.LABEL: _END
    + (
        r"(?:kind|type|role|model|model_name|system|provider|provider_name|operation|operation_name|version"
        r"|environment|language|tenant|stage|finish_reasons?|status|code|object|format|id|ids"
        r"|(?:annotation|evaluation)[._](?:name|label|identifier)|evaluation[._]score[._]label"
        r"|(?:model|tool(?:[._]call)?|function|service|prompt|operation|provider|deployment|event|environment)[._]name)"
    ),
}
"""The first that is the whole of a key decides."""
_COMPILED = tuple((meaning, re.compile(pattern, re.IGNORECASE)) for meaning, pattern in _PATTERNS.items())
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BARE = frozenset({"id", "_id", "id_", "ids", "uuid"})
PEOPLE = re.compile(r"(?:(?:end_?)?user|session|conversation|thread|chat|customer)s?", re.IGNORECASE)
"""Under such a key an id is a person's or a conversation's."""
_KEY_LIKE = re.compile(r"(?=\D*\d)\S{8,}")
_DOCUMENTS = re.compile(r"document|retriev|passage|citation|chunk|node|docs?\b", re.IGNORECASE)
_BESIDE = frozenset(
    [
        "page_content",
        "pageContent",
        "content",
        "text",
        "snippet",
        "chunk",
        "document",
        "documents",
        "score",
        "scores",
        "distance",
        "distances",
        "metadata",
        "metadatas",
    ]
)
"""What stands beside the id of a passage."""


_VECTOR = re.compile(
    r"(?:.*[._])?(?:embeddings?|vectors?|sparse_values)(?:_(?!(?:\w*_)?(?:ids?|model|name)$)\w+)?(?:\.\d+)?",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"scor|distanc|similarit|relevan|rank|certaint|confiden|probab|(?:^|[._])ids?$", re.IGNORECASE
)


def is_vector(key: str) -> bool:
    """Whether an embedding stands there: figures from which a model can tell what the text was.

    >>> is_vector("embedding"), is_vector("embedding.embeddings.0.embedding.vector.0"), is_vector("contentVector")
    (True, True, True)
    >>> is_vector("embedding.model_name"), is_vector("embedding_model_name"), is_vector("vectorId")
    (False, False, False)
    """
    return _VECTOR.fullmatch(_CAMEL.sub("_", key)) is not None


def may_list(key: str) -> bool:
    """Whether several numbers under it are scores, ranks or ids; any others may be an embedding, or pieces of a text.

    >>> may_list("scores"), may_list("cosineDistances"), may_list("ids"), may_list("values"), may_list("tokens")
    (True, True, True, False, False)
    """
    return _MEASURED.search(_CAMEL.sub("_", key)) is not None


@lru_cache(maxsize=4096)
def meaning_of(key: str) -> Meaning:
    """What the key says of its value.

    >>> meaning_of("session.id").name, meaning_of("http.request.header.cookie").name, meaning_of("userId").name
    ('PERSON', 'TRANSPORT', 'PERSON')
    >>> meaning_of("retrieval.documents.3.document.id").name, meaning_of("input.value").name
    ('DOCUMENT_ID', 'TEXT')
    """
    spelled = _CAMEL.sub("_", key)
    return next((meaning for meaning, pattern in _COMPILED if pattern.fullmatch(spelled)), Meaning.TEXT)


def opens_a_door(token: str) -> bool:
    """Whether what is called a token is a key; models call pieces of words so, too.

    >>> opens_a_door("a1b2c3d4e5"), opens_a_door(" Paris"), opens_a_door("boiling")
    (True, False, False)
    """
    return _KEY_LIKE.fullmatch(token) is not None


def meaning_under(key: str, parent: str, siblings: Collection[str]) -> Meaning:
    """What the key of a field says of its value under the field `parent` ("" at the top), beside its `siblings`.

    An id is a passage's only under passages or beside a text or a score: any other is cut by the rules, as labels are.

    >>> meaning_under("id", "user", ["id"]).name, meaning_under("id", "", ["id", "page_content"]).name
    ('PERSON', 'DOCUMENT_ID')
    >>> meaning_under("id", "from", ["id", "text_id"]).name, meaning_under("id", "documents", ["id"]).name
    ('LABEL', 'DOCUMENT_ID')
    """
    if parent and PEOPLE.fullmatch(parent) and meaning_of(f"{parent.rstrip('sS')}.{key}") is Meaning.PERSON:
        return Meaning.PERSON
    if key in _BARE and (_DOCUMENTS.search(parent) or not _BESIDE.isdisjoint(siblings)):
        return Meaning.DOCUMENT_ID
    return meaning_of(key)
