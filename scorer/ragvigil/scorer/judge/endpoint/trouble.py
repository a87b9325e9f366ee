"""What keeps an endpoint from answering, and what an operator can do about it."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping

from ragvigil.scorer.errors import causes

_ADVICE: Mapping[int, str] = {
    401: "check judge.api_key",
    402: "the account has no credit",
    403: "judge.api_key may not use this model",
    404: "check judge.model and judge.base_url",
    429: "its limits are used up: see judge.max_in_flight and [sample]",
}
_ACCOUNT: Mapping[int, re.Pattern[str]] = {
    401: re.compile(
        r"\bapi[ _-]?key\b.{0,40}\b(?:not valid|invalid|incorrect|expired|missing|not found)\b"
        r"|\b(?:invalid|incorrect|expired|missing|wrong)\b.{0,20}\bapi[ _-]?key\b|API_KEY_INVALID",
        re.IGNORECASE,
    ),
    402: re.compile(
        r"\bcredit balance\b|\binsufficient[ _](?:quota|credits?|balance|funds)\b|\bbilling (?:is|has|account)\b",
        re.IGNORECASE,
    ),
}
"""Words of servers that tell a wrong key or an empty account by another status, by the one that means it."""
_LATE = "no answer in time (see judge.attempt_seconds)"


class Trouble:
    """The latest trouble of one endpoint, for those who watch the judge; a new one has none."""

    def __init__(self) -> None:
        self.said: str | None = None
        """In words, without a key or content; None while it answers."""


def of_status(status: int) -> str:
    """What an answer with that status means, with what can be done about it, where anything can.

    >>> of_status(401)
    'answers 401 (check judge.api_key)'
    """
    advice = _ADVICE.get(status)
    return f"answers {status}" + (f" ({advice})" if advice else "")


def of_account(status: int, complaint: str) -> str | None:
    """The same of a refusal that is about the key or the credit, by the server's words; None when it is not.

    >>> of_account(400, "API key not valid. Please pass a valid API key.")
    'answers 400 (check judge.api_key)'
    >>> of_account(400, "Your credit balance is too low"), of_account(400, "The prompt was filtered")
    ('answers 400 (the account has no credit)', None)
    """
    for means, words in _ACCOUNT.items():
        if words.search(complaint):
            return f"answers {status} ({_ADVICE[means]})"
    return None


def of_error(error: Exception) -> str:
    """Why there was no answer at all, with what can be done about it.

    >>> import httpx
    >>> of_error(httpx.ConnectError("refused"))
    'unreachable, ConnectError (check judge.base_url, and whether the server runs)'
    """
    import httpx

    found = list(causes(error))
    if any(isinstance(one, TimeoutError | httpx.TimeoutException) for one in found):
        return _LATE
    if any(isinstance(one, socket.gaierror) for one in found):
        return "its name cannot be resolved (check judge.base_url, and the name service of this machine)"
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in found):
        return (
            "its certificate is not trusted (check judge.base_url; SSL_CERT_FILE names further authorities)"
        )
    name = type(error).__name__
    if isinstance(error, httpx.ConnectError):
        return f"unreachable, {name} (check judge.base_url, and whether the server runs)"
    return f"breaks off, {name} (see its log, and what stands between it and here)"


def cut_to(tokens: int | None) -> str:
    """What is said of a server that reads no more than so many tokens of any question."""
    return (
        f"cuts every question to {tokens} tokens (give it a longer context, as OLLAMA_CONTEXT_LENGTH or num_ctx for "
        "Ollama, or lower judge.max_evidence_chars)"
    )
