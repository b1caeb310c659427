import base64
import json
import random
import string
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pilotage.redaction import Redacted, is_secret_value, redact, replace_values, secret_values

_MIX = random.Random(11)


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Make up a secret's random part, with a digit in it."""
    return "7" + "".join(_MIX.choices(alphabet, k=length - 1))


PEM = "\n".join(
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        *[made(64, string.ascii_letters + string.digits + "+/") for _ in range(6)],
        made(30) + "==",
        "-----END RSA PRIVATE KEY-----",
    ]
)

KEYS = {
    "openai key": ["sk-" + made(48), "sk-proj-" + made(60, string.ascii_letters + "_-"), "sk-svcacct-" + made(40)],
    "anthropic key": ["sk-ant-api03-" + made(80)],
    "openrouter key": ["sk-or-v1-" + made(64, "0123456789abcdef")],
    "github token": [*[f"gh{kind}_{made(36)}" for kind in "pousr"], "github_pat_" + made(22) + "_" + made(59)],
    "gitlab token": ["glpat-" + made(20)],
    "aws key": ["AKIA" + made(16, string.ascii_uppercase + string.digits)],
    "google key": ["AIza" + made(35)],
    "google token": ["ya29." + made(60)],
    "slack token": ["xoxb-1234567890-" + made(24)],
    "stripe key": ["sk_live_" + made(24), "rk_test_" + made(24)],
    "npm token": ["npm_" + made(36)],
    "pypi token": ["pypi-AgEIcHlwaS5vcmc" + made(60)],
    "hugging face token": ["hf_" + made(34)],
    "groq key": ["gsk_" + made(52)],
    "jwt": [".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJ" + made(30), made(43)])],
    "private key": [PEM],
}
"""Keys that nobody holds, by what the mark names."""

ALL_KEYS = [(kind, key) for kind, keys in KEYS.items() for key in keys]
SHAPED = [key for kind, key in ALL_KEYS if kind != "private key"]


def around(secret: str) -> list[str]:
    """Give texts that hold a secret, each in another place."""
    in_json = json.dumps({"text": f"é\n{secret}\ndone"})
    return [
        secret,
        f"the key is {secret}.",
        f'"{secret}"',
        f"('{secret}')",
        f"`{secret}`",
        f"é{secret}é",
        "\n".join(["a", secret, "b"]),
        f"KEY={secret}\r\nX=1",
        f"https://example.org/?q=x&key={secret}&z=1",
        in_json,
        json.dumps(in_json),
        json.dumps({"é": secret}, ensure_ascii=False),
        json.dumps(f"é{secret}"),
        json.dumps(f"\t{secret}\t"),
        f"x%20{quote(secret, safe='')}%20y",
        f"[secret: x] {secret}",
    ]


@pytest.mark.parametrize(("kind", "key"), ALL_KEYS, ids=[f"{kind} {at}" for at, (kind, _) in enumerate(ALL_KEYS)])
def test_known_shapes(kind: str, key: str) -> None:
    """Keys of known shapes become a mark that names them, and what stands around stays (spec U9)."""
    assert redact(f"use {key} here") == Redacted(f"use [secret: {kind}] here", 1)


@pytest.mark.parametrize("key", SHAPED)
def test_keys_in_every_place(key: str) -> None:
    """A key is found next to quotes, behind the escapes of JSON, in JSON within JSON and in a URL."""
    for text in around(key):
        assert key not in redact(text).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("password=hunter2x", "password=[secret: assigned value]"),
        ('"password": "hunter2"', '"password": "[secret: assigned value]"'),
        (r"{\"password\": \"hunter2\"}", r"{\"password\": \"[secret: assigned value]\"}"),
        ("DB_PASSWORD='s3cr3t!x'", "DB_PASSWORD='[secret: assigned value]'"),
        ("api_key: 9f8e7d6c5b4a", "api_key: [secret: assigned value]"),
        ("apiKey = 'abc123def456'", "apiKey = '[secret: assigned value]'"),
        ("X-Api-Key: 0a1b2c3d4e5f", "X-Api-Key: [secret: assigned value]"),
        ("?token=abc12345&x=1", "?token=[secret: assigned value]&x=1"),
        ("token%3Dabc12345", "token%3D[secret: assigned value]"),
        ("login --password hunter2x now", "login --password [secret: assigned value] now"),
        ("Pwd=Pa55word;Server=x", "Pwd=[secret: assigned value];Server=x"),
        (
            "aws_secret_access_key = 9aB+/kL0mN1oP2qR3sT4uV5wX6yZ7aB8cD9eF0gH",
            "aws_secret_access_key = [secret: assigned value]",
        ),
        ("postgres://me:s3cret@db/x", "postgres://me:[secret: url password]@db/x"),
        ("redis://:p%40ss@h:1", "redis://:[secret: url password]@h:1"),
        ("http://u:p@ss@h/", "http://u:[secret: url password]@h/"),
        ("u=https%3A%2F%2Fme%3As3cret%40h", "u=https%3A%2F%2Fme%3A[secret: url password]%40h"),
        ("Authorization: Bearer abc123", "Authorization: Bearer [secret: authorization]"),
        ("'authorization': 'Basic dXNlcjpwYXNz'", "'authorization': 'Basic dXNlcjpwYXNz'"),
        ("'authorization': 'Basic dXNlcjpwYXNzd29yZA=='", "'authorization': 'Basic [secret: authorization]'"),
        ("bearer abcdefgh12345678", "bearer [secret: bearer token]"),
    ],
)
def test_assigned_values(text: str, words: str) -> None:
    """A value that stands where a secret does is replaced, and its name stays."""
    assert redact(text).text == words


@pytest.mark.parametrize(
    "text",
    [
        "3f786850e387550fdab836ed7e6dc881de23001b",
        "550e8400-e29b-41d4-a716-446655440000",
        "max_tokens=100",
        '"token": 5',
        '"max_completion_tokens": 12345678',
        "password = input()",
        "password = getpass.getpass('Password: ')",
        "token = tokens[12345678]",
        "token: str = self.token1",
        'api_key = os.environ["API_KEY_2"]',
        "secret=${SECRET_KEY_1}",
        "--token $TOKEN12345",
        '"api_key": "your-api-key-goes-here"',
        "password: <your password 1>",
        "credentials: 'same-origin'",
        "the token 12345678 and the password abc12345",
        "task-1234567890abcdef1234567890",
        "risk-management-and-2-other-long-words",
        "https://example.org:8080/a@b",
        "git@github.com:me/x.git",
        "ssh://git@host:22/x",
        "Authorization: Bearer $TOKEN",
        "a bearer of something-very-long-without-figures",
        "x == '-----BEGIN PRIVATE KEY-----'",
        "if '-----BEGIN PRIVATE KEY-----' in s and '-----END PRIVATE KEY-----' in s:",
        "keyboard=1234abcd",
        "tokenizer: sha256_of_file",
        "token = sha256_of_file",
        "the secret: it is simple 12345678",
        "",
    ],
)
def test_what_is_no_secret(text: str) -> None:
    """Hashes, ids, numbers, code and stand-ins stay as they are."""
    assert redact(text) == Redacted(text, 0)


def test_images_stay() -> None:
    """A megabyte of base64, as images have it, holds no secret."""
    text = base64.b64encode(random.Random(3).randbytes(750_000)).decode()
    assert redact(f'{{"data":"{text}"}}').count == 0


def test_sessions_stay(data: Path) -> None:
    """The recorded sessions hold no secret, and come back as they are."""
    for file in data.glob("*.jsonl"):
        text = file.read_text("utf-8", "replace")
        assert redact(text) == Redacted(text, 0)


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("cut", ["whole", "head", "tail", "indented"])
def test_private_keys(depth: int, cut: str) -> None:
    """A private key is replaced in one piece, escaped, indented, and with its beginning or end cut off."""
    key = {"whole": PEM, "head": PEM[100:], "tail": PEM[:-60], "indented": PEM.replace("\n", "\n    ")}[cut]
    text = f"look, see:\n{key}\n\nand more words, 12 of them"
    for _ in range(depth):
        text = json.dumps(text)
    redacted = redact(text)
    assert redacted.count == 1
    assert not any(line in redacted.text for line in PEM.split("\n")[2:6])
    assert "look, see:" in redacted.text
    assert "and more words, 12 of them" in redacted.text


def test_values_of_the_environment() -> None:
    """The values of variables that look secret by name count; paths, words and small numbers do not."""
    environ = {
        "MY_API_KEY": "k" * 8 + "1",
        "GITHUB_TOKEN": "correct-horse-battery",
        "DB_PASSWORD": "p4ssw0rd",
        "DATABASE_URL": "postgres://me:h1dden-pass@db/x",
        "SSH_KEY_FILE": "/home/me/.ssh/id_ed25519_2024",
        "TOKEN_PATH": "~/tokens/number1",
        "SECRET_SERVICE": "enabled",
        "MAX_TOKENS": "100000",
        "OPENAI_API_KEY_URL": "https://example.org/keys/1",
        "PATH": "/usr/bin:/bin:/usr/local/bin1",
        "PWD": "/home/me/project1",
        "MONKEY_ISLAND": "no-secret-at-all-1",
        "AWS_SECRET_ACCESS_KEY": "/9aB+kL0mN1oP2qR3sT4uV5wX6yZ7aB8cD9eF0gH",
    }
    assert set(secret_values(environ)) == {
        "kkkkkkkk1",
        "correct-horse-battery",
        "p4ssw0rd",
        "h1dden-pass",
        "/9aB+kL0mN1oP2qR3sT4uV5wX6yZ7aB8cD9eF0gH",
    }


@pytest.mark.parametrize("word", ["local", "ollama", "lm-studio", "none", "https://example.org/a/b", "~/.keys/key-1"])
def test_stand_ins_for_keys(word: str) -> None:
    """What servers without keys are given as one is not worth hiding."""
    assert not is_secret_value(word)


CANARY = st.text("abcXYZ0189+/=_-.!$%&?\"'\\ é漢", min_size=12, max_size=40).filter(is_secret_value)
PIECES = [*"ab7 \n\"'\\=:/@%-_", "token=", "sk-", "password: ", "é", "\ud83d", "[secret: ", "]"]
TEXT = st.lists(st.sampled_from(PIECES)).map("".join)


@given(canary=CANARY, left=TEXT, right=TEXT)
def test_no_value_survives(canary: str, left: str, right: str) -> None:
    """A value that is to be hidden is gone wherever it stands, escaped or not."""
    for text in (canary, json.dumps(canary)[1:-1], json.dumps(json.dumps(canary)), quote(canary, safe="")):
        redacted = redact(f"{left}{text}{right}", [canary])
        assert redacted.count >= 1
        assert text not in redacted.text
        assert canary not in redacted.text


@given(text=st.text() | TEXT | st.lists(st.sampled_from([*SHAPED, PEM, "\n", '"', "password=", " "])).map("".join))
@example("sk-" + "a1" * 20 + "password=hunter22")
def test_twice_is_as_once(text: str) -> None:
    """What went through once comes back as it is, and counts nothing."""
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, 0)
    assert (once.text == text) is (once.count == 0)


@given(text=TEXT, canaries=st.lists(CANARY, max_size=3))
def test_twice_is_as_once_with_values(text: str, canaries: list[str]) -> None:
    """That holds with values to be hidden, too."""
    once = redact(" ".join([text, *canaries, text]), canaries)
    assert redact(once.text, canaries) == Redacted(once.text, 0)


@given(key=st.sampled_from(SHAPED), left=TEXT, right=TEXT)
def test_no_key_survives(key: str, left: str, right: str) -> None:
    """A key of a known shape is gone whatever stands around it, as long as it stands by itself."""
    text = f"{left} {key}\n{right}"
    for form in (text, json.dumps(text), json.dumps(json.dumps(text))):
        assert key not in redact(form).text


def test_values_alone() -> None:
    """Where values alone are asked for, shapes stay; the longest value is replaced first."""
    key = "sk-" + "a1" * 20
    assert replace_values(f"{key} abc abcdef", ["abc", "abcdef"]) == Redacted(
        f"{key} [secret: known value] [secret: known value]", 2
    )


def test_marks_are_no_secrets() -> None:
    """A value that is a part of a mark changes no mark."""
    assert redact("password=hunter22", ["secret: assigned", "value", ""]).text == "password=[secret: assigned value]"


HOSTILE = [
    "password=",
    "eyJ",
    "eyJaaaaaaa.",
    "://",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "A" * 64 + "\n",
    "sk-",
    "token ",
    'token="a',
    "\\",
    '"',
    "%3A%2F%2F",
    "authorization: bearer ",
    "a" * 16 + ".",
    " ",
    "-----",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text(piece: str) -> None:
    """Text made to be gone over again and again comes to an end; a pattern that is not linear would never."""
    text = piece * (400_000 // len(piece))
    assert len(redact(text).text) <= len(text) + 1
