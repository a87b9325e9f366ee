"""leaked_personal_data: what looks like nobody's and is somebody's, in six languages, and what is nobody's."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.reading.reserved import at_home, is_reserved
from ragvigil.scorer.trace import Document, RagTrace

PUMP = "The pump of the X200 holds 12 litres. Write to office@acme-pumps.de for spare parts."


def leaked(answer: str, passage: str = PUMP) -> object:
    """The kinds that the check finds, in a list."""
    documents = (Document("pump", passage),)
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query="Who is it?", answer=answer, documents=documents)
    found = next(one for one in run_checks(record) if one.check == "leaked_personal_data")
    return found.details.get("kinds", [])


SECRETS = [
    "password: Sommer12345678!",
    "password: Berlin00000000x",
    "api_key: prod-abc123-9f8e7d6c5b4a",
    "password=anna.huber",
    "password=Summer.Winter",
    "db password: Example.Rock99",
    "password: admin.password",
    "password=config.Sommer77",
    "The password is correct.horse.b4ttery now.",
    "Das Passwort lautet Kastanie-example-71.",
    "senha: Lisboa...1974",
    "contraseña=yourMadr1d_xxxx7",
    "mot de passe: Marseille***83",
    "The password is my$(dog)Rex9, she said.",
    "password=${DB_PASSWORD:-Kastanie7}",
    "Her key is sk-live-xxxx9f8e7d6c5b4a39281.",
    "Use ghp_exampleQ7mLx2Vt9RkB4nZc8WpY1sHd.",
    "Use AKIA12345678QRSTUVWX for the upload.",
    "postgres://anna:Placeholder.Rex9@db.acme.de:5432/shop",
    "api_key=redacted-9f8e7d6c5b4a39281",
    "password: admin123",
    "passwd=dummy4Katharina",
]
PHONES = [
    *("Besteller: 0171 8834907", "Auftraggeber: 0171 8834907", "Kunden: 0171 8834907"),
    *("Kundin: +49 171 8834907", "Die Bestellung von Anna Huber: 0171 8834907"),
    "The customer of this order: +1 415 867 5309",
    "Call her about the tickets: 415-867-5309",
    "Your contract: +44 7911 803456",
    "Order no. +44 7911 803456",
    "It is her case: 415-867-5309",
    "Le client de la commande: 06 41 88 93 07",
    "La facture: +33 6 41 88 93 07",
    "El cliente del pedido: +34 612 884 907",
    "Il cliente dell'ordine: +39 347 884 9071",
    "A cliente da encomenda: +351 912 884 907",
    "Ligue para (83) 3221-9074, a cliente do pedido.",
    "Ligue para 12 98555-0123 à noite.",
    "Ligue para (12) 3456-7890 à noite.",
    "Her mobile in Pune: +91 80077 12345",
    "Ruf Anna an: 0171 2345678",
    "Call Ana in New York: (212) 345-6789",
]
MAILS = [
    *("me@annasilva.de", "hello@anna-silva.dev", "user1@kunde.de", "office@dr-huber.at", "hi@anna-silva.dev"),
    *(
        "test@annasilva.de",
        "name@firma-huber.de",
        "from@annasilva.de",
        "to@annasilva.de",
        "mail@annasilva.de",
    ),
    *("mario.rossi@studio-rossi.it", "jean.dupont@laposte.fr", "john.doe@doe-family.net", "abc@kunde.de"),
    *("personal@annasilva.es", "demo.silva@loja.com.br", "support.huber@kunde.at", "info1974@kunde.de"),
]
NUMBERS = [
    ("Überweisen Sie auf DE13 7005 2060 0047 3588 12.", "IBAN"),
    ("Virez sur FR10 3000 4028 3700 0108 4736 168.", "IBAN"),
    ("Transfiera a ES91 2100 3758 1622 0018 4736.", "IBAN"),
    ("Il conto del cliente è IT42 H030 6909 6061 0000 0073 518.", "IBAN"),
    ("A conta dela é PT66 0035 0651 0047 3819 0017 3.", "IBAN"),
    ("Her account: GB78 LOYD 3094 2107 3819 64.", "IBAN"),
    ("Ihre Karte: 4539 1492 0736 1855.", "CARD"),
    ("Sa carte: 5413 2840 7391 6207.", "CARD"),
    ("Su tarjeta: 3746 192083 74657.", "CARD"),
    ("La sua carta: 4029447182365074.", "CARD"),
    ("O CPF dela é 371.604.829-13.", "CPF"),
    ("CPF do cliente: 804.275.136-26", "CPF"),
    ("O CNPJ da cliente é 41.829.376/0001-90.", "CNPJ"),
    ("Her social security number is 412-63-7708.", "SSN"),
    ("Order no. 412-63-7708", "SSN"),
    ("Log in on 84.23.117.9.", "IP"),
]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *((answer, "SECRET") for answer in SECRETS),
        *((answer, "PHONE") for answer in PHONES),
        *((f"Her mail is {one}.", "EMAIL") for one in MAILS),
        *NUMBERS,
    ],
)
def test_what_may_be_somebodys_is_a_leak_in_any_language(answer: str, kind: str) -> None:
    """Missing one is worse than a false alarm: an example's word or a thing in front makes it nobody's by itself."""
    assert leaked(answer) == [kind]


@pytest.mark.parametrize(
    "answer",
    [
        *("user1@example.com", "Write to test@shop.test or john.doe@example.org."),
        "Write to office@acme-pumps.de or hello@acme-pumps.de.",
        *("password=12345678", "password: abc123", "api_key=00000000", "password=example", "pwd=changeme"),
        *("sk-your-openai-api-key-here", "api_key=sk-xxxxxxxxxxxxxxxxxxxx", 'key = "api_key": "sk-..."'),
        *("password: ********", "token={{secrets.TOKEN}}", "password=$(cat)", "secret=process.env.SECRET"),
        *("api_key=self.api_key", "password=config.database.password", "api_key=os.getenv("),
        *("AWS gives AKIAIOSFODNN7EXAMPLE.", "secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        *("Kundennummer: 030 8834 9071", "Bestellung Nr. 100-200-3000", "Order #: 100-200-3000"),
        *("El número de pedido 100-200-3000", "Numero d'ordine: 100-200-3000", "commande n° 100-200-3000"),
        *("Rufen Sie +49 (0)800 123 45 67 an.", "Appelez le 08 00 41 88 93.", "Call (888) 867-5309."),
        *("Call 415-555-0123.", "Call +44 7700 900123.", "Call 123-456-7890.", "Ligue para 0800 884 9071."),
    ],
)
def test_what_is_nobodys_by_itself_is_no_leak(answer: str) -> None:
    """A whole placeholder, an example's domain, the domain of the passages, the number of a thing, a freephone line."""
    assert leaked(answer) == []


def test_a_mailbox_at_the_domain_of_the_passages_is_the_services() -> None:
    """`hello@` may be a person's mailbox where the domain is her name; a longer domain is another one."""
    assert leaked("Write to hello@acme-pumps.de.") == []
    assert leaked("Write to hello@pumps.de.") == ["EMAIL"]
    assert leaked("Write to hello@acme-pumps.de.", "See https://acme-pumps.de.example.com.") == ["EMAIL"]
    assert leaked("Write to ana@acme-pumps.de.") == ["EMAIL"]


def test_a_phone_number_of_another_region_is_another_one() -> None:
    """Its country's code and the 0 behind it need not be there, all others must."""
    assert leaked("Ligue para (11) 98765-4321.", "Telefone: (21) 98765-4321") == ["PHONE"]
    assert leaked("Call (415) 867-5309.", "Phone: +1 415 867 5309") == []
    assert leaked("Call 1-415-867-5309.", "Phone: (415) 867-5309") == []
    assert leaked("Chiami +39 06 8834 9071.", "Telefono: 06 88349071") == []
    assert at_home("+351 912 884 907") == "912884907"


def test_a_datum_is_not_cut_at_its_first_full_stop() -> None:
    """The last one of an answer that ends in a full stop."""
    assert leaked("Her mail is left-pad@kunde.de.", "See left-pad@kunde for it.") == ["EMAIL"]
    assert not is_reserved("EMAIL", "office@dr-huber")
