"""User ids, as given or hashed before they leave the service."""

from __future__ import annotations

import os

HASH_KEY = "RAGVIGIL_HASH_KEY"
"""Environment variable with the secret that makes hashes of user ids unguessable."""


def user_attribute(user_id: str, *, hashed: bool) -> str:
    """The user id, or its keyed hash: HMAC-SHA-256 under ``RAGVIGIL_HASH_KEY``, the first 32 hex characters.

    >>> user_attribute("ana", hashed=False), len(user_attribute("ana", hashed=True))
    ('ana', 32)
    """
    if not hashed:
        return user_id
    # Imported here: few services hash, and it loads OpenSSL.
    import hmac

    key = os.environ.get(HASH_KEY, "") or "ragvigil:user:v1"
    return hmac.digest(key.encode(), user_id.encode("utf-8", "replace"), "sha256").hex()[:32]
