"""Proof of the contract, a file for each of its modules."""
