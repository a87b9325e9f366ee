"""The judge's rubrics and prompts: versioned data."""

from __future__ import annotations

from ragvigil.prompts._load import Prompt, UnknownPromptError, load

__all__ = ["Prompt", "UnknownPromptError", "load"]
