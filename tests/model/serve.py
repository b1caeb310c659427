"""Serves the small model by llama.cpp's own server, on one thread, until its standard input ends.

`python tests/model/serve.py PACKAGES WEIGHTS` writes the server's address to standard output once it listens.
"""

import os
import socket
import sys


def main() -> None:
    """Start the server, say where it is, and wait."""
    packages, weights = sys.argv[1:]
    sys.path.insert(0, packages)
    import xllamacpp

    # Its own words go to standard output as well: only the address is left there.
    told = os.dup(1)
    os.dup2(2, 1)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = _free_port()
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    # On busy cores a second thread makes it many times slower.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    os.write(told, f"{server.listening_address}\n".encode())
    sys.stdin.read()
    os._exit(0)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
