"""Search results of the real libraries: every document with its id, score and text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from tests.libraries.conftest import ENVIRONMENT, brief, documents, library
from tests.libraries.vendors import HITS, TEXT, Vendors

POSTGRESQL = os.environ.get("RAGVIGIL_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres")
ICE = HITS[1][2]
ROWS = "SELECT * FROM (VALUES ('p1', {0}, 0.875::float8), ('p2', {1}, 0.5::float8)) AS passages (id, content, score)"
SELECT = ROWS.format(f"'{TEXT}'", f"'{ICE}'")


def test_langchain() -> None:
    """Documents, with and without scores."""
    documents_of = library("langchain_core.documents")
    water = documents_of.Document(id="p1", page_content=TEXT, metadata={"source": "manual.md"})
    ice = documents_of.Document(page_content=ICE, metadata={"doc_id": "p2"})
    assert brief([water, ice]) == [("p1", None, TEXT), ("p2", None, ICE)]
    assert brief([(water, 0.875), (ice, 0.5)]) == HITS
    assert documents([water])[0].metadata == {"source": "manual.md"}


def test_llama_index() -> None:
    """Nodes with scores, bare nodes, responses, and what vector stores answer."""
    schema = library("llama_index.core.schema")
    responses = library("llama_index.core.base.response.schema")
    stores = library("llama_index.core.vector_stores.types")
    nodes = [schema.TextNode(id_=id_, text=text, metadata={"page": 3}) for id_, _, text in HITS]
    scored = [
        schema.NodeWithScore(node=node, score=score) for node, (_, score, _) in zip(nodes, HITS, strict=True)
    ]
    assert brief(scored) == HITS
    assert documents(scored)[0].metadata == {"page": 3}
    assert brief(nodes) == [(id_, None, text) for id_, _, text in HITS]
    assert brief([schema.Document(id_="p1", text=TEXT)]) == [("p1", None, TEXT)]
    assert brief(responses.Response(response="So.", source_nodes=scored)) == HITS
    assert brief(responses.StreamingResponse(response_gen=iter(()), source_nodes=scored)) == HITS
    ids, scores = [id_ for id_, _, _ in HITS], [score for _, score, _ in HITS]
    assert brief(stores.VectorStoreQueryResult(nodes=nodes, similarities=scores, ids=ids)) == HITS


def test_haystack() -> None:
    """Documents, a component's output, and a pipeline's."""
    haystack = library("haystack")
    found = [
        haystack.Document(id=id_, content=text, score=score, meta={"page": 3}) for id_, score, text in HITS
    ]
    assert brief(found) == brief({"documents": found}) == HITS
    store = library("haystack.document_stores.in_memory").InMemoryDocumentStore()
    store.write_documents([haystack.Document(id=id_, content=text) for id_, _, text in HITS])
    retrievers = library("haystack.components.retrievers.in_memory")
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", retrievers.InMemoryBM25Retriever(document_store=store))
    answered = documents(pipeline.run({"retriever": {"query": "water boils"}}))
    assert (answered[0].id, answered[0].text) == ("p1", TEXT)
    assert answered[0].score is not None


def test_chroma() -> None:
    """Its columns: one query, several, and plain reading. Distances are no scores: less of them is better."""
    client = library("chromadb").EphemeralClient()
    passages = client.get_or_create_collection("passages", embedding_function=None)
    ids, texts = [id_ for id_, _, _ in HITS], [text for _, _, text in HITS]
    passages.upsert(
        ids=ids, documents=texts, embeddings=[[1.0, 0.0], [0.0, 1.0]], metadatas=[{"page": 3}, {"page": 4}]
    )
    both = [("p1", None, TEXT), ("p2", None, ICE)]
    found = passages.query(query_embeddings=[[1.0, 0.0]], n_results=2)
    assert brief(found) == both
    assert documents(found)[1].metadata == {"page": 4}
    assert brief(passages.query(query_embeddings=[[1.0, 0.0], [0.0, 1.0]], n_results=1)) == both
    assert brief(passages.get()) == both


def test_pinecone(vendors: Vendors) -> None:
    """Its client's answers, of an index and of one that embeds by itself."""
    pinecone = library("pinecone")
    index = pinecone.Pinecone(api_key="unused").Index(host=vendors.url)
    found = index.query(vector=[1.0, 0.0], top_k=2, include_metadata=True)
    assert brief(found) == brief(found.matches) == brief(found.to_dict()) == HITS
    search = getattr(index, "search", None) or index.search_records
    how = {"inputs": {"text": "water"}, "top_k": 2}
    try:
        records = search(namespace="manual", query=how)
    except TypeError:
        records = search(namespace="manual", **how)
    assert brief(records) == HITS


def test_qdrant() -> None:
    """Points, lists of them, groups, pages, and several queries at once."""
    client = library("qdrant_client").QdrantClient(":memory:")
    models = library("qdrant_client.models")
    client.create_collection(
        "manual", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT)
    )
    points = [
        models.PointStruct(id=1, vector=[0.875, 0.0], payload={"text": TEXT, "page": 3}),
        models.PointStruct(id=str(UUID(int=2)), vector=[0.5, 0.0], payload={"page_content": ICE, "page": 4}),
    ]
    client.upsert("manual", points)
    both = [("1", 0.875, TEXT), (str(UUID(int=2)), 0.5, ICE)]
    found = client.query_points("manual", query=[1.0, 0.0])
    assert brief(found) == brief(found.points) == both
    assert documents(found)[0].metadata["page"] == 3
    asked = models.QueryRequest(query=[1.0, 0.0], with_payload=True)
    assert brief(client.query_batch_points("manual", requests=[asked, asked])) == [*both, *both]
    if hasattr(client, "query_points_groups"):  # as of qdrant-client 1.11
        assert brief(client.query_points_groups("manual", query=[1.0, 0.0], group_by="page")) == both
    assert brief(client.scroll("manual")) == [(id_, None, text) for id_, _, text in both]


def test_weaviate() -> None:
    """Objects with the text in their properties, and the score in what it calls metadata."""
    internal = library("weaviate.collections.classes.internal")

    def hit(number: int, text: str, **metadata: float) -> Any:
        told = internal.MetadataReturn(**metadata)
        properties = {"text": text, "page": 3}
        return internal.Object(
            uuid=UUID(int=number),
            metadata=told,
            properties=properties,
            references=None,
            vector={},
            collection="Manual",
        )

    found = internal.QueryReturn(
        objects=[hit(1, TEXT, score=0.875), hit(2, ICE, certainty=0.5, distance=1.0)]
    )
    assert (
        brief(found)
        == brief(found.objects)
        == [(str(UUID(int=1)), 0.875, TEXT), (str(UUID(int=2)), 0.5, ICE)]
    )
    assert documents(found)[0].metadata["page"] == 3


def test_elasticsearch(vendors: Vendors) -> None:
    """The client's response, its body, and its hits."""
    client = library("elasticsearch").Elasticsearch(vendors.url)
    found = client.search(index="manual", query={"match_all": {}})
    assert brief(found) == brief(found.body) == brief(found["hits"]["hits"]) == HITS


def test_openai_vector_stores(vendors: Vendors) -> None:
    """A page of results, whose texts come in parts."""
    client = library("openai").OpenAI(api_key="unused", base_url=f"{vendors.url}/v1")
    if not hasattr(client, "vector_stores") or not hasattr(client.vector_stores, "search"):
        pytest.skip("this version has no search in vector stores")
    assert brief(client.vector_stores.search("vs_1", query="water")) == HITS


@pytest.fixture
def postgresql() -> Iterator[Any]:
    """A connection to a real server."""
    psycopg = library("psycopg")
    try:
        connection = psycopg.connect(POSTGRESQL, connect_timeout=3)
    except psycopg.OperationalError as error:
        pytest.skip(f"no PostgreSQL server: {error}")
    with connection:
        yield connection


@pytest.mark.parametrize("factory", ["tuple_row", "dict_row", "namedtuple_row"])
def test_psycopg(postgresql: Any, factory: str) -> None:
    """Rows as tuples, mappings and named tuples, as a list and as they come."""
    rows = getattr(library("psycopg.rows"), factory)
    assert brief(postgresql.cursor(row_factory=rows).execute(SELECT).fetchall()) == HITS
    cursor = postgresql.cursor(row_factory=rows).execute(SELECT)
    if isinstance(cursor, Iterator):  # as of psycopg 3.3
        assert brief(cursor) == HITS


def test_sqlalchemy(postgresql: Any) -> None:
    """Rows, mappings, and a result that is read while it comes."""
    sqlalchemy = library("sqlalchemy")
    engine = sqlalchemy.create_engine(POSTGRESQL.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        query = sqlalchemy.text(SELECT)
        assert brief(connection.execute(query).all()) == HITS
        assert brief(connection.execute(query).mappings().all()) == HITS
        assert brief(connection.execute(query)) == HITS
    engine.dispose()


async def test_asyncpg(postgresql: Any) -> None:
    """Its records have names, but are no mappings."""
    connection = await library("asyncpg").connect(POSTGRESQL)
    try:
        assert brief(await connection.fetch(SELECT)) == HITS
    finally:
        await connection.close()


def test_an_object_that_has_no_usual_name_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """As a version that is older or newer than those tested may have: with the library's version, and the way out."""
    schema = library("llama_index.core.schema")
    bundle = schema.QueryBundle("water")
    with pytest.raises(AssertionError):
        documents(bundle)
    with pytest.raises(AssertionError):
        documents(bundle)
    (line,) = caplog.messages
    assert line.startswith(
        "ragvigil: retrieval: not all of a llama_index.core.schema.QueryBundle (llama_index"
    )
    assert line.endswith("documents: QueryBundle; extract= can say where it is")
    assert "water" not in json.dumps(line)


@pytest.mark.skipif(
    ENVIRONMENT is None, reason=".ci/check-libraries runs this where all libraries are installed"
)
def test_no_library_is_imported_unless_the_service_did() -> None:
    """All of them are installed here."""
    code = """
import sys
from ragvigil.tracer import configure, trace_generator, trace_rag, trace_retriever

tracing = configure(endpoint="http://127.0.0.1:9", exit_seconds=0)

class Odd:
    pass

@trace_retriever
def search(query):
    return [("p1", "Water boils at 100 degrees."), {"id": "p2", "text": "Ice"}, Odd()]

@trace_generator
def write(question):
    yield Odd()
    yield "At 100"

@trace_rag
def ask(question):
    search(question)
    return "".join(piece for piece in write(question) if isinstance(piece, str))

ask("When does water boil?")
tracing.flush(timeout_seconds=0.1)
print(*{name.partition(".")[0] for name in sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    libraries = {
        "langchain_core", "llama_index", "haystack", "chromadb", "pinecone", "qdrant_client", "weaviate",
        "elasticsearch", "psycopg", "sqlalchemy", "openai", "anthropic", "pydantic", "numpy",
    }  # fmt: skip
    assert libraries.isdisjoint(done.stdout.split())
    assert "ragvigil" in done.stdout.split()
