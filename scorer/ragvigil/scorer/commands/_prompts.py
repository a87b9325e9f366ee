"""``ragvigil prompts``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError


def prompts(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Such as generator or rubric/1; none: list them all.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="CODE", help="en, pt or es.")] = "en",
    as_json: JsonOption = False,
) -> int:
    """Show the prompts that judge, or one of them; `ragvigil prompts generator` is one for your own service.

    The generator's is a system prompt for grounded, cited answers: print it into a file of your service, or import it
    (`from ragvigil import prompts; prompts.load("generator").in_language("pt")`).
    """
    from ragvigil import prompts as files

    if not name:
        found = [files.load(one) for one in files.names()]
        if as_json:
            rows = [
                {"name": one.name, "judges": one.metadata["judges"], "digest": one.digest} for one in found
            ]
            typer.echo(json.dumps(rows))
        else:
            say("\n".join(f"{one.name:<22} {one.metadata['judges']}" for one in found))
        return 0
    try:
        prompt = files.load(*name.split("/", 1))
    except files.UnknownPromptError as error:
        raise InputError("NAME", str(error)) from None
    if prompt.texts and language not in prompt.texts:
        raise InputError(
            "--language", f"{prompt.name} has no {language[:20]!r}; it has {', '.join(prompt.texts)}"
        )
    text = prompt.in_language(language)
    if as_json:
        typer.echo(
            json.dumps({"name": prompt.name, "digest": prompt.digest, "text": text, "data": prompt.data})
        )
    else:
        typer.echo("\n\n".join(part for part in (text, prompt.data) if part))
    return 0
