"""A server that never says a word, and does not end when its input does."""

import os
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    Path(os.environ["PROCESS_FILE"]).write_text(str(os.getpid()))
    sys.stderr.write(f"waiting for a licence with {os.environ['SILENT_KEY']}\n")
    while True:
        time.sleep(60)
