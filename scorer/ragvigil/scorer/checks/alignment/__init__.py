"""How claims lie on the evidence, and the fitted model that weighs it."""
