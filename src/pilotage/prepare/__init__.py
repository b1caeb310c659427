"""What the agent will need for an input, predicted, looked at and handed over (spec P)."""
