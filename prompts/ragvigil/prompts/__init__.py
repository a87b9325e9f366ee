"""The judge's rubrics and prompts: versioned data."""
