"""Replaces what identifies a person or opens a door: e-mail, phone, card, bank, national ids, addresses, keys.

>>> redact("Write to ana@example.org or call +55 11 98765-4321.")
'Write to <EMAIL> or call <PHONE>.'

What has check digits is replaced only when they are right, so that other long numbers stay; a card also begins with
the digit of a card scheme (2 to 6), so that milliseconds since 1970 are none. Every pattern takes time linear in the
text, and runs only where its clue is. The module imports nothing heavy, so that the scorer can apply the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple, TypeAlias

from ragvigil.tracer import _clues
from ragvigil.tracer._clues import Look as Look  # scorers' rules ask it, too
from ragvigil.tracer._disguises import disguised, undisguised

Redactor: TypeAlias = Callable[[str], str]
"""Takes a text and returns it without what must not leave."""

_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20,
}  # fmt: skip

_SPACES, _HYPHENS = " \u00a0\u2007\u2009\u202f", "\u2010\u2011\u2012\u2013-"
"""Between the groups of a number as web pages and PDF files print it: unbroken and narrow ones, too."""


def _printed(pattern: str) -> re.Pattern[str]:
    """The pattern, in whose classes a space and a last hyphen stand for all of their kind."""
    return re.compile(pattern.replace(" ", _SPACES).replace("-]", f"{_HYPHENS}]"))


_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@[\w-]++(?:\.[\w-]++)++")
_ENDINGS = (
    "com|org|net|edu|gov|info|biz|io|ai|dev|app|co|eu|de|at|ch|fr|es|pt|it|nl|be|lu|uk|ie|us|ca|au|nz|br|mx|ar|cl|pe|uy"
    "|in|jp|cn|kr|tw|hk|sg|ru|ua|pl|cz|sk|hu|ro|bg|gr|tr|se|no|dk|fi|is|ee|lv|lt|si|hr|rs|za|il|ae"
)
_SPELT_EMAIL = re.compile(
    r"(?<![\w.%+-])[\w.%+-]{1,64}(?:[ ]?\[(?:at|@)\][ ]?|\(at\)(?![ ])|@(?=[\w.-]{0,64}\[\.\])"
    r"|[ ]?\(at\)[ ]?(?=[\w-]{1,64}(?:\.[\w-]{1,64}){0,4}"
    rf"(?:[ ]?[\[({{](?:dot|\.)[\])}}]|\.(?i:{_ENDINGS})(?![\w-]))))[\w-]{{1,64}}"
    r"(?:(?:\.|[ ]?[\[({](?:dot|\.)[\])}][ ]?)[\w-]{1,64}){1,5}"
)
"""Its signs in brackets, so that no machine reads it; prose says (at), too, but before no known ending."""
_EMAIL_IN_URL = re.compile(
    r"(?<![\w.%+-])(?:[\w.+-]|%(?!(?:25)?40)[0-9A-Fa-f]{2})++%(?:25)?40[\w-]++(?:\.[\w-]++)++"
)
_LOGIN_IN_URL = re.compile(r"(://[^\s/?#@:\"'<>]{0,200}:)[^\s/?#@\"'<>]{1,200}@")
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*+(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----)?"
)
_TOKEN = re.compile(
    r"(?<![\w-])(?:"
    r"sk-[\w-]{16,}|[spr]k_(?:live|test)_\w{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{30,}|pypi-[\w-]{30,}"
    r"|eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+"
    r"|gsk_\w{30,}|xai-\w{30,}|pplx-\w{30,}|nvapi-[\w-]{30,}|r8_\w{30,}|lsv2_(?:pt|sk)_\w{30,}|tvly-[\w-]{20,}"
    r"|pcsk_\w{30,}|jina_\w{30,}|whsec_[\w+/=]{20,}|ya29\.[\w-]{20,}|dop_v1_\w{40,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|hooks\.slack\.com/services/[\w/]{20,}|discord(?:app)?\.com/api/webhooks/[\w/-]{40,}"
    r"|GOCSPX-[\w-]{20,}|dapi[0-9a-f]{32}|[0-9]{8,10}:AA[\w-]{33}"
    r")"
)
_BEARER = re.compile(r"(?<!\w)(Bearer|Basic)\s{1,3}[\w.~+/=-]{16,}", re.IGNORECASE)
_SIGNED = re.compile(r"(?<=[?&;])((?:X-(?:Amz|Goog)-)?sig(?:nature)?=)[\w%+/=.~-]{16,}", re.IGNORECASE)
_COOKIE = re.compile(r"(?<![\w-])((?:set-)?cookie:\s{0,3})[\w.-]{1,64}=[^\r\n\"'<>]{6,}", re.IGNORECASE)
_HEADER_PAIR = re.compile(
    r"((?:(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token|secret)|api-key)[\"'],\s{0,3}b?[\"'])"
    r"(?=[^\"'\r\n]{0,4000}\d)[^\"'\r\n]{6,4000}",
    re.IGNORECASE,
)
"""As clients print the headers that they sent: a list of pairs."""
_LOGIN_OF_CURL = re.compile(
    r"(\bcurl\b[^\r\n,;|&]{0,200}?\s(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:)(?=[^\s\"']{0,200}\d)[^\s\"']{5,200}"
)
_ELEMENT = re.compile(
    r"(<(?:secret|token|password|passwd|pwd|api[_-]?key)>\s{0,9})(?!<)[^\s<>]{4,200}(?=\s{0,9}</)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?-i:(?<=[a-z])(?=[A-Z](?!oken))))((?:secret|token|password|passwd|pwd|passphrase"
    r"|senha|contrase(?:\u00f1|n)a|passwort|kennwort|mot de passe"
    r"|(?:api|(?:secret|shared)?access|account|private|secret|signing|storage|subscription)[_-]?key)"
    r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"(?!(?<=: )(?-i:[A-Z]?[a-z\u00df-\u00f6\u00f8-\u00ff]{1,40}+|[A-Z]{1,40}+)[.,;:!?)]{0,3}(?:\s|$))[^\s\"',;<>]{6,}",
    re.IGNORECASE,
)
"""A value behind its name. Prose goes on with a plain word ("get_token: Return the next token"): that is none."""
HOW_KEPT = (
    r"(?:(?:SHA|RSA|WPA|WEP|TLS|UTF|ISO)-?\d{1,5}(?:-\d{1,3}(?![\d-]))?|AES(?:-?(?:128|192|256))?|MD5|PBKDF2?|[Bb]ase64"
    r"|[Aa]rgon2|[Bb]crypt|[Ss]?crypt|OAuth2?)(?:-(?:PSK|GCM|CBC|HMAC|OAEP|SHA-?\d{1,3}|Enterprise|Personal))*+"
    r"(?:-?[a-z\u00df-\u00f6\u00f8-\u00ff]{1,30})?+|mind?\d{1,2}-?(?:Zeichen|Stellen|[a-z\u00df-\u00f6\u00f8-\u00ff]{1,30})"
)
"""What a sentence about a password goes on with: "SHA256-hashed", "min8characters"; "SHA256-anna-77" is one."""
_TOLD_PASSWORD = re.compile(
    r"(?<!\w)((?:[Pp]asswor[dt] (?:is|was|ist|lautet|war|\u00e8)|[Kk]ennwort (?:ist|lautet|war)|[Mm]ot de passe est"
    r"|(?:[Ss]enha|[Pp]alavra-passe) \u00e9|[Cc]ontrase\u00f1a es)(?:[ ]?:)?[ ]{1,2}(?:[\"'`]|\u00ab[ \u00a0]?)?)"
    rf"(?!(?:{HOW_KEPT})(?![^\s.,;:!?)]))"
    r"(?=[^\s\"'`]{0,63}\d)(?=[^\s\"'`]{0,63}[^\W\d_])(?!\d{1,4}(?:-|st|nd|rd|th))"
    r"(?![^\s\"'`,;<>]{1,63}(?:-(?:bit|based|compliant|protected|salted|characters?|digits?)"
    r"|[- ](?:encrypted|hashed|encoded))\b)"
    r"[^\s\"'`,;<>]{5,63}[^\s\"'`,;.!?<>)]"
)
"""In a sentence: letters and digits together, for a plain word goes on with it, and so does how it is kept."""
_IBAN = _printed(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ./-]?[A-Z0-9]){11,30}")
_IBAN_IN_ANY_CASE = _printed(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[ ./-]?[A-Za-z]){0,4}(?:[ ./-]?[0-9]){10,26}(?![A-Za-z0-9])"
)
_CNPJ = re.compile(r"(?<![\w.])(?:\d{14}|[A-Z0-9]{2}\.?[A-Z0-9]{3}\.?[A-Z0-9]{3}/[A-Z0-9]{4}-?\d{2})(?!\w)")
_CPF = re.compile(r"(?<![\d.])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)")
_SSN = _printed(r"(?<![\d-])(?!000|666|9)\d{3}([ -])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_CARD = _printed(r"(?<![\d.])[2-6\uff12-\uff16](?:[ -]?\d){12,18}(?!\d)")
_SEPARATED_CARD = re.compile(
    r"(?<![0-9])(?=[0-9]{4}([/.+\u00b7\u2022]|[ ]{2}|[ ][-\u2013/][ ])[0-9])"
    r"(?:[2-6][0-9]{3}(?:\1[0-9]{4}){3}|3[47][0-9]{2}\1[0-9]{6}\1[0-9]{5})(?!\1?[0-9])"
)
"""Four groups between signs that cards do not have between them, and no fifth."""
_YEARS = re.compile(r"(?:20\d\d\D{1,3}){3}20\d\d")
_GROUPED_CARD = _printed(
    r"(?<=\d[ -])(?=((?:[2-6]\d{3}([ -])\d{4}\2\d{4}\2\d{4}|3[47]\d\d([ -])\d{6}\3\d{5}|[2-6]\d{12,18})(?!\d)))"
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\w)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_PHONE = _printed(
    r"(?<![\w.+-])(?:"
    r"\+\d{1,3}(?:[ .()/-]{0,2}\d){6,13}"
    r"|(?<!/)(?<!\d[ ])00[1-9]\d{0,2}[ /-](?:[ .()/-]{0,2}\d){6,12}"
    r"|\(\d{2,4}\)[ ]?\d{3,5}[ .-]?\d{4}"
    r"|\(\d{3}\)[ ]?\d{3}[-]\d{2}[-]\d{2}"
    r"|(?:1[ .-])?\d{3}[ .-]\d{3}[ .-]\d{4}"
    r"|\d{2}[ ]\d{4,5}[-]\d{4}"
    r"|(?<!\d[ ])0\d{1,4}[ /-]\d{3,5}(?:[ -]?\d{2,5}){1,2}"
    r"|(?<!\d[ ])0[1-9](?:[ .]\d{2}){4}(?![ .]\d)"
    r")(?![\w-])"
)
_LONGEST_PHONE = 80
"""Characters, and what follows it."""
_MOST_LOOKS = 16
"""At a text: a hostile one could uncover one match a look, for ever."""


def redact(text: str) -> str:
    """The text with what the built-in rules find replaced by ``<EMAIL>``, ``<CARD>``, ``<SECRET>`` and so on.

    >>> redact("Card 4111 1111 1111 1111, order 4111 1111 1111 1112, CPF 529.982.247-25")
    'Card <CARD>, order 4111 1111 1111 1112, CPF <CPF>'
    """
    return redact_by(RULES, text)


def redact_by(rules: Sequence[Rule], text: str) -> str:
    """The text without what these rules find."""
    for _ in range(_MOST_LOOKS):  # what stood before a match may have hidden another
        before, text = text, _once(rules, text)
        if text == before:
            break
    return text


def _once(rules: Sequence[Rule], text: str) -> str:
    look = Look(text.encode("utf-8", "surrogatepass"))
    for rule in rules:
        if rule.clue(look):
            text = rule.replace(text)
    return text


def rules_for(data: bytes, rules: Iterable[Rule] | None = None) -> tuple[Rule, ...]:
    """Those of the rules (None: all) that may find something in these bytes: UTF-8, or a message that holds texts.

    >>> [len(rules_for(data)) for data in (b"Water boils at 100 degrees [1].", b"to ana@example.org")]
    [0, 1]
    """
    look, chosen = Look(data), tuple(RULES if rules is None else rules)
    return chosen if disguised(look) else tuple(rule for rule in chosen if rule.clue(look))


def all_of(redactors: Iterable[Redactor]) -> Redactor:
    """One redactor that applies these in order.

    >>> all_of([redact, str.upper])("to ana@example.org")
    'TO <EMAIL>'
    """
    chosen = tuple(redactors)

    def applied(text: str) -> str:
        for redactor in chosen:
            text = redactor(text)
        return text

    return applied


def presidio(*, language: str = "en") -> Redactor | None:
    """Microsoft Presidio as a redactor when it is installed, else None; its model loads with the first text.

    The largest installed spaCy model of the language finds names; without one only Presidio's patterns work.
    """
    if find_spec("presidio_analyzer") is None:
        return None
    from ragvigil.tracer._presidio import Presidio

    return Presidio(language).redacted


def _phones(text: str) -> str:
    """The text without telephone numbers, also where one stands right behind another, whose digits would hide it."""
    pieces, start = list[str](), 0
    while (match := _PHONE.search(text, start)) is not None:
        pieces += [text[start : match.start()], "<PHONE>"]
        start = match.end()
        while text[start : start + 1] in _SPACES and (
            behind := _PHONE.match(text[start + 1 : start + 1 + _LONGEST_PHONE])
        ):
            pieces += [text[start], "<PHONE>"]
            start += 1 + behind.end()
    return "".join([*pieces, text[start:]])


def _iban(match: re.Match[str]) -> str:
    """The replacement, when the country's length and the check digits (ISO 13616, modulo 97) are right."""
    given = match[0]
    length = _IBAN_LENGTHS.get(given[:2].upper(), 0)
    letters = "".join(filter(str.isalnum, given))[:length]
    if not length or len(letters) < length:
        return given
    number = int("".join(str(int(letter, 36)) for letter in letters[4:] + letters[:4]))
    return "<IBAN>" + given[_end_of(given, length) :] if number % 97 == 1 else given


def _cards(text: str) -> str:
    """The text without card numbers, also where a number stands right before one as cards print it."""
    pieces, start = list[str](), 0
    for match in _GROUPED_CARD.finditer(text):
        given = match[1]
        if match.start() >= start and _luhn([int(character) for character in given if character.isdigit()]):
            pieces += [_CARD.sub(_card, text[start : match.start()]), "<CARD>"]
            start = match.start() + len(given)
    return "".join([*pieces, _CARD.sub(_card, text[start:])])


def _separated_card(match: re.Match[str]) -> str:
    """The replacement, when the digits satisfy Luhn's check and it is no row of years or part of a longer one."""
    given, sign = match[0], match[1]
    before = match.string[max(0, match.start() - len(sign) - 1) : match.start()]
    if _YEARS.fullmatch(given) or (before.endswith(sign) and before[:1].isdigit()):
        return given
    return "<CARD>" if _luhn([int(digit) for digit in given.replace(sign, "")]) else given


def _card(match: re.Match[str]) -> str:
    """The replacement, when the digits, or those up to a separator, satisfy Luhn's check (ISO 7812)."""
    given = match[0]
    digits = [int(character) for character in given if character.isdigit()]
    for length in dict.fromkeys((len(digits), 16, 15)):
        end = _end_of(given, length)
        if (
            length <= len(digits)
            and (end == len(given) or not given[end].isdigit())
            and _luhn(digits[:length])
        ):
            return "<CARD>" + given[end:]
    return given


def _luhn(digits: list[int]) -> bool:
    doubled = [
        digit if index % 2 == 0 else digit * 2 - 9 * (digit > 4) for index, digit in enumerate(digits[::-1])
    ]
    return any(digits) and sum(doubled) % 10 == 0


def _cpf(match: re.Match[str]) -> str:
    digits = [int(character) for character in match[0] if character.isdigit()]
    return "<CPF>" if _checked(digits, (10, 11)) else match[0]


def _cnpj(match: re.Match[str]) -> str:
    """The replacement; letters count as their code minus 48, as in the numbers issued since 2026."""
    values = [ord(character) - 48 for character in match[0] if character.isalnum()]
    return "<CNPJ>" if _checked(values, (5, 6), wrap=True) else match[0]


def _checked(values: list[int], starts: tuple[int, int], *, wrap: bool = False) -> bool:
    """Whether the last two digits are the two modulo-11 check digits; weights fall from ``starts`` to 2."""
    if len(set(values)) == 1:
        return False
    for position, start in zip((-2, -1), starts, strict=True):
        weights = [start - index for index in range(len(values) + position)]
        if wrap:
            weights = [weight if weight > 1 else weight + 8 for weight in weights]
        rest = sum(weight * value for weight, value in zip(weights, values, strict=False)) % 11
        if values[position] != (0 if rest < 2 else 11 - rest):
            return False
    return True


def _ipv4(match: re.Match[str]) -> str:
    return "<IP>" if all(int(part) < 256 for part in match[0].split(".")) else match[0]


def _ipv6(match: re.Match[str]) -> str:
    """The replacement, when it is a complete address and not a time or a piece of code."""
    parts = match[0].split(":")
    gaps = match[0].count("::")
    whole = len(parts) == 8 and all(parts)
    short = gaps == 1 and ":::" not in match[0] and len(parts) <= 8 and any(parts)
    return "<IP>" if whole or short else match[0]


def _end_of(text: str, length: int) -> int:
    """Where the first so many letters and digits end."""
    for index, character in enumerate(text):
        length -= character.isalnum()
        if length == 0:
            return index + 1
    return len(text)


class Rule(NamedTuple):
    """One kind of thing to replace."""

    clue: Callable[[Look], bool]
    """Whether it may be there at all; cheap."""
    replace: Redactor


def _undisguised(text: str) -> str:
    return undisguised(text, lambda line: _once(_PLAIN_RULES, line) != line)


_PLAIN_RULES = (
    Rule(_clues.login_in_url, partial(_LOGIN_IN_URL.sub, r"\1<SECRET>@")),
    Rule(_clues.email, partial(_EMAIL.sub, "<EMAIL>")),
    Rule(_clues.spelt_email, partial(_SPELT_EMAIL.sub, "<EMAIL>")),
    Rule(_clues.email_in_url, partial(_EMAIL_IN_URL.sub, "<EMAIL>")),
    Rule(_clues.key_block, partial(_KEY_BLOCK.sub, "<SECRET>")),
    Rule(_clues.token, partial(_TOKEN.sub, "<SECRET>")),
    Rule(_clues.bearer, partial(_BEARER.sub, r"\1 <SECRET>")),
    Rule(_clues.signed, partial(_SIGNED.sub, r"\1<SECRET>")),
    Rule(_clues.cookie, partial(_COOKIE.sub, r"\1<SECRET>")),
    Rule(_clues.header_pair, partial(_HEADER_PAIR.sub, r"\1<SECRET>")),
    Rule(_clues.login_of_curl, partial(_LOGIN_OF_CURL.sub, r"\1<SECRET>")),
    Rule(_clues.element, partial(_ELEMENT.sub, r"\1<SECRET>")),
    Rule(_clues.assigned, partial(_ASSIGNED.sub, r"\1<SECRET>")),
    Rule(_clues.told_password, partial(_TOLD_PASSWORD.sub, r"\1<SECRET>")),
    Rule(_clues.ipv6, partial(_IPV6.sub, _ipv6)),
    Rule(_clues.iban, partial(_IBAN.sub, _iban)),
    Rule(_clues.iban_in_any_case, partial(_IBAN_IN_ANY_CASE.sub, _iban)),
    Rule(_clues.cnpj, partial(_CNPJ.sub, _cnpj)),
    Rule(_clues.cpf, partial(_CPF.sub, _cpf)),
    Rule(_clues.ssn, partial(_SSN.sub, "<SSN>")),
    Rule(_clues.card, _cards),
    Rule(_clues.separated_card, partial(_SEPARATED_CARD.sub, _separated_card)),
    Rule(_clues.ipv4, partial(_IPV4.sub, _ipv4)),
    Rule(_clues.phone, _phones),
)
RULES = (Rule(disguised, _undisguised), *_PLAIN_RULES)
"""The built-in rules, in the order in which they are applied."""
