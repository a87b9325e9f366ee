"""Prompts as widely used products and their guides build them: what each shows the model, told in our own words."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.prompt import documents_in, passages_in, question_in

from .test_contexts import COAL, QUESTION, SNOW, read

SHOWN = {
    "Azure OpenAI on your data": (
        "## Retrieved Documents\n"
        '{{"retrieved_documents": [{{"[doc1]": {{"content": "{0}"}}}}, {{"[doc2]": {{"content": '
        '"{1}"}}}}]}}\n\n## User Question\n{2}'
    ),
    "Azure's search demo": "{2}\n\nSources:\n\na.pdf#page=1: {0}\nb.pdf#page=2: {1}",
    "LangChain's chain with sources": (
        "Answer and name your sources.\n\nQUESTION: {2}\n=========\nContent: {0}\nSource: 28-pl\n"
        "Content: {1}\nSource: 30-pl\n=========\nFINAL ANSWER:"
    ),
    "LangChain's documents, printed": (
        "Context: [Document(id='a', metadata={{'page': 1}}, page_content='{0}'), Document(metadata={{}}, "
        "page_content='{1}')]\n\nQuestion: {2}"
    ),
    "LlamaIndex with metadata": (
        "Context information is below.\n-----\npage_label: 1\nfile_path: a.pdf\n\n{0}\n\npage_label: 2\n"
        "file_path: a.pdf\n\n{1}\n-----\nAnswer from the context.\nQuery: {2}\nAnswer: "
    ),
    "a loop in Haystack's template": "Context:\n\n    {0}\n\n    {1}\n\n\nQuestion: {2}\nAnswer:\n",
    "Haystack's fields": (
        "Documents:\n\nURL: https://a\nTEXT: {0}\n\nURL: https://b\nTEXT: {1}\n\nQuestion: {2}"
    ),
    "Open WebUI, with tags below": (
        "<context>\n<source><source_id>1</source_id><source_context>{0}</source_context></source>\n"
        "<source><source_id>2</source_id><source_context>{1}</source_context></source>\n</context>\n\n"
        "<user_query>\n{2}\n</user_query>"
    ),
    "AnythingLLM": (
        "Context:\n[CONTEXT 0]:\n{0}\n[END CONTEXT 0]\n\n[CONTEXT 1]:\n{1}\n[END CONTEXT 1]\n\nQuestion: {2}"
    ),
    "RAGFlow": (
        "Here is the knowledge base:\n\nID: 0\n├── Title: a.pdf\n├── Content:\n{0}\n\nID: 1\n"
        "├── Title: b.pdf\n├── Content:\n{1}\n\nQuestion: {2}"
    ),
    "Vertex AI": (
        "Contexts:\n1. source_uri: gs://a\ntext: {0}\n2. source_uri: gs://b\ntext: {1}\n\nQuestion: {2}"
    ),
    "Cohere": (
        "<results>\nDocument: 0\ntitle: A\ntext: {0}\n\nDocument: 1\ntitle: B\ntext: {1}\n</results>\n"
        "Question: {2}"
    ),
    "lines of JSON": 'Context:\n{{"id": "a", "text": "{0}"}}\n{{"id": "b", "text": "{1}"}}\n\nQuestion: {2}',
    "a fenced block of JSON": 'Context:\n```json\n["{0}", "{1}"]\n```\n\nQuestion: {2}',
    "a list that Python printed": "Context: ['{0}', '{1}']\n\nQuestion: {2}",
    "a table": "Context:\n| id | text |\n|:---|---|\n| a | {0} |\n| b | {1} |\n\nQuestion: {2}",
    "bullets": "Context:\n- {0}\n- {1}\n\nQuestion: {2}",
    "bullets of other kinds, in tags": "<context>\n  • {0}\n  • {1}\n</context>\n\n{2}",
    "bullets and an instruction": "## Context\n* {0}\n* {1}\n\nUse it alone.\n\n## Question\n{2}",
    "ids in brackets": "Context:\n[snow-1] {0}\n[coal-2] {1}\n\nQuestion: {2}",
    "files as headings": "# Context\n\n## a.pdf\n{0}\n\n## b.pdf\n{1}\n\n# Question\n{2}",
    "files in parentheses": "Sources:\n(a.pdf) {0}\n(b.pdf) {1}\n\nQuestion: {2}",
    "files in brackets": "[Source: a.pdf]\n{0}\n\n[Source: b.pdf]\n{1}\n\nQuestion: {2}",
    "files between rules": "--- Document: a.pdf ---\n{0}\n--- Document: b.pdf ---\n{1}\n\nQuestion: {2}",
    "files behind a word": "Doc [a.pdf]: {0}\nDoc [b.pdf]: {1}\n\nQuestion: {2}",
    "numbers between rules": "=== Document 1 ===\n{0}\n=== Document 2 ===\n{1}\n\nQuestion: {2}",
    "numbers between hashes": "#### Passage 1 ####\n{0}\n#### Passage 2 ####\n{1}\n\nQuestion: {2}",
    "a number and a file": "[Source 1: a.pdf]\n{0}\n\n[Source 2: b.pdf]\n{1}\n\nQuestion: {2}",
    "a number and a file below": (
        "### Document 1 (a.pdf)\n{0}\n\n### Document 2 (b.pdf)\n{1}\n\nQuestion: {2}"
    ),
    "a number and a score": "Document 1 (score: 0.9): {0}\nDocument 2 (score: 0.5): {1}\n\nQuestion: {2}",
    "a number in brackets before the text": "[Source 1] {0}\n[Source 2] {1}\n\nQuestion: {2}",
    "footnotes": "Quellen:\n[^1]: {0}\n[^2]: {1}\n\nFrage: {2}",
    "marks of begin and end": "BEGIN CONTEXT\n1. {0}\n2. {1}\nEND CONTEXT\n\nQuestion: {2}",
}
NAMES: dict[str, list[str | None]] = {
    "Azure's search demo": ["a.pdf#page=1", "b.pdf#page=2"],
    "LangChain's chain with sources": ["28-pl", "30-pl"],
    "LangChain's documents, printed": ["a", None],
    "Open WebUI, with tags below": ["1", "2"],
    "RAGFlow": ["0", "1"],
    "lines of JSON": ["a", "b"],
    "a table": ["a", "b"],
    "ids in brackets": ["snow-1", "coal-2"],
    "files as headings": ["a.pdf", "b.pdf"],
    "files in parentheses": ["a.pdf", "b.pdf"],
    "files in brackets": ["a.pdf", "b.pdf"],
    "files between rules": ["a.pdf", "b.pdf"],
    "files behind a word": ["a.pdf", "b.pdf"],
}
"""Of the passages, where the prompt has any."""


@pytest.mark.parametrize("product", SHOWN)
def test_what_products_show_the_model_is_taken_apart(product: str) -> None:
    """The passages, their names where they have some, and the question."""
    names = NAMES.get(product, [None, None])
    record = read(("user", SHOWN[product].format(SNOW, COAL, QUESTION)))
    found = [(document.id, document.text) for document in record.documents]
    assert (found, record.query) == ([*zip(names, (SNOW, COAL), strict=True)], QUESTION)
    assert record.completeness == "complete"


def test_librechat_shows_items_in_the_context_of_each_file() -> None:
    """Tags and the name of the next file stand between them."""
    item = "<contextItem>\n<![CDATA[{1}]]>\n</contextItem>"
    file = f"<file>\n<filename>{{0}}</filename>\n<context>\n{item}\n</context>\n</file>"
    shown = f"<context>\n{file.format('a.pdf', SNOW)}\n{file.format('b.pdf', COAL)}\n</context>\n\nUse it."
    record = read(("system", f"Two files are attached.\n\n{shown}"), ("user", QUESTION))
    assert ([document.text for document in record.documents], record.query) == ([SNOW, COAL], QUESTION)


@pytest.mark.parametrize(
    "prompt",
    [
        "<context source='kb'>\n<doc>{0}</doc>\n<doc>{1}</doc>\n</context>\n{2}",
        "<context>\n<doc>{0}</doc>\n<doc>{1}</doc>\n</context>\n{2}",
        "<context id='1'>{0}</context>\n<context id='2'>{1}</context>\n{2}",
        (
            "<context><source>a</source><content>{0}</content></context>\n"
            "<context><source>b</source><content>{1}</content></context>\n{2}"
        ),
    ],
)
def test_a_context_is_a_passage_or_the_frame_of_all(prompt: str) -> None:
    """By what stands in it."""
    assert passages_in(prompt.format(SNOW, COAL, QUESTION)) == (SNOW, COAL)


@pytest.mark.parametrize(
    "prompt",
    [
        "{2}\n\nContext information is below, surrounded by -----\n\n-----\n{0}\n{1}\n-----\n\nGiven it, answer.\n",
        "Context information is below.\n-----\n{0}\n\n{1}\n-----\nQuery: {2}\nAnswer:",
        "Documents:\n{0}\n{1}\n\nQuestion: {2}\nAnswer:",
        "BEGIN CONTEXT\n{0}\n\n{1}\nEND CONTEXT\n\nQuestion: {2}",
        'Context:\n"""\n{0}\n{1}\n"""\n\nQuestion: {2}',
        "Context:\n- {0}\n\n{1}\n- {0}\n\nQuestion: {2}",
        "<context>\n- {0}\n- {1}\n\n{0}\n</context>\n\nQuestion: {2}",
        "Context:\n[1, 2, 3]\n\nQuestion: {2}",
        "Context:\n    {0}\n\n    {1}\n        indented\n\nQuestion: {2}",
    ],
)
def test_a_context_whose_passages_run_into_each_other_is_marked(prompt: str) -> None:
    """Spring AI's, LlamaIndex's and Haystack's templates with nothing between the passages, and lists with holes."""
    record = read(("user", prompt.format(SNOW, COAL, QUESTION)))
    assert (record.documents, record.query, record.completeness) == ((), QUESTION, "partial_evidence")


@pytest.mark.parametrize(
    "prompt",
    [
        "- Be brief.\n- Cite.\n\nQuestion: Why?",
        "Files:\na.pdf: the contract\nb.pdf: the bill\n\nWhich is older?",
        "[Source: press]\nOne alone.\n\nQuestion: Why?",
        "[Source: press]\nA.\n[Source: press]\nB.\n\nQuestion: Why?",
        "Question: Why?\n---\nUse a table.\n---\nThanks.",
        "[a1] and [b2] are labels.\n\nQuestion: Why?",
        "Is | a | b | a table?\nQuestion: Why?",
        'Mend this JSON: [{"id": 1, "text": "a b"}]\n\nQuestion: Why?',
    ],
)
def test_what_only_looks_like_a_shape_of_passages_is_none(prompt: str) -> None:
    """Nobody says that these are evidence."""
    assert passages_in(prompt) == ()
    assert read(("user", prompt)).completeness == "complete"


def test_a_title_stays_with_its_text_unless_a_field_says_where_the_text_begins() -> None:
    """The model may tell of it; a path or a page is no evidence."""
    prompt = (
        "Context:\nSource: a\nTitle: Snow\nIt falls.\n\nSource: b\nTitle: Coal\nIt burns.\n\nQuestion: Why?"
    )
    assert passages_in(prompt) == ("Title: Snow\nIt falls.", "Title: Coal\nIt burns.")
    prompt = (
        "Context:\nTitle: A\nPage: 3\nText: It falls.\n\nTitle: B\nPage: 4\nText: It burns.\n\nQuestion: Why?"
    )
    assert passages_in(prompt) == ("It falls.", "It burns.")


def test_nested_bullets_belong_to_their_passage() -> None:
    """Those of the outermost list begin passages; paragraphs below them are indented."""
    prompt = f"Context:\n- {SNOW}\n  - always\n  - everywhere\n\n  And cold.\n- {COAL}\n\nQuestion: Why?"
    assert passages_in(prompt) == (f"{SNOW}\n  - always\n  - everywhere\n\n  And cold.", COAL)


def test_the_sources_of_an_example_are_none() -> None:
    """LangChain's prompt shows how to answer, with other sources between the same rules."""
    shown = "QUESTION: {}\n=====\nContent: {}\nSource: 1-{}\nContent: {}\nSource: 2-{}\n=====\nFINAL ANSWER:"
    example = shown.format("When?", "Now.", "a", "Then.", "a")
    prompt = f"Name your sources.\n\n{example} Now.\n\n{shown.format(QUESTION, SNOW, 'b', COAL, 'b')}"
    assert [(each.id, each.text) for each in documents_in(prompt)] == [("1-b", SNOW), ("2-b", COAL)]
    assert question_in(prompt) == QUESTION


@pytest.mark.parametrize(
    "context",
    [
        "Context:\n- {0}\n- {1}",
        "Kontext:\n1. {0}\n2. {1}\n\nSei kurz.",
        "## Contexto\n* {0}\n* {1}",
        "Retrieved context:\n{0}\n---\n{1}",
        "\u4e0a\u4e0b\u6587\uff1a\n\u30fb{0}\n\u30fb{1}",
        "<contexto>\n<documento>{0}</documento>\n<documento>{1}</documento>\n</contexto>",
        "Sources:\n(a.pdf) {0}\n(b.pdf) {1}",
        "Answer from this context: [{{'id': 'a', 'text': '{0}'}}, {{'id': 'b', 'text': '{1}'}}]",
    ],
)
def test_a_context_at_the_end_of_the_instructions_is_read(context: str) -> None:
    """The question stands in another message."""
    record = read(("system", f"Answer briefly.\n\n{context.format(SNOW, COAL)}"), ("user", QUESTION))
    assert ([each.text for each in record.documents], record.query) == ([SNOW, COAL], QUESTION)


@pytest.mark.parametrize(
    "instructions",
    [
        "## Sources\n- Cite them.\n- Do not invent any.",
        "How to use the context:\n- Cite it.\n- Do not invent any.",
        "Documents:\n1. Ask for a passport.\n2. Ask for a visa.",
        "## Context\n- Date: 2026-11-22\n- Plan: pro",
        "Context:\n- Asked by Ann\n- Today is Monday",
        "Context:\nYou are a friend of the house.\nBe kind.",
    ],
)
def test_instructions_about_sources_are_no_passages(instructions: str) -> None:
    """Below a heading that may say either, a list is told from passages by nobody."""
    record = read(("system", f"Answer briefly.\n\n{instructions}"), ("user", QUESTION))
    assert (record.documents, record.completeness) == ((), "complete")


@pytest.mark.parametrize("hostile", ["(" * 9_999, "-" * 9_999, "'a' " * 9_999, "[" * 9_999, ".a" * 9_999])
def test_a_list_that_no_python_printed_is_read_no_further(hostile: str) -> None:
    """Its parser gives up on depth and size in several ways."""
    assert passages_in(f"Context: ['a', {hostile}]\n\nQuestion: Why?") == ()
