"""A certificate authority of a test, and the certificates that it signs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Bytes of a server's certificate and of its key."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, *, owner: tuple[int, int]) -> tuple[Path, Path]:
        """Write both files for a server that runs as this user; return their paths."""
        paths = folder / "server.crt", folder / "server.key"
        for path, content in zip(paths, (self.certificate, self.key), strict=True):
            path.touch(mode=0o600)
            path.write_bytes(content)
            os.chown(path, *owner)
        return paths


class Authority:
    """An authority; `path` is its certificate, which clients trust."""

    def __init__(self, folder: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(folder.name)
        self.path = folder / "ca.crt"
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        certificate = self._sign(self._name, self._key, constraints)
        self.path.write_bytes(certificate.public_bytes(PEM))

    def issue(self, address: str) -> Certificate:
        """Return a certificate for the server at this IP address alone."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
        private = key.private_bytes(
            PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return Certificate(self._sign(_name("server"), key, names).public_bytes(PEM), private)

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        extension: x509.ExtensionType,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
            .add_extension(extension, critical=True)
        )
        return builder.sign(self._key, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
