"""Passages and question out of a prompt, where no other signal carries them.

Only a context numbered [1], [2], [3] … from one without a gap is taken for passages: anything less regular
would be a guess.
"""

from __future__ import annotations

import re

_ASKED = (
    "question|query|q|user|frage|pregunta|consulta|pergunta|domanda|vraag|fråga|spørgsmål|spørsmål|kysymys|pytanie"
    "|otázka|kérdés|întrebare|вопрос|питання|въпрос|ερώτηση|soru|السؤال|سؤال|سوال|שאלה|प्रश्न|सवाल|คำถาม|câu hỏi"
    "|pertanyaan|问题|問題|提问|質問|질문|soalan|tanong|swali|küsimus|klausimas|jautājums|vprašanje|pitanje|питање"
    "|прашање|pyetja|galdera|spurning|ceist|cwestiwn|sual|savol|сұрақ|асуулт|კითხვა|հարց|پرسش|প্রশ্ন|ਸਵਾਲ|પ્રશ્ન"
    "|கேள்வி|ప్రశ్న|ಪ್ರಶ್ನೆ|ചോദ്യം|ප්‍රශ්නය|ຄຳຖາມ|សំណួរ|မေးခွန်း|ጥያቄ"
)
"""How prompts label the question, in the languages that prompts are written in most."""
_TOLD = (
    "answer|antwort|respuesta|réponse|resposta|risposta|antwoord|svar|vastaus|odpowiedź|odpověď|válasz|răspuns"
    "|ответ|відповідь|отговор|απάντηση|cevap|الإجابة|الجواب|إجابة|תשובה|उत्तर|คำตอบ|câu trả lời|jawaban"
    "|回答|答案|答え|답변|답"
)
"""How they label the place of the answer."""
_COLON = r"[*_]*[^\S\n]*[:\uff1a][*_]*"
"""French and some others set a space before a colon, often one that does not break; Markdown, emphasis around it."""
_HEAD = r"[ \t]*(?:#{1,6}[ \t]+)?[*_]*"
"""What Markdown may put before a label."""
_FRAME = "[a-z_]*(?:context|document|source|passage|excerpt|result|knowledge|question|query)s?"
"""Tags that prompts put around the passages and the question."""
_MARK = re.compile(r"^[ \t]*\[(\d{1,3})\][ \t:]*(?=\S)", re.MULTILINE)
_END = re.compile(
    rf"\n[ \t]*\n|\n(?={_HEAD}(?:user )?(?:{_ASKED}|{_TOLD})(?:{_COLON}|[*_]*[ \t]*\n))|\n(?=[ \t]*</?{_FRAME}>)",
    re.IGNORECASE,
)
_WORD = r"[^\s\d_:\uff1a.,;!?()\[\]{}<>\"'/]{1,16}"
_LABEL = re.compile(rf"^{_HEAD}{_WORD}(?: {_WORD})?(?:{_COLON}(?!//)\s*)|^[ \t]*#{{1,6}} [^\n]{{1,40}}\n\s*")
_CLOSED = re.compile(r"</(?P<tag>[a-z_]*(?:question|query))>", re.IGNORECASE)
_CONTEXT_LABEL = re.compile(
    rf"\n[^\n]{{0,60}}[:\uff1a][*_]*\s*\Z|\n[ \t]*#{{1,6}} [^\n]{{1,40}}\s*\Z|\n[ \t]*<{_FRAME}>\s*\Z",
    re.IGNORECASE,
)
"""The last line before the passages, where it only says what follows."""
_TEMPLATE = re.compile(
    rf"^{_HEAD}(?:user )?(?:{_ASKED})(?:{_COLON}\s*|(?<=\w)[*_]*[^\S\n]*\n\s*)(?P<question>\S.*?)\s*"
    rf"(?:^{_HEAD}(?:\w+ )?(?:{_TOLD})[*_]*[^\S\n]*[:\uff1a]?[*_]*\s*)?\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_START = re.compile(
    rf"^{_HEAD}(?:user )?(?:{_ASKED}){_COLON}|^[ \t]*#{{1,6}}[ \t]+[*_]*(?:user )?(?:{_ASKED})[*_]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_PROMPT = 2_000_000
_LONGEST_QUESTION = 20_000


def passages_in(prompt: str) -> tuple[str, ...]:
    """The numbered passages of a prompt, in order; empty when there is no clean numbering.

    >>> passages_in("Cite with [n].\\n[1] Snow is white.\\n[2] Coal is black.\\n\\nQuestion: Why?")
    ('Snow is white.', 'Coal is black.')
    >>> passages_in("As [2] says, coal is black.")
    ()
    """
    return _split(prompt)[0]


def question_in(prompt: str) -> str:
    """The question of a prompt that has passages or a question label; any other text is the question itself.

    >>> question_in("[1] Snow is white.\\n\\nQuestion: What is white?")
    'What is white?'
    >>> question_in("Context: snow.\\nQuery: What is white?\\nAnswer: ")
    'What is white?'
    >>> question_in("Kontext: Schnee.\\nFrage: Was ist weiß?\\nAntwort:")
    'Was ist weiß?'
    >>> question_in("**Question:** What is white?\\n\\n**Context:**\\n[1] Snow is white.")
    'What is white?'
    >>> question_in("<context>\\n[1] Snow is white.\\n</context>\\n<query>What is white?</query>")
    'What is white?'
    >>> question_in("Is it [2]?")
    'Is it [2]?'
    """
    if tagged := _tagged(prompt[-_LONGEST_QUESTION:]):
        return tagged
    passages, before, after = _split(prompt)
    if not passages:
        labelled = _last_labelled(prompt[-_LONGEST_QUESTION:])
        return labelled["question"] if labelled and "\n" in prompt.strip() else prompt
    before = _CONTEXT_LABEL.sub("", f"\n{before}").strip()
    for part in (after, before):
        if labelled := _last_labelled(part[-_LONGEST_QUESTION:]):
            return labelled["question"]
    return _LABEL.sub("", after or before, count=1) or prompt


def _tagged(text: str) -> str | None:
    """The text in the last pair of tags that say that it is a question."""
    closed = [*_CLOSED.finditer(text)]
    if not closed:
        return None
    tag, end = f"<{closed[-1]['tag']}>", closed[-1].start()
    start = text.rfind(tag, 0, end)
    return text[start + len(tag) : end].strip() or None if start >= 0 else None


def _last_labelled(text: str) -> re.Match[str] | None:
    """The question behind the last label: passages of a list of frequent questions have labels, too."""
    starts = [found.start() for found in _START.finditer(text)]
    return _TEMPLATE.search(text, starts[-1]) if starts else None


def _split(prompt: str) -> tuple[tuple[str, ...], str, str]:
    """The passages, the text before them, and the text after them."""
    marks = list(_MARK.finditer(prompt[:_LONGEST_PROMPT]))
    if not marks or [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return (), prompt, ""
    edges = [mark.start() for mark in marks[1:]]
    texts = [prompt[mark.end() : edge].strip() for mark, edge in zip(marks, edges, strict=False)]
    last = prompt[marks[-1].end() :]
    end = _END.search(last)
    after = last[end.start() :].strip() if end else ""
    return (
        (*texts, last[: end.start()].strip() if end else last.strip()),
        prompt[: marks[0].start()].strip(),
        after,
    )
