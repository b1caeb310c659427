import pytest

from pilotage.prepare.names import can_be_told, is_closed_folder, is_credential


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".env.local", ".ENV", "prod.env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials"),
        *("id_rsa", "id_ed25519.pub", "server.pem", "tls.KEY", "store.p12", "login.keychain.kdbx", "kubeconfig"),
        *("credentials", "credentials.json", "aws_credentials", "client_secret_123.json", "secrets.yaml", "auth.json"),
        *("passwords.txt", "db-password.cfg", "api_key.txt", "token", "tokens.json", "service-account.json"),
        *("terraform.tfstate", "prod.tfvars", ".htpasswd", "credentials.yml.enc"),
    ],
)
def test_credentials(name: str) -> None:
    """Files that usually hold secrets are known by their names, in any case (cases H5)."""
    assert is_credential(name)


@pytest.mark.parametrize(
    "name",
    ["credentials.py", "secrets.md", "password_reset.ts", "tokenizer.json", "environment.yml", "keys.py", "README.md"],
)
def test_programs_about_secrets(name: str) -> None:
    """A program or a text about secrets is no secret."""
    assert not is_credential(name)


@pytest.mark.parametrize("name", [".git", ".venv", ".github", "node_modules", "Vendor", "build", "TARGET", "secrets"])
def test_closed_folders(name: str) -> None:
    """Hidden, dependency and build folders, and those named for secrets, are not looked into (spec P3)."""
    assert is_closed_folder(name)


@pytest.mark.parametrize("name", ["src", "builder", "tests", "docs", "lib", "token"])
def test_open_folders(name: str) -> None:
    """Any other folder is."""
    assert not is_closed_folder(name)


def test_names_that_cannot_be_told() -> None:
    """A name that is not UTF-8 or would leave its line is told to no model."""
    assert [name for name in ("a\nb", "\udcff", "a\x1b", "a\u2028", "ok", "漢字 é") if can_be_told(name)] == [
        "ok",
        "漢字 é",
    ]
