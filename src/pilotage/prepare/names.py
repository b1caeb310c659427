"""Names that never become candidates, whatever the ignore files say (spec P3, cases H5)."""

import re

_HIDDEN = "."
_DEPENDENCIES = frozenset(
    {
        "bower_components",
        "carthage",
        "elm-stuff",
        "jspm_packages",
        "node_modules",
        "pods",
        "site-packages",
        "vendor",
        "venv",
        "virtualenv",
    }
)
_BUILDS = frozenset(
    {
        "__pycache__",
        "_build",
        "build",
        "coverage",
        "deriveddata",
        "dist",
        "htmlcov",
        "obj",
        "out",
        "target",
        "zig-cache",
        "zig-out",
    }
)
_SECRET_FOLDERS = frozenset({"credential", "credentials", "secret", "secrets"})
_SECRET_NAMES = frozenset(
    {
        ".boto",
        ".dockercfg",
        ".dockerconfigjson",
        ".envrc",
        ".git-credentials",
        ".htpasswd",
        ".my.cnf",
        ".mylogin.cnf",
        ".netrc",
        ".npmrc",
        ".pgpass",
        ".pypirc",
        ".s3cfg",
        ".terraformrc",
        ".vault_pass",
        ".yarnrc.yml",
        "_netrc",
        "auth.json",
        "kubeconfig",
        "terraform.rc",
        "wp-config.php",
    }
)
_SECRET_ENDS = (
    ".asc",
    ".env",
    ".gpg",
    ".jks",
    ".kdb",
    ".kdbx",
    ".key",
    ".keystore",
    ".keytab",
    ".kubeconfig",
    ".ovpn",
    ".p12",
    ".p8",
    ".pem",
    ".pfx",
    ".pkcs12",
    ".ppk",
    ".tfstate",
    ".tfstate.backup",
    ".tfvars",
    ".tfvars.json",
)
_SECRET_STARTS = (".env.", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa")
_SECRET_WORD = re.compile(
    r"(?:^|[-_. ])(?:api[-_]?keys?|credentials?|passphrases?|passwd|passwords?|secrets?|service[-_]?account|tokens?)"
    r"(?=$|[-_. ]|\d)"
)
_DATA_ENDS = frozenset(
    {"", "bak", "cfg", "conf", "config", "csv", "db", "enc", "ini", "json", "plist", "properties", "sqlite", "toml"}
    | {"tsv", "txt", "xml", "yaml", "yml"}
)
"""Endings of files that hold data: a program may be about secrets without holding one."""

_UNTOLD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def can_be_told(name: str) -> bool:
    """Whether the name is UTF-8 and stays on its line: what is not is told to no model."""
    return _UNTOLD.search(name) is None


def is_closed_folder(name: str) -> bool:
    """Whether a folder is hidden, made of dependencies or of builds, or named for secrets."""
    folded = name.casefold()
    return name.startswith(_HIDDEN) or folded in _DEPENDENCIES or folded in _BUILDS or folded in _SECRET_FOLDERS


def is_credential(name: str) -> bool:
    """Whether a file is one that usually holds keys, passwords or the like."""
    folded = name.casefold()
    if folded in _SECRET_NAMES or folded.endswith(_SECRET_ENDS) or folded.startswith(_SECRET_STARTS):
        return True
    stem, dot, ending = folded.rpartition(".")
    if not dot or not stem:
        stem, ending = folded, ""
    return ending in _DATA_ENDS and _SECRET_WORD.search(stem) is not None
