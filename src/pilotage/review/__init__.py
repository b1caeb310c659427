"""The question whether the agent left a principle, and what is made of the answer (spec R)."""
