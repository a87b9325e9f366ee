"""Words that people write in brackets and that are no ids: remarks, and what is to be filled in."""

from __future__ import annotations

_WORDS = """
above achtung added aggiunto and anm anmerkung aplauso aplausos applause applausi approximate approximately are
atenção attached attention attenzione ausgelassen auslassung avertissement aviso avviso añadido beispiel beleg below
beta blank borrador bozza brouillon brut bruta bruto brutto caution caviardé censored censurada censurado censurato
citation confirmed consigliato cont continued corsivo crosstalk default dele deleted deprecated desconhecido
desconocido done draft ed edit edited editor ejemplo elas eles ella elle ellipsis ellos empfohlen emphasis empty
enclosed enfasi entfernt entwurf erforderlich ergänzt ergänzung esempio estimado estimated estimé etc eux example
examples exemple exemplo experimental facoltativa facoltativo facultatif facultative false fehlt freiwillig gelöscht
geschwärzt geschätzt grifo grifos gross had has have he her here hervorhebung him hinweis his ibid idem ihm ihn ihnen
ihr ilegible ilegível illeggibile illegible illisible important importante in inaudible inaudível inconnu info irony
is it italics its joke keine laughs laughter leer lordo loro lui líquido mine needed net neto netto neu new no none
nosso not nota notas note notes nouveau novo nuevo null nuovo obbligatorio oben obligatoire obligatorio obrigatório
obsoleto obsolète of ok omesso omis omissis omitido omitted on opcional optional optionnel optionnelle or oscurato our
ours pause pending pun quelle quellen rascunho recomendado recommandé recommended redacted reference references
remarque removed required rimosso rires risas risate risos sarcasm sconosciuto see she sic sie siehe souligné source
sources supprimé suprimida suprimido tba tbd that the their them these they this those tip tipp to todo tradotto
traducción traduction traduzione tradução translated translation true unbekannt unclear unknown unleserlich uns unten
unverified unverständlich update updated us vedi veraltet verified voir véase wahlweise warning warnung was we were
wichtig yes you your énfasis übersetzung 中略 任意 可选 备注 注 注意 省略 笑
"""
_TO_FILL_IN = """
absender account address adresse amount anschrift apellido apellidos assinatura azienda betrag card cidade città city
ciudad client cliente cognome company contact correo country credit_card currency customer data date date_of_birth
datum day department destinataire destinatario dirección e-mail email email_address empfänger employee employer
empresa endereço enlace entreprise fax fecha firma first-name first_name firstname full-name full_name fullname gpe
iban id importe importo indirizzo ip ip_address item key kunde last-name last_name lastname lien link loc location
mail manager misc mobile montant month nachname name names nom nombre nome number numero nummer numéro número order
org organisation organization organization_name ort password people per person phone phone_number pii place
placeholder platzhalter position postcode price product prénom recipient role secret sender signature sobrenome
société ssn stadt straße street sum surname team telefon telefone telefono telephone teléfono text time titel title
token total town téléphone unternehmen unterschrift url us_ssn user username valor value ville vorname website year
zip 公司 名字 地址 姓名 日期 电话
"""
_FIELDS = frozenset(_TO_FILL_IN.split())
"""What is to be filled in, be it of anything: `ORDER_ID`."""
ASIDES = frozenset(_WORDS.split()) | _FIELDS
_OWNERS = """
dein deine enter ihr ihre il-tuo inserire insert insira insérer mein meine mi my seu su sua the tu tuo vostro votre
your
"""
OWNERS = frozenset(_OWNERS.split())
"""What a placeholder begins with that is to be filled in, as in `your-name`."""
_BEGINNINGS = tuple(f"{word}{joint}" for word in OWNERS for joint in "-_")
_ENDINGS = ("-name", "_name", "-here", "_here", "-number", "_number")


def is_aside(text: str) -> bool:
    """Whether one word in brackets is a remark, something to fill in, or what redaction leaves.

    >>> [is_aside(text) for text in ("sic", "Optional", "your-name", "EMAIL_2", "ORDER_ID", "sick-pay", "doc-3")]
    [True, True, True, True, True, False, False]
    """
    folded = text.casefold()
    if text.isupper() and "_" in text and folded.rpartition("_")[2] in _FIELDS:
        return True
    bare = folded.rstrip("0123456789").rstrip("_-") if text.isupper() else folded
    return bare in ASIDES or bare.startswith(_BEGINNINGS) or bare.endswith(_ENDINGS)
