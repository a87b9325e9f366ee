"""Test sets: read strictly, looked over, frozen with their corpus, drawn from production, found out of date."""
