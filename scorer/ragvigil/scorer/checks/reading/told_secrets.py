"""Secrets that a sentence tells and redaction leaves: PINs, codes of doors, log-ins, passwords in Chinese and others.

They are looked for in answers only. Redaction of all texts would take "the PIN is 0000" out of a manual and of the
answer to it alike, and nobody could tell a wrong one any more.
"""

from __future__ import annotations

import re
from functools import partial

from ragvigil.tracer.redaction import HOW_KEPT, Look, Rule

_MIXED = r"(?=[!-~]{0,63}\d)(?=[!-~]{0,63}[A-Za-z])"
"""Letters and digits together: what a sentence goes on with has no digits, and what it measures no letters."""
_ALGORITHM = rf"(?!(?:{HOW_KEPT})(?=[.,;:!?)]*(?![!-~])))"
_WHOLE_PIN = (
    r"(\d{4,8}#?)"
    r"(?=[\"'`\u201d\u00bb*]{0,3}(?:[.!,;)]*(?:\s{0,3}\Z|\n)|[.!;)]+\s|,? (?:and(?! means)|und|et|y|e)\s))"
)
"""Before the end of a sentence: behind other numbers stands what they count."""
_PIN = re.compile(
    r"(?<!\w)((?:PIN|(?i:(?:door|gate|entry|garage|safe)[- ]code|t\u00fcrcode|code (?:de la porte|d'entr\u00e9e)"
    r"|c\u00f3digo d[ae] (?:la )?(?:puerta|porta)|codice della porta))"
    r"(?::| (?:is|was|lautet|ist|est|es|\u00e9|\u00e8)(?: ?:)?) {1,2}[\"'`\u201c\u00ab*]{0,3})" + _WHOLE_PIN
)
_NOBODYS_PIN = re.compile(r"(\d)\1+|1234(?:0|56?7?8?)?|4321|2580")
_OF_ALL = re.compile(
    r"(?:default|factory|standard|initial|example|vorein\w{0,12}|werks\w{0,12}|usine|d\u00e9faut|predetermin\w{0,6}"
    r"|padr\u00e3o|predefinit\w)\W{1,3}\Z",
    re.IGNORECASE,
)
_OF_A_PLACE = re.compile(r"\b(?:area|delivery|postal|connect pin) \Z", re.IGNORECASE)
_LONG = 6
_OF_A_LOCK = re.compile(
    r"(?:\b(?:log-?in|log in|sign-?in|sign in|account|anmeld|gate)|card|karte|phone|telefon|handy|door"
    r"|t\u00fcr|konto|compte|\b(?:carte|tarjeta|cart\u00e3o|carta)\b|t\u00e9l\u00e9phone|tel\u00e9fono|\b(?:porte|puerta|porta)\b)",
    re.IGNORECASE,
)
"""What has a PIN of six digits; in India "PIN: 560001" ends an address."""
_BEFORE = 24
_NEARBY = 80
_LOGIN = re.compile(
    r"(?<!\w)((?:credentials (?:are|were)|Zugangsdaten (?:sind|lauten)|identifiants sont|credenciales son"
    r"|credenciais s\u00e3o|credenziali sono)(?: ?:)? {1,2}[\"'`]?[A-Za-z][\w.@-]{1,40}(?::| / ))"
    + _MIXED
    + r"([!-~]{5,63}[^\s\"'`,;.!?<>)])"
)
_PAIR = re.compile(
    r"(?<!\w)((?:[Uu]ser(?:[ -]?name)?|[Ll]ogin|[Bb]enutzer(?:name)?|[Uu]tilisateur|[Ii]dentifiant|[Uu]suario"
    r"|[Uu]su\u00e1rio|[Uu]tente)[ :]{1,2}[\"'`]?(?!(?i:guide|page|manual)s?\b)"
    r"[\w.@-]{2,40}[\"'`]?(?:,| /)?(?: (?:and|und|et|y|e|with|mit))?"
    r" (?:the )?(?:[Pp]asswor[dt]|[Kk]ennwort|mot de passe|contrase\u00f1a|senha) [\"'`]?)"
    r"(?=[!-~]{0,63}\d)(?=[!-~]{0,63}[a-z])(?=[!-~]{0,63}[A-Z#&$!%^*])"
    + _ALGORITHM
    + r"([!-~]{5,63}[^\s\"'`,;.!?<>)])"
    r"(?=[\"'`]?(?:[.,;!)]+(?:\s|\Z)|\s{0,3}\Z|\n))"
)
_AFAR = re.compile(
    "((?:\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4|\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7"
    "|[\u041f\u043f]\u0430\u0440\u043e\u043b\u044c|\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631"
    "|\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631)"
    "[ ]?(?:\u662f|\u4e3a|\u70ba|\u306f|\uff1a|:|\u0647\u064a|\u2014)[ ]?[\"'`\u300c\u201c\u00ab]?)"
    + _MIXED
    + _ALGORITHM
    + "([!-~]{5,63}[^\\s\"'`,;.!?<>)])"
    "(?=[\"'`\u300d\u201d\u00bb]?(?:[ ]{0,2}(?:\u3067\u3059|\u3067\u3057|\u3060)"
    "|[.!,;\uff0c\u3002\u3001\uff1b\uff01)\uff09]|\\s{0,3}\\Z|\n))"
)
_DOORS = (
    b"door",
    b"gate",
    b"entry",
    b"entr",
    b"garage",
    b"safe",
    b"t\xc3\xbcrcode",
    b"port",
    b"puerta",
)
_AFAR_NAMES = tuple(
    one.encode()
    for one in (
        *("\u5bc6", "\u53e3\u4ee4", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\u6697\u8a3c"),
        *("\u0430\u0440\u043e\u043b\u044c", "\u0643\u0644\u0645\u0629"),
    )
)


def _pin(match: re.Match[str]) -> str:
    """The replacement, unless all devices have the number when they are sold, or a place has it."""
    told, before = match[2].rstrip("#"), match.string[max(0, match.start() - _BEFORE) : match.start()]
    if _NOBODYS_PIN.fullmatch(told) or _OF_ALL.search(before) or _OF_A_PLACE.search(before):
        return match[0]
    nearby = match.string[max(0, match.start() - _NEARBY) : match.end() + _NEARBY]
    if len(told) == _LONG and match[1].startswith("PIN") and not _OF_A_LOCK.search(nearby):
        return match[0]
    return f"{match[1]}<SECRET>"


def _may_tell_a_pin(look: Look) -> bool:
    data = look.data
    if b"PIN" in data:
        return True
    named = b"ode" in data or b"digo d" in data or b"odice d" in data
    return named and any(one in look.lower for one in _DOORS)


def _may_tell_a_login(look: Look) -> bool:
    data = look.data
    return b"reden" in data or b"Zugangsdaten" in data or b"dentifiants" in data


def _may_tell_a_pair(look: Look) -> bool:
    data = look.data
    return (
        b"asswor" in data
        or b"ennwort" in data
        or b"ot de pass" in data
        or b"ontrase" in data
        or b"enha" in data
    )


def _may_tell_afar(look: Look) -> bool:
    data = look.data
    return not data.isascii() and any(one in data for one in _AFAR_NAMES)


TOLD = (
    Rule(_may_tell_a_pin, partial(_PIN.sub, _pin)),
    Rule(_may_tell_a_login, partial(_LOGIN.sub, r"\1<SECRET>")),
    Rule(_may_tell_a_pair, partial(_PAIR.sub, r"\1<SECRET>")),
    Rule(_may_tell_afar, partial(_AFAR.sub, r"\1<SECRET>")),
)
"""Rules as those of redaction."""
