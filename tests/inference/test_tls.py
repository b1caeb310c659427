from pathlib import Path

import pytest

from pilotage.inference.question import Failure
from tests.inference.asking import asked, failed
from tests.inference.certificate import self_signed
from tests.inference.server import Server, message, said


def test_untrusted_certificate(tmp_path: Path) -> None:
    """A server whose certificate nobody trusts gets nothing, and the failure says so."""
    context, _ = self_signed(tmp_path)
    with Server(said(message("{}")), tls=context) as server:
        raised = failed(server, Failure.TLS)
    assert server.requests == []
    assert raised.exchange.requests == 0
    assert "SSL_CERT_FILE" in str(raised)


def test_certificate_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trusted certificate for another address is none for this one."""
    context, file = self_signed(tmp_path, "127.0.0.2")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with Server(said(message("{}")), tls=context) as server:
        failed(server, Failure.TLS)
    assert server.requests == []


def test_trusted_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that the environment names is trusted."""
    context, file = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with Server(said(message("{}")), tls=context) as server:
        assert asked(server).value == {}


def test_missing_certificate_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate file that is not there is a named failure."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    failed("https://127.0.0.1:1/v1", Failure.UNREACHABLE)
