"""Passages and question out of a prompt, where no other signal carries them.

Only a context numbered [1], [2], [3] … from one without a gap is taken for passages: anything less regular
would be a guess.
"""

from __future__ import annotations

import re

_ASKED = (
    "question|query|q|user|frage|pregunta|consulta|pergunta|domanda|vraag|fråga|spørgsmål|spørsmål|kysymys|pytanie"
    "|otázka|kérdés|întrebare|вопрос|питання|въпрос|ερώτηση|soru|السؤال|سؤال|שאלה|प्रश्न|सवाल|คำถาม|câu hỏi"
    "|pertanyaan|问题|問題|提问|質問|질문"
)
"""How prompts label the question, in the languages that prompts are written in most."""
_TOLD = (
    "answer|antwort|respuesta|réponse|resposta|risposta|antwoord|svar|vastaus|odpowiedź|odpověď|válasz|răspuns"
    "|ответ|відповідь|отговор|απάντηση|cevap|الإجابة|الجواب|إجابة|תשובה|उत्तर|คำตอบ|câu trả lời|jawaban"
    "|回答|答案|答え|답변|답"
)
"""How they label the place of the answer."""
_COLON = r"[^\S\n]*[:\uff1a]"
"""French and some others set a space before a colon, often one that does not break."""
_MARK = re.compile(r"^[ \t]*\[(\d{1,3})\][ \t:]*(?=\S)", re.MULTILINE)
_END = re.compile(rf"\n[ \t]*\n|\n(?=[ \t]*(?:{_ASKED}|{_TOLD}){_COLON})", re.IGNORECASE)
_WORD = r"[^\s\d_:\uff1a.,;!?()\[\]{}<>\"'/]{1,16}"
_LABEL = re.compile(rf"^{_WORD}(?: {_WORD})?{_COLON}(?!//)[^\S\n]*")
_TEMPLATE = re.compile(
    rf"^[ \t]*(?:user )?(?:{_ASKED}){_COLON}[^\S\n]*(?P<question>\S.*?)\s*"
    rf"(?:^[ \t]*(?:\w+ )?(?:{_TOLD})[^\S\n]*[:\uff1a]?\s*)?\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_START = re.compile(rf"^[ \t]*(?:user )?(?:{_ASKED}){_COLON}", re.IGNORECASE | re.MULTILINE)
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
    >>> question_in("Is it [2]?")
    'Is it [2]?'
    """
    labelled = _last_labelled(prompt[-_LONGEST_QUESTION:])
    passages, before, after = _split(prompt)
    if labelled and (passages or "\n" in prompt.strip()):
        return labelled["question"]
    if not passages:
        return prompt
    rest = after or before
    return _LABEL.sub("", rest, count=1) or prompt


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
