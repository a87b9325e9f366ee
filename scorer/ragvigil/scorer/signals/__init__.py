"""What users do after an answer, and which of it tells an unfaithful one in this service."""
