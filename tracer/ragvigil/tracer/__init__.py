"""Decorators that trace a RAG service without slowing, blocking or breaking it."""
