"""The token that opens a server of ours."""

from __future__ import annotations

import base64
import binascii
import hmac


def shows(authorization: str | None, token: str) -> bool:
    """Whether the header carries the token: as bearer, or as password of Basic (browsers and some exporters).

    >>> shows("Bearer t", "t"), shows("bearer x", "t"), shows("Basic cGs6dA==", "t"), shows(None, "t")
    (True, False, True, False)
    """
    scheme, _, shown = (authorization or "").partition(" ")
    if scheme.lower() == "basic":
        try:
            shown = base64.b64decode(shown, validate=True).partition(b":")[2].decode()
        except (binascii.Error, UnicodeDecodeError):
            return False
    elif scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(shown.strip().encode(), token.encode())
