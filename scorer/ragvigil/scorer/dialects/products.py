"""Contexts in the default prompts of products, known by the words that these put around them.

Most put nothing but empty lines, or line breaks, between passages, which stand within passages as well. So such a
context is one passage where it has none of them; else it is left whole.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ragvigil.scorer.dialects.fields import texts_behind, without_fields
from ragvigil.scorer.dialects.frames import Context
from ragvigil.scorer.dialects.shapes import is_template, split_frame, without_bullet
from ragvigil.scorer.dialects.values import mapping_of, text_of
from ragvigil.scorer.trace import Document

_RULE = r"-{5,40}"
_PARAGRAPHS = r"\n[ \t]*\n"
_LINES = r"\n"


class _Product(NamedTuple):
    """What stands around a context and its passages, as patterns, in a prompt with one break before its first line.

    A prompt may be nothing but the words of one of these, again and again: no pattern goes on for more than some lines.
    """

    says: str
    """Words of the prompt that are looked for first, for that takes a tenth of the time."""
    before: str
    """Up to the context; it may hold the `question`."""
    behind: str
    """From the end of the context on; it may hold the `question`. "" where the context goes on to the end."""
    between: str
    """What parts passages, and may stand in one."""
    begins: str = ""
    """What every passage begins with, the first as well, where nothing else does; it may say a `name`."""
    ends: str = ""
    """What ends each of these, if anything does."""
    after_question: bool = False
    """Whether what is before all this is the question."""
    open: bool = False
    """Whether the context goes on to the end where nothing is behind it."""
    rows: bool = False
    """Whether each passage is an object in JSON on a line of its own, and nothing else in it is one."""


_PRODUCTS = (
    # LangChain's chain `stuff`, and what n8n made of it.
    _Product(
        "to answer the",
        r"Use the following pieces of (?:retrieved )?context to answer (?:the )?(?:user'?s'? )?question[^\n]{0,2000}\n"
        rf"(?:[^\n-][^\n]{{0,2000}}\n){{0,4}}{_RULE}\n(?:Context: ?)?",
        "",
        _PARAGRAPHS,
    ),
    _Product(
        "to answer the question at the end.",
        r"Use the following pieces of context to answer the question at the end\.[^\n]{0,2000}\n\n",
        r"\n[ \t]*Question: ",
        _PARAGRAPHS,
    ),
    # LangChain's hub and guides: whoever copies them joins passages in a way of their own.
    _Product(
        "pieces of retrieved context to answer the question.",
        r"Use the following pieces of retrieved context to answer the question\.[^\n]{0,2000}"
        r"(?:\n[^\n]{1,2000}){0,4}?\nQuestion: (?P<question>[^\n]{0,2000})\n[ \t]*Context: ?",
        r"\n[ \t]*Answer:[ \t\n]*\Z",
        _LINES,
        open=True,
    ),
    _Product(
        "pieces of retrieved context to answer the question.",
        r"Use the following pieces of retrieved context to answer the question\.[^\n]{0,2000}"
        r"(?:\n(?!Question:)[^\n]{1,2000}){0,4}\n\n",
        r"\n[ \t]*Question: ",
        _LINES,
        open=True,
    ),
    _Product(
        " context:\n",
        r"Answer the (?:following )?question based (?:only|solely) on the (?:following|provided) context:\n",
        r"\n[ \t]*Question: ",
        _LINES,
    ),
    _Product(
        "based solely on the context below:",
        r"Answer any use questions based solely on the context below:\s*<context>",
        r"</context>",
        _PARAGRAPHS,
    ),
    _Product(
        "Use the following context in your response:",
        r"Use the following context in your response:\n\n",
        "",
        _LINES,
    ),
    # LlamaIndex; Spring AI took over its words.
    _Product(
        "Context information",
        rf"Context information(?: from multiple sources)? is below\.\n{_RULE}\n",
        rf"\n{_RULE}\n",
        _PARAGRAPHS,
    ),
    _Product(
        "Use the context information below to assist the user.",
        rf"Use the context information below to assist the user\.\n{_RULE}\n",
        rf"\n{_RULE}[ \t\n]*\Z",
        _PARAGRAPHS,
    ),
    _Product(
        "Here are the relevant documents for the context:",
        r"Here are the relevant documents for the context:\n\n",
        r"\n[ \t]*Instruction: Based on the above documents",
        _PARAGRAPHS,
    ),
    _Product(
        "The original query is as follows:",
        r"The original query is as follows: (?P<question>[^\n]{0,2000})\n(?:[^\n]{0,2000}\n){1,40}?"
        rf"[^\n]{{0,2000}}with some more context below\.\n{_RULE}\n",
        rf"\n{_RULE}\nGiven the new context",
        _PARAGRAPHS,
    ),
    _Product(
        "Context information is below.",
        rf"Context information is below\.\n\n{_RULE}\n",
        rf"\n{_RULE}\n",
        _LINES,
    ),
    _Product(
        "Context information is below, surrounded by",
        rf"Context information is below, surrounded by {_RULE}\s*\n{_RULE}\n",
        rf"\n{_RULE}\n",
        _LINES,
        after_question=True,
    ),
    # LangChain4j
    _Product(
        "Answer using the following information:",
        r"\n\nAnswer using the following information:\n",
        "",
        _PARAGRAPHS,
        after_question=True,
    ),
    # Haystack's guides: a loop, in which each passage begins an indented line.
    _Product(
        "answer the question.",
        r"Given (?:the following information|these documents), answer the question\.\s*\n(?:Context|Documents):\n"
        r"(?=[ \t]*\n[ \t]{2})",
        r"\n[ \t]*Question: ",
        _PARAGRAPHS,
    ),
    # Flowise
    _Product(
        "to the best of your ability",
        r"answer the user's question to the best of your ability[^\n]{0,2000}\n"
        rf"(?:[^\n-][^\n]{{0,2000}}\n){{0,4}}{_RULE}\n",
        rf"\n{_RULE}\nREMEMBER:",
        _LINES,
    ),
    # Dify, and the first versions of Open WebUI
    _Product(
        "Use the following context as your learned knowledge",
        r"Use the following context as your learned knowledge, inside <context></context> XML tags\.\s*<context>",
        r"</context>",
        _LINES,
    ),
    # Langflow
    _Product(
        "Given the context above, answer the question as best as possible.",
        r"\A",
        r"\n---\n+Given the context above, answer the question as best as possible\.",
        _LINES,
    ),
    # Embedchain
    _Product("Context information:", rf"Context information:\n{_RULE}\n", rf"\n{_RULE}\n", r" \| |\n"),
    # AutoGen
    _Product(
        "User's question is: ",
        r"\nUser's question is: (?P<question>[^\n]{0,2000})\n+Context is: ",
        "",
        _LINES,
    ),
    # CrewAI
    _Product(
        "\n\nAdditional Information: ",
        r"\A\s*Current Task: [^\n]{1,2000}\n(?:[^\n]{0,2000}\n){1,40}?\nAdditional Information: ",
        "",
        _LINES,
    ),
    # Semantic Kernel and the Agent Framework
    _Product(
        "Consider the following information from source documents",
        r"Consider the following information from source documents when responding to the user:(?=\n)",
        r"\n----\n+(?:Include citations|\Z)",
        _LINES,
        begins=r"(?:\A|\n----)\n(?=(?:SourceDocName|SourceDocLink|Contents): )",
    ),
    _Product(
        "Include citations to the relevant information",
        r"\A(?=\s*\n[ \t]*Name: )",
        r"\n[ \t]*-{17}[ \t]*\n\s*\n(?P<question>[^\n]{1,2000})\n\s*\nInclude citations to the relevant information",
        _LINES,
        begins=r"(?:\A|\n[ \t]*-{17})\s*\n[ \t]*(?=Name: )",
    ),
    # Kernel Memory
    _Product(
        "Given only the facts above",
        r"\nFacts:(?=\n)",
        r"\n======\nGiven only the facts above",
        _LINES,
        begins=r"\n==== \[File:(?P<name>[^;\]\n]{1,200});[^\]\n]*\]:\n",
    ),
    # OpenAI's guide
    _Product(
        "Wikipedia article section:",
        r'answer the subsequent question\.[^\n]{0,2000}\n(?=\nWikipedia article section:\n""")',
        r'\n"""\s*\nQuestion: ',
        _LINES,
        begins=r'(?:\A|\n""")\s*\nWikipedia article section:\n"""\n',
    ),
    # LightRAG: what its graph tells is shown as well, and what its passages are from below them
    *(
        _Product(
            says, before, r"\nReference Document List \(", _LINES, begins=r"\n(?=\{)", rows=True, open=True
        )
        for says, before in (
            ("Knowledge Graph Data (Entity):", r"\nKnowledge Graph Data \(Entity\):\n"),
            (
                "Document Chunks (Each entry",
                r"\nDocument Chunks \(Each entry has a reference_id[^\n]{0,2000}:\n",
            ),
        )
    ),
    # DSPy
    _Product(
        "[[ ## ",
        r"\n\[\[ ## (?:contexts?|passages|documents) ## \]\](?=\n)",
        r"\n\n\[\[ ## (?:question|query) ## \]\]\n(?P<question>[^\n]{1,2000})(?=\n\n)",
        _LINES,
        begins=r"\n(?:\[\d{1,3}\] )?\u00ab(?:\u00ab\u00ab\n {4})?",
        ends=r"\n?\u00bb{1,3}\Z",
    ),
)
_COMPILED = [(product, re.compile(product.before), re.compile(product.behind)) for product in _PRODUCTS]


def product_context(prompt: str, *, marked: bool) -> Context | None:
    """The context of a prompt that begins with a line break; None where no product's words stand around one.

    `marked`: of products that mark each passage, or of the others.

    >>> asked = "\\nWhy?\\n\\nAnswer using the following information:\\nSnow is white."
    >>> [each.text for each in product_context(asked, marked=False).documents]
    ['Snow is white.']
    >>> product_context(f"{asked}\\n\\nCoal is black.", marked=False).documents
    ()
    """
    for product, before, behind in _COMPILED:
        if bool(product.begins) != marked or product.says not in prompt:
            continue
        opened = [*before.finditer(prompt)]
        closing = [*behind.finditer(prompt, opened[-1].end())] if opened and product.behind else []
        if opened and (closing or product.open or not product.behind):
            found = _context(prompt, product, opened[-1], closing[-1] if closing else None)
            if found.whole:
                return found
    return None


def _context(prompt: str, product: _Product, opened: re.Match[str], closing: re.Match[str] | None) -> Context:
    last = closing.start() if closing else len(prompt)
    whole = prompt[opened.end() : last]
    asked = prompt[: opened.start()] if product.after_question else None
    for match in (opened, closing):
        asked = asked or (match and match.groupdict().get("question"))
    if product.rows:
        documents = _rows(whole)
    else:
        documents = _marked(whole, product) if product.begins else _parted(whole, product.between)
    if is_template([each.text or "" for each in documents]):
        documents = []
    question = asked.strip() or None if asked else None
    return Context(tuple(documents), opened.start(), last, whole.strip(), exact=True, question=question)


def _parted(whole: str, between: str) -> list[Document]:
    """The passages in the shapes of any frame; one where nothing could part several."""
    if documents := split_frame(whole, sure=False):
        return documents
    alone = without_fields([without_bullet(whole.strip())])
    return split_frame(whole) if re.search(between, alone[0].text or "") else alone


def _rows(whole: str) -> list[Document]:
    """Objects in JSON, one a line; one that says no text is a passage as it is written. [] where one is broken."""
    lines = [line for line in whole.split("\n") if line.startswith("{")]
    rows = [(line, mapping_of(line)) for line in lines]
    if not all(fields for _, fields in rows):
        return []
    return [Document(None, text_of(fields.get("content")) or line) for line, fields in rows]


def _marked(whole: str, product: _Product) -> list[Document]:
    """The passages behind the marks with which each begins; their names are ids where all differ."""
    marks = [*re.finditer(product.begins, whole)]
    if not marks or whole[: marks[0].start()].strip():
        return split_frame(whole, sure=False)
    texts = [re.sub(product.ends, "", text) if product.ends else text for text in texts_behind(marks, whole)]
    documents = without_fields(texts)
    names = [mark.groupdict().get("name") for mark in marks]
    if len({*names}) < len(names):
        return documents
    return [replace(each, id=each.id or name) for name, each in zip(names, documents, strict=True)]
