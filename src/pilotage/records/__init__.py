"""What exists, as frozen typed records: it imports nothing of ours and everything else stands on it."""
