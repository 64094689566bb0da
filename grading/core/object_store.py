"""Files in a bucket of an S3-compatible store, as a Django storage.

Faults are OSErrors, as a folder has them: FileNotFoundError for an object that is gone, StoreFault
for all else, also where the bucket is gone. Every transfer ends: each wait is bounded, tries are
counted, and a whole file has a deadline. There is no `url`: nothing is read past the site.

boto3 is imported by the first request, so a site with a folder never pays for it. A client serves
all threads, and opens no connection before it is used, so a worker may make it before it forks.
"""

from __future__ import annotations

import errno
import hashlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from tempfile import TemporaryFile
from time import monotonic
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible
from django.utils.functional import cached_property

# Of one connection, of one wait for bytes, and of a whole file: 25 MB at 4 Mbit/s.
CONNECT_SECONDS = 3
READ_SECONDS = 10
FILE_SECONDS = 60
# With pauses of at most 1 s and 2 s between them.
TRIES = 3
CONNECTIONS = 32
CHUNK = 64 * 1024


class StoreFault(OSError):
    """The store does not answer, refuses, or has no such bucket."""


class AnswerCut(StoreFault):
    """The answer ended before its whole length had come."""


@deconstructible
class ObjectStore(Storage):
    """Bucket of a store. Names are the site's own and never used twice, so none is looked up."""

    def __init__(
        self,
        *,
        endpoint: str,
        bucket: str,
        key: str,
        secret: str,
        region: str,
        addressing: str,
        ca_file: str = "",
    ) -> None:
        self._endpoint, self._bucket, self._region = endpoint, bucket, region
        self._key, self._secret = key, secret
        self._addressing, self._ca_file = addressing, ca_file

    @cached_property
    def _client(self) -> Any:
        import boto3
        from botocore.config import Config

        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": TRIES},
            max_pool_connections=CONNECTIONS,
            signature_version="s3v4",
            s3={"addressing_style": self._addressing},
            # Newer checksums are not everywhere.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        return boto3.client(
            "s3",
            endpoint_url=self._endpoint,
            region_name=self._region,
            aws_access_key_id=self._key,
            aws_secret_access_key=self._secret,
            verify=self._ca_file or None,
            config=config,
        )

    def connect(self) -> None:
        """Make the client, whose imports cost 0.3 s of processor time; nothing is asked."""
        self._client  # noqa: B018 -- made by its first use

    def check(self) -> None:
        """Raise StoreFault unless the bucket is there and these keys may use it."""
        with _as_os_errors(self._bucket):
            self._client.head_bucket(Bucket=self._bucket)

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError("An object is read, or saved as a whole.")
        until = monotonic() + FILE_SECONDS
        try:
            return File(self._read(name, until), name)
        except AnswerCut:
            # boto3 tries again until an answer begins, not where it breaks off.
            return File(self._read(name, until), name)

    def _read(self, name: str, until: float) -> IO[bytes]:
        """Return a temporary file with the whole object."""
        with ExitStack() as closed_on_error:
            file = closed_on_error.enter_context(TemporaryFile())
            with _as_os_errors(name):
                body = self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
            with closing(body), _as_os_errors(name, AnswerCut):
                for chunk in body.iter_chunks(CHUNK):
                    file.write(chunk)
                    _check_time(until)
            file.seek(0)
            closed_on_error.pop_all()
        return file

    def _save(self, name: str, content: File[Any]) -> str:
        upload = _Upload(content, monotonic() + FILE_SECONDS)
        with _as_os_errors(name):
            self._client.put_object(
                Bucket=self._bucket,
                Key=name,
                Body=upload,
                ContentLength=upload.size,
                # The checksum that every store compares: damage would be noticed too late.
                ContentMD5=upload.md5,
            )
        return name

    def delete(self, name: str) -> None:
        """Delete an object; one that is gone already is no fault."""
        with _as_os_errors(name):
            self._client.delete_object(Bucket=self._bucket, Key=name)

    def exists(self, name: str) -> bool:
        # A HEAD does not tell a bucket that is gone from an object that is.
        try:
            with _as_os_errors(name):
                self._client.get_object(Bucket=self._bucket, Key=name)["Body"].close()
        except FileNotFoundError:
            return False
        return True

    def get_available_name(self, name: str, max_length: int | None = None) -> str:  # noqa: ARG002
        return name


class _Upload:
    """Reads a file for a request that may be sent again, until its deadline."""

    def __init__(self, file: File[Any], until: float) -> None:
        self._file, self._until = file, until
        self.seek, self.tell = file.seek, file.tell
        digest, self.size = hashlib.md5(usedforsecurity=False), 0
        for chunk in file.chunks():
            digest.update(chunk)
            # Not the file's own size: what was just written to it may not be on the disk.
            self.size += len(chunk)
        self.md5 = b64encode(digest.digest()).decode()
        self.seek(0)

    def read(self, size: int = -1) -> bytes:
        _check_time(self._until)
        content: bytes = self._file.read(size)
        return content


def _check_time(until: float) -> None:
    if monotonic() > until:
        raise StoreFault(errno.ETIMEDOUT, f"The file was not transferred in {FILE_SECONDS} s")


@contextmanager
def _as_os_errors(name: str, fault: type[StoreFault] = StoreFault) -> Iterator[None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "NoSuchKey":
            raise FileNotFoundError(errno.ENOENT, "There is no such object", name) from error
        raise fault(errno.EIO, f"The store answered {code}", name) from error
    except BotoCoreError as error:
        raise fault(errno.EIO, f"The store failed: {type(error).__name__}", name) from error
