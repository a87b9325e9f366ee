"""What an operator can do about a backend that does not take requests, in words for the log."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from http import HTTPStatus

from ragvigil.scorer.errors import causes
from ragvigil.scorer.redirects import leads_to

LATE = "it does not answer in time: see timeout_seconds"
BROKEN = "it hangs up, or speaks no HTTP/1.1: check url"
_HEADERS = "it wants other credentials: check headers and header_files"
_LIMITED = "it limits its senders: raise its limit; what waits longer than retry_seconds is dropped"
_PLACE = "nothing takes OTLP at {url}: check url, to which the path is appended"
_BY_STATUS: Mapping[int, str] = {
    401: _HEADERS,
    403: _HEADERS,
    404: _PLACE,
    405: _PLACE,
    413: "the request is too large for it: raise its limit, or let the sender batch less",
    429: _LIMITED,
}
_BY_CODE: Mapping[str, str] = {
    "unauthenticated": _HEADERS,
    "permission_denied": _HEADERS,
    "resource_exhausted": _LIMITED,
    "deadline_exceeded": LATE,
    "unimplemented": "it serves no OTLP over gRPC: check url, which is http:// for one that takes it over HTTP",
}
_LONGEST = 200


def of_status(status: int, url: str, location: str | None) -> str:
    """About an answer with that status.

    >>> of_status(404, "http://tempo:4318/v1/traces", None)
    'nothing takes OTLP at http://tempo:4318/v1/traces: check url, to which the path is appended'
    >>> of_status(500, "http://tempo:4318/v1/traces", None)
    ''
    >>> of_status(307, "http://tempo:4318/v1/traces", "https://tempo.example/v1/traces?key=1")
    "it sends requests elsewhere, where none is sent: set url to what leads to 'https://tempo.example/v1/traces'"
    """
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        where = f"leads to {leads_to(url, location)!r:.{_LONGEST}}" if location else "it redirects to"
        return f"it sends requests elsewhere, where none is sent: set url to what {where}"
    return _BY_STATUS.get(status, "").format(url=url)


def of_code(code: str, details: str) -> str:
    """About a gRPC status, by its name in small letters; `details` are the library's words where nothing answers.

    >>> of_code("unimplemented", "")
    'it serves no OTLP over gRPC: check url, which is http:// for one that takes it over HTTP'
    """
    if code == "unavailable":
        return f"nothing answers as gRPC does: check url, and whether it runs; {details!r:.{_LONGEST}}"
    return _BY_CODE.get(code, "")


def of_error(error: BaseException) -> str:
    """About a connection that could not be made.

    >>> of_error(ConnectionRefusedError())
    'nothing answers: check url, and whether it runs'
    """
    found = list(causes(error))
    if any(isinstance(one, socket.gaierror) for one in found):
        return "its name cannot be resolved: check url, and the name service of this machine"
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in found):
        return "its certificate is not trusted: check url, and name its authority in ca_file"
    if any(isinstance(one, ssl.SSLError) for one in found):
        return "it speaks no TLS: check url, which is http:// or grpc:// without"
    return "nothing answers: check url, and whether it runs"
