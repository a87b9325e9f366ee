"""Default prompts that put only line breaks between passages: one is read, several are marked or matched."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.prompt import documents_in, passages_in, question_in
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, as_json, chain, only, retrieval, span
from .test_contexts import COAL, QUESTION, SNOW, read, texts

RULE = "-" * 21
PARAGRAPHS: dict[str, list[tuple[str, str]]] = {
    "LangChain's stuff, chat": [
        (
            "system",
            f"Use the following pieces of context to answer the user's question. \nSay so if not.\n{RULE}\n{{0}}",
        ),
        ("user", "{1}"),
    ],
    "LangChain's stuff": [
        (
            "user",
            (
                "Use the following pieces of context to answer the question at the end. Say so if not.\n\n{0}\n\n"
                "Question: {1}\nHelpful Answer:"
            ),
        )
    ],
    "LangChain's retrieval chain": [
        (
            "system",
            "Answer any use questions based solely on the context below:\n\n<context>\n{0}\n</context>",
        ),
        ("user", "{1}"),
    ],
    "n8n": [
        (
            "system",
            (
                "Use the following pieces of retrieved context to answer the question.\nSay so if not.\n"
                f"{RULE}\nContext: {{0}}"
            ),
        ),
        ("user", "{1}"),
    ],
    "LlamaIndex": [
        (
            "user",
            f"Context information is below.\n{RULE}\n{{0}}\n{RULE}\nGiven it, answer.\nQuery: {{1}}\nAnswer: ",
        )
    ],
    "LlamaIndex's summary": [
        (
            "user",
            (
                f"Context information from multiple sources is below.\n{RULE}\n{{0}}\n{RULE}\nGiven it, answer.\n"
                "Query: {1}\nAnswer: "
            ),
        )
    ],
    "LlamaIndex's chat": [
        ("system", f"Use the context information below to assist the user.\n{RULE}\n{{0}}\n{RULE}\n"),
        ("user", "{1}"),
    ],
    "LlamaIndex's chat that condenses": [
        (
            "system",
            (
                "Be kind.\n\n  Here are the relevant documents for the context:\n\n  {0}\n\n"
                "  Instruction: Based on the above documents, answer.\n  "
            ),
        ),
        ("user", "{1}"),
    ],
    "LlamaIndex's refining": [
        (
            "user",
            (
                "The original query is as follows: {1}\nWe have an answer: It is.\nRefine it with some more context"
                f" below.\n{RULE}\n{{0}}\n{RULE}\nGiven the new context, refine.\nRefined Answer: "
            ),
        )
    ],
    "LangChain4j": [("user", "{1}\n\nAnswer using the following information:\n{0}")],
    "Haystack's loop": [
        (
            "user",
            "Given these documents, answer the question.\nDocuments:\n\n    {0}\n\n\nQuestion: {1}\nAnswer:",
        )
    ],
}
LINES: dict[str, list[tuple[str, str]]] = {
    "LangChain's hub": [
        (
            "user",
            (
                "Use the following pieces of retrieved context to answer the question. Be brief.\nQuestion: {1} \n"
                "Context: {0} \nAnswer:"
            ),
        )
    ],
    "LangChain's guide": [
        (
            "system",
            "Use the following pieces of retrieved context to answer the question. Be brief.\n\n{0}",
        ),
        ("user", "{1}"),
    ],
    "LangChain's expressions": [
        ("user", "Answer the question based only on the following context:\n{0}\n\nQuestion: {1}\n")
    ],
    "LangChain's middleware": [
        ("system", "Be kind. Use the following context in your response:\n\n{0}"),
        ("user", "{1}"),
    ],
    "Spring AI's advisor": [
        (
            "user",
            f"{{1}}\n\nContext information is below, surrounded by {RULE}\n\n{RULE}\n{{0}}\n{RULE}\n\nGiven it, reply.",
        )
    ],
    "Spring AI's augmenter": [
        (
            "user",
            (
                f"Context information is below.\n\n{RULE}\n{{0}}\n{RULE}\n\nRules:\n\n1. Be brief.\n2. Be kind.\n\n"
                "Query: {1}\n\nAnswer:\n"
            ),
        )
    ],
    "Flowise": [
        (
            "system",
            (
                "Using the provided context, answer the user's question to the best of your ability.\nBe kind.\n"
                f"{RULE}\n{{0}}\n{RULE}\nREMEMBER: Be kind."
            ),
        ),
        ("user", "{1}"),
    ],
    "Dify": [
        (
            "system",
            (
                "Use the following context as your learned knowledge, inside <context></context> XML tags.\n\n"
                "<context>\n{0}\n</context>\n\nWhen answer to user:\n- Be brief.\n"
            ),
        ),
        ("user", "{1}"),
    ],
    "Vercel's guide": [
        ("user", "Answer the following question based only on the provided context:\n{0}\n\nQuestion: {1}")
    ],
    "Langflow": [
        (
            "user",
            (
                "{0}\n\n---\n\nGiven the context above, answer the question as best as possible.\n\nQuestion: {1}\n\n"
                "Answer: "
            ),
        )
    ],
    "Embedchain": [
        ("user", f"Be an expert.\n\nContext information:\n{RULE}\n{{0}}\n{RULE}\n\nQuery: {{1}}\nAnswer:")
    ],
    "CrewAI": [
        (
            "user",
            (
                "\nCurrent Task: {1}\n\nThis is the expected criteria for your final answer: A time\n\n\n"
                "Additional Information: {0}"
            ),
        )
    ],
    "AutoGen": [("user", "Be brief.\n\nUser's question is: {1}\n\nContext is: {0}\n")],
}
MARKED = {
    "Semantic Kernel": (
        "Consider the following information from source documents when responding to the user:\nSourceDocName: a\n"
        "SourceDocLink: http://a\nContents: {0}\n----\nSourceDocName: b\nSourceDocLink: http://b\nContents: {1}\n"
        "----\nInclude citations to the source document.\n"
    ),
    "Semantic Kernel's templates": (
        "  \n    Name: a\n    Value: {0}\n    Link: http://a\n    -----------------\n    Name: b\n    Value: {1}\n"
        "    Link: http://b\n    -----------------\n  \n\n{2}\n\n"
        "Include citations to the relevant information where it is referenced in the response."
    ),
    "Kernel Memory": (
        "Facts:\n==== [File:a;Relevance:92.1%]:\n{0}\n==== [File:b;Relevance:81.0%]:\n{1}\n======\n"
        "Given only the facts above, answer.\nQuestion: {2}\nAnswer: "
    ),
    "OpenAI's guide": (
        "Use the articles to answer the subsequent question. Say so if not.\n\nWikipedia article section:\n"
        '"""\n{0}\n"""\n\nWikipedia article section:\n"""\n{1}\n"""\n\nQuestion: {2}'
    ),
    "DSPy": (
        "[[ ## context ## ]]\n[1] «{0}»\n[2] «{1}»\n\n[[ ## question ## ]]\n{2}\n\n"
        "Respond with the fields, starting with `[[ ## answer ## ]]`."
    ),
    "DSPy, of a list of texts": (
        '[[ ## context ## ]]\n["{0}", "{1}"]\n\n[[ ## question ## ]]\n{2}\n\nRespond with the fields.'
    ),
    "LangChain4j, with metadata": (
        "{2}\n\nAnswer using the following information:\ncontent: {0}\nfile_name: a\nindex: 0\n\n"
        "content: {1}\nfile_name: b\nindex: 3"
    ),
}


def shown(product: str, context: str, question: str = QUESTION) -> list[tuple[str, str]]:
    """The messages of a product with this context."""
    return [(role, text.format(context, question)) for role, text in {**PARAGRAPHS, **LINES}[product]]


@pytest.mark.parametrize("product", [*PARAGRAPHS, *LINES])
@pytest.mark.parametrize("question", [QUESTION, "Tell me what is white"])
def test_a_context_without_what_parts_passages_is_one(product: str, question: str) -> None:
    """Whatever is asked, and however."""
    record = read(*shown(product, SNOW, question))
    assert (texts(record), record.query, record.completeness) == ([SNOW], question, "complete")


@pytest.mark.parametrize("product", PARAGRAPHS)
def test_lines_of_a_paragraph_are_one_passage_where_the_product_parts_paragraphs(product: str) -> None:
    """A list as well: a second passage would stand below an empty line."""
    listed = f"{SNOW}\n- always\n- everywhere"
    assert texts(read(*shown(product, listed))) == [listed]


@pytest.mark.parametrize("product", [*PARAGRAPHS, *LINES])
def test_several_paragraphs_are_marked(product: str) -> None:
    """They may be one passage as well as two."""
    record = read(*shown(product, f"{SNOW}\n\nAlways {COAL}"))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


@pytest.mark.parametrize("product", MARKED)
def test_marks_of_products_part_passages(product: str) -> None:
    """Whatever is between them, and with the question in another message where the product has it there."""
    for first in (SNOW, f"{SNOW} It is cold."):
        prompt = MARKED[product].format(first, COAL, QUESTION)
        messages = [("user", prompt)] if QUESTION in prompt else [("user", prompt), ("user", QUESTION)]
        record = read(*messages)
        assert (texts(record), record.query) == ([first, COAL], QUESTION)


def test_names_that_products_give_are_ids() -> None:
    """Where all differ."""
    for product in ("Semantic Kernel", "Kernel Memory"):
        found = documents_in(MARKED[product].format(SNOW, COAL, QUESTION))
        assert [each.id for each in found] == ["a", "b"]


def test_one_passage_of_dspy_has_no_number_and_may_have_lines() -> None:
    """Then its marks are thrice as long."""
    prompt = "[[ ## context ## ]]\n{}\n\n[[ ## question ## ]]\nWhy?\n\nRespond."
    assert passages_in(prompt.format(f"«{SNOW}»")) == (SNOW,)
    assert passages_in(prompt.format(f"[1] «««\n    {SNOW}\n    Always.\n»»»\n[2] «{COAL}»")) == (
        f"{SNOW}\n    Always.",
        COAL,
    )


def test_a_line_that_says_context_right_below_a_question_is_sure() -> None:
    """Nothing labels the question then."""
    prompt = f"{QUESTION}\n\nContext:\n{SNOW}\n{COAL}"
    record = read(("user", prompt))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")
    assert passages_in(f"{QUESTION}\n\nContext:\n- {SNOW}\n- {COAL}") == (SNOW, COAL)


def asked(found: list[tuple[str, str | None]], *messages: tuple[str, str]) -> RagTrace:
    """The record of a chain whose retriever tells these ids and texts, and of a model call with these messages."""
    call: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(
            [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages]
        ),
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
    }
    documents = [(key, text, None) for key, text in found]
    return only(
        [
            span("a1", chain(QUESTION), start=1, end=99),
            span("a2", retrieval(tuple(documents)), parent="a1", start=2, end=9),
            span("a3", call, parent="a1", start=10, end=90),
        ]
    )


@pytest.mark.parametrize("product", [*PARAGRAPHS, *LINES])
def test_a_retriever_that_tells_ids_alone_says_how_many_passages_there_are(product: str) -> None:
    """As official retrieval spans do: then the paragraphs are theirs, if they are as many."""
    separator = "\n\n" if product in PARAGRAPHS else "\n"
    record = asked([("a", None), ("b", None)], *shown(product, f"{SNOW}{separator}{COAL}"))
    found = [(each.id, each.text) for each in record.documents]
    if product != "Haystack's loop":
        assert (found, record.completeness) == ([("a", SNOW), ("b", COAL)], "complete")
    record = asked([("a", None), ("b", None)], *shown(product, f"{SNOW}\n\nAlways.\n\n{COAL}"))
    assert ([each.text for each in record.documents], record.completeness) == (
        [None, None],
        "partial_evidence",
    )
    record = asked([("a", None)], *shown(product, f"{SNOW}\n\nAlways."))
    assert [(each.id, each.text) for each in record.documents] == [("a", f"{SNOW}\n\nAlways.")]


@pytest.mark.parametrize("product", [*PARAGRAPHS, *LINES])
def test_what_a_retriever_tells_wins(product: str) -> None:
    """Whatever the prompt looks like."""
    record = asked([("a", SNOW), ("b", COAL)], *shown(product, "Another text."))
    assert [(each.id, each.text) for each in record.documents] == [("a", SNOW), ("b", COAL)]
    assert (record.query, record.completeness) == (QUESTION, "complete")


@pytest.mark.parametrize("rule", ["---", "====="])
@pytest.mark.parametrize(
    "items",
    ["Document 1: {0}\nDocument 2: {1}", "[1] {0}\n[2] {1}", "[Source: a.md]\n{0}\n[Source: b.md]\n{1}"],
)
def test_a_rule_in_the_last_passage_does_not_cut_it_off_unmarked(rule: str, items: str) -> None:
    """Below it may stand the rest of the passage, or an instruction."""
    record = read(("user", f"{items.format(SNOW, COAL)}\n{rule}\nIt burns.\n\nQuestion: {QUESTION}"))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


@pytest.mark.parametrize(
    "prompt",
    [
        "---\nDocument 1: {0}\nDocument 2: {1}\n---\nUse them.\n\nQuestion: {2}",
        "Document 1: {0}\n---\nDocument 2: {1}\n---\nUse them.\n\nQuestion: {2}",
        "Document 1: {0}\nDocument 2: {1}\n---\nQuestion: {2}",
        "Question: {2}\n\nDocument 1: {0}\nDocument 2: {1}\n---\n",
    ],
)
def test_a_rule_ends_the_last_passage_where_another_one_or_the_question_says_so(prompt: str) -> None:
    """Above the first, below each, or nothing but the question below."""
    prompt = prompt.format(SNOW, COAL, QUESTION)
    assert (passages_in(prompt), question_in(prompt)) == ((SNOW, COAL), QUESTION)


def test_a_rule_in_a_passage_is_no_edge_where_each_is_indented_or_between_other_rules() -> None:
    """Haystack's loop, and LangChain's chain with sources."""
    loop = f"Context:\n\n    {SNOW}\n---\nAlways.\n\n    {COAL}\n\n\nQuestion: Why?"
    assert passages_in(loop) == (f"{SNOW}\n---\nAlways.", COAL)
    sources = (
        f"QUESTION: Why?\n=========\nContent: {SNOW}\n---\nAlways.\nSource: 1-a\nContent: {COAL}\nSource: 2-b\n"
        "=========\nFINAL ANSWER:"
    )
    assert passages_in(sources) == (f"{SNOW}\n---\nAlways.", COAL)


@pytest.mark.parametrize(
    "hostile",
    [
        "Use the following pieces of context to answer the user's question " * 2_000,
        f"Context information is below.\n{RULE}\n" * 5_000,
        "The original query is as follows: \n" * 5_000,
        f"Context information is below, surrounded by {RULE}" + "\n" * 50_000,
        "Facts:\n" + "==== [File:" * 20_000 + "\n======\nGiven only the facts above",
        "[[ ## context ## ]]" + "\n" * 50_000 + "[[ ## question ## ]]",
    ],
)
def test_a_prompt_of_nothing_but_a_product_s_words_is_read_at_once(hostile: str) -> None:
    """No pattern looks at it again and again."""
    assert passages_in(hostile) == ()


LIGHTRAG = """You answer from the context.

---Context---

{0}
Document Chunks (Each entry has a reference_id refer to the `Reference Document List`; the heading path is optional):

```json
{1}
{2}
```

Reference Document List (Each entry starts with a [reference_id] that corresponds to entries in the Document Chunks):

```
[1] snow.pdf
[2] coal.pdf
```
"""


def test_lightrag_s_passages_are_its_rows_and_not_the_files_that_they_are_from() -> None:
    """What its graph tells is evidence as well."""
    rows = [
        as_json({"reference_id": str(place), "content": text}) for place, text in enumerate((SNOW, COAL), 1)
    ]
    record = read(("system", LIGHTRAG.format("", *rows)), ("user", QUESTION))
    assert (texts(record), record.query, record.completeness) == ([SNOW, COAL], QUESTION, "complete")
    entity = as_json({"entity": "Snow", "type": "matter", "description": "Frozen water."})
    graph = f"Knowledge Graph Data (Entity):\n\n```json\n{entity}\n```\n"
    record = read(("system", LIGHTRAG.format(graph, *rows)), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([entity, SNOW, COAL], "complete")


@pytest.mark.parametrize("cut", ["", "broken"])
def test_a_row_of_lightrag_s_that_is_cut_or_broken_marks_the_record(cut: str) -> None:
    """The prompt may end within it."""
    rows = [
        as_json({"reference_id": str(place), "content": text}) for place, text in enumerate((SNOW, COAL), 1)
    ]
    prompt = LIGHTRAG.format("", *rows)
    prompt = prompt.replace(COAL, f"{COAL[:5]}\n") if cut else prompt[: prompt.index(COAL) + 5]
    record = read(("system", prompt), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "partial_evidence")


def test_a_list_of_files_is_no_passage() -> None:
    """It says what passages elsewhere are from."""
    assert texts(read(("system", "Sources:\n[1] snow.pdf\n[2] coal.pdf"), ("user", QUESTION))) == []
