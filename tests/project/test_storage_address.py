"""STORAGE_URL: each wrong part is refused with its own sentence, which repeats no secret."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from auditor_site import addresses

SECRET = "s3kr1t"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (f"https://k:{SECRET}@store/bucket", "must be like s3://KEY"),
        (f"s3://k:{SECRET}@/bucket", "must be like s3://KEY"),
        (f"s3://k:{SECRET}@store/bucket#part", "must be like s3://KEY"),
        ("s3://store/bucket", "names no key and secret"),
        ("s3://k@store/bucket", "names no key and secret"),
        (f"s3://:{SECRET}@store/bucket", "names no key and secret"),
        (f"s3://k:{SECRET}/with+slash@store/bucket", "percent-encoded (/ is %2F)"),
        (f"s3://k:{SECRET}@store", "names no valid bucket"),
        (f"s3://k:{SECRET}@store/", "names no valid bucket"),
        (f"s3://k:{SECRET}@store/bucket/folder", "names no valid bucket"),
        (f"s3://k:{SECRET}@store/Bucket", "names no valid bucket"),
        (f"s3://k:{SECRET}@store/ab", "names no valid bucket"),
        (f"s3://k:{SECRET}@store:port/bucket", "no valid port"),
        (f"s3://k:{SECRET}@store:70000/bucket", "no valid port"),
        (f"s3://k:{SECRET}@store/bucket?zone=a&acl=b", "unknown options: acl, zone"),
        (f"s3://k:{SECRET}@store/bucket?tls=true&tls=false", "an option twice"),
        (f"s3://k:{SECRET}@store/bucket?tls=yes", "tls must be false or true"),
        (f"s3://k:{SECRET}@store/bucket?addressing=auto", "addressing must be path or virtual"),
        (f"s3://k:{SECRET}@store/bucket?region=", "region must not be empty"),
        (f"s3://k:{SECRET}@store/bucket?ca_file=/nowhere.pem", "there is no ca_file /nowhere.pem"),
    ],
)
def test_wrong_part_is_refused(url: str, sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        addresses.storage(url)
    message = str(refused.value)
    assert (message.startswith("STORAGE_URL"), sentence in message, SECRET in message) == (
        True,
        True,
        False,
    )


def test_address_is_parsed(tmp_path: Path) -> None:
    certificates = tmp_path / "ca.pem"
    certificates.touch()
    url = f"s3://a%2Fkey:p%2Fw%40%2B@[::1]:9000/my-bucket.1/?region=eu&tls=false&ca_file={certificates}"
    assert addresses.storage(url) == {
        "BACKEND": "grading.core.object_store.ObjectStore",
        "OPTIONS": {
            "endpoint": "http://[::1]:9000",
            "bucket": "my-bucket.1",
            "key": "a/key",
            "secret": "p/w@+",
            "region": "eu",
            "addressing": "path",
            "ca_file": str(certificates),
        },
    }


def test_defaults_are_tls_and_no_port() -> None:
    options = addresses.storage("s3://k:s@store.example/bucket?addressing=virtual")["OPTIONS"]
    assert (options["endpoint"], options["region"], options["addressing"]) == (
        "https://store.example",
        "us-east-1",
        "virtual",
    )


def test_without_an_address_uploads_are_in_a_folder() -> None:
    assert addresses.storage("") == {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if not installed: find_spec returns None for a module whose entry has no specification.
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements/storage.txt"):
        addresses.storage("s3://k:s@store.example/bucket")


@pytest.mark.processes
def test_folder_never_loads_the_packages_of_a_bucket() -> None:
    """The web process, with every address of the site and its storage in use."""
    program = (
        "import django, sys; django.setup();"
        "from django.core.files.storage import default_storage; default_storage.exists('x');"
        "import grading.urls; print({'boto3', 'botocore'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
