"""Files in a bucket of a real S3 server; faults are OSErrors, and every wait ends."""

import hashlib
import io
from ipaddress import ip_address
from tempfile import TemporaryFile
from urllib.parse import urlsplit

import pytest
from cryptography.x509 import IPAddress
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from auditor_site import addresses
from grading.core import object_store
from grading.core.object_store import StoreFault
from tests.factories import object_store as faults
from tests.factories.certificates import write_certificate
from tests.factories.object_store import (
    StoreProxy,
    bucket_in_use,
    delete_bucket,
    first,
    serve_buckets,
)

pytestmark = pytest.mark.processes
CONTENT = b"%PDF-1.7 " + bytes(range(256)) * 1000
NAME = "submissions/1/report.pdf"


@pytest.fixture
def stored(bucket: str) -> str:
    return default_storage.save(NAME, ContentFile(CONTENT))


def read(name: str = NAME) -> bytes:
    with default_storage.open(name) as file:
        return file.read()


def test_stored_file_is_read_as_it_was_under_its_own_name(stored: str) -> None:
    assert (stored, read(), default_storage.exists(stored)) == (NAME, CONTENT, True)


def test_file_is_stored_with_one_request_and_read_with_one(
    bucket: str, stored: str, store: StoreProxy
) -> None:
    read()
    assert store.requests == [f"PUT /{bucket}/{NAME}", f"GET /{bucket}/{NAME}"]


def test_deleted_file_is_gone_and_is_deleted_once_more_without_a_fault(stored: str) -> None:
    default_storage.delete(stored)
    default_storage.delete(stored)
    assert not default_storage.exists(stored)
    with pytest.raises(FileNotFoundError):
        read()


def test_no_address_leads_past_the_site(stored: str) -> None:
    with pytest.raises(NotImplementedError):
        default_storage.url(stored)


@pytest.mark.parametrize(
    ("key", "secret"), [("another", faults.ENCODED_SECRET), (faults.KEY, "wrong")]
)
def test_wrong_keys_are_a_fault(stored: str, store: StoreProxy, settings, bucket, key, secret):
    wrong = addresses.storage(store.url(bucket, key=key, secret=secret))
    settings.STORAGES = settings.STORAGES | {"default": wrong}
    with pytest.raises(StoreFault, match=r"InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied"):
        read()


def test_bucket_that_is_gone_is_a_fault_and_no_missing_file(stored: str) -> None:
    delete_bucket()
    for ask in (read, bucket_in_use().check, lambda: default_storage.exists(NAME)):
        with pytest.raises(StoreFault):
            ask()
    with pytest.raises(StoreFault):
        default_storage.save(NAME, ContentFile(CONTENT))


@pytest.mark.parametrize("fault", [faults.server_error, faults.truncated, faults.silent])
def test_store_that_fails_always_is_a_fault(stored: str, store: StoreProxy, fault) -> None:
    with store.failing(fault), pytest.raises(StoreFault):
        read()
    assert read() == CONTENT


def test_answer_that_breaks_off_once_is_read_again(stored: str, store: StoreProxy) -> None:
    with store.failing(first(faults.truncated)):
        assert read() == CONTENT


@pytest.fixture
def two_tries(store: StoreProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "TRIES", 2)


@pytest.mark.parametrize("fault", [faults.server_error, faults.silent])
def test_request_that_fails_once_is_sent_again(
    two_tries: None, bucket: str, store: StoreProxy, fault
) -> None:
    with store.failing(first(fault)):
        default_storage.save(NAME, ContentFile(CONTENT))
    with store.failing(first(fault)):
        assert read() == CONTENT


def test_upload_that_was_damaged_on_its_way_is_refused(bucket: str, store: StoreProxy) -> None:
    with store.failing(faults.damaged_upload), pytest.raises(StoreFault):
        default_storage.save(NAME, ContentFile(CONTENT))
    assert not default_storage.exists(NAME)


def test_transfer_past_its_deadline_is_a_fault(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "FILE_SECONDS", -1)
    with pytest.raises(StoreFault, match="not transferred"):
        read()
    with pytest.raises(StoreFault):
        default_storage.save(NAME, ContentFile(CONTENT))


def test_store_that_nobody_serves_is_a_fault(settings) -> None:
    nowhere = addresses.storage("s3://k:s@127.0.0.1:1/bucket?tls=false")
    settings.STORAGES = settings.STORAGES | {"default": nowhere}
    with pytest.raises(StoreFault, match="EndpointConnectionError"):
        read()


def test_bucket_may_be_in_the_hosts_name(settings) -> None:
    named = addresses.storage("s3://k:s@store.example/bucket?addressing=virtual")
    settings.STORAGES = settings.STORAGES | {"default": named}
    (host,) = {
        urlsplit(
            bucket_in_use()._client.generate_presigned_url(call, {"Bucket": "bucket", "Key": "x"})
        ).netloc
        for call in ("get_object", "put_object")
    }
    assert host == "bucket.store.example"


def test_store_behind_tls_is_believed_by_its_own_authority_alone(tmp_path, settings) -> None:
    loopback = IPAddress(ip_address("127.0.0.1"))
    certificate = str(write_certificate(tmp_path / "both.pem", loopback))
    (tmp_path / "served" / "bucket").mkdir(parents=True)
    with serve_buckets(tmp_path / "served", "--cert", certificate, "--key", certificate) as target:
        url = f"s3://{faults.KEY}:{faults.ENCODED_SECRET}@{target}/bucket"
        settings.STORAGES = settings.STORAGES | {"default": addresses.storage(url)}
        with pytest.raises(StoreFault, match="SSLError"):
            default_storage.save(NAME, ContentFile(CONTENT))
        ours = addresses.storage(f"{url}?ca_file={certificate}")
        settings.STORAGES = settings.STORAGES | {"default": ours}
        default_storage.save(NAME, ContentFile(CONTENT))
        assert read() == CONTENT


def test_a_file_that_is_open_elsewhere_is_stored_whole(bucket: str) -> None:
    file = io.BytesIO(CONTENT)
    file.seek(100)
    default_storage.save(NAME, file)
    assert hashlib.sha256(read()).digest() == hashlib.sha256(CONTENT).digest()


def test_file_that_was_just_written_is_stored_whole(bucket: str) -> None:
    with TemporaryFile() as file:
        file.write(CONTENT[:5000])
        default_storage.save(NAME, file)
    assert read() == CONTENT[:5000]
