"""The judge's rubrics and prompts: versioned data."""

from __future__ import annotations

from ragvigil.prompts._load import Prompt, PromptError, UnknownPromptError, load, load_file, names, parse

__all__ = ["Prompt", "PromptError", "UnknownPromptError", "load", "load_file", "names", "parse"]
