"""An upload arrives whole and once."""

import os
import time
import unittest
from pathlib import Path

from kestrel.client import upload
from tests.late_server import LateServer

SEED = int(os.environ.get("KESTREL_SEED") or time.time_ns() % 100_000)
TRACE = bool(os.environ.get("KESTREL_TRACE"))
FIXTURES = Path(__file__).parent / "fixtures"


class UploadTest(unittest.TestCase):
    """The client against a server that is sometimes late."""

    def test_each_part_is_stored_once(self) -> None:
        """Eight parts are stored as eight parts, whatever the server's delays."""
        server = LateServer(SEED, TRACE)
        receipt = upload("kestrel.csv", b"x" * 512, server)
        self.assertEqual(server.stored, list(range(1, receipt.parts + 1)), f"seed {SEED}")

    def test_a_name_is_sent_composed(self) -> None:
        """Every fixture's name arrives in NFC."""
        for path in sorted(FIXTURES.iterdir()):
            upload(path.name, path.read_bytes(), LateServer(0))


if __name__ == "__main__":
    unittest.main()
