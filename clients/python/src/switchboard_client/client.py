from __future__ import annotations

from typing import Any, BinaryIO, Mapping

from .http import Http, Transport, send_by_urllib
from .operations_generated import Resources


class Switchboard(Resources):
    """
    A client with the operations by resource: `client.contacts.create({...})`.

    `token` is a personal access token (`swb_...`), `erp_token` one of an ERP; `public_key` and `secret_key` are those of a verification
    profile. `attempts` is how often a call is tried in all, `timeout_seconds` the limit of each wait for the network.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        erp_token: str | None = None,
        public_key: str | None = None,
        secret_key: str | None = None,
        attempts: int = 4,
        timeout_seconds: float = 30.0,
        transport: Transport = send_by_urllib,
    ) -> None:
        keys = {"X-Public-Key": public_key, "X-Secret-Key": secret_key}
        self._http = Http(
            base_url,
            {
                "token": {"Authorization": f"Bearer {token}"} if token else None,
                "erp_token": {"Authorization": f"Bearer {erp_token}"} if erp_token else None,
                "public_key": {name: key for name, key in keys.items() if key} if public_key else None,
            },
            attempts,
            timeout_seconds,
            transport,
        )
        super().__init__(self._http.call)

    def upload(self, upload: Mapping[str, Any], data: bytes | BinaryIO) -> None:
        """
        Puts a file where an answer says: the `upload` of `contact_imports`, or the whole `data` of `media.create_upload`. It is tried once:
        the address takes one file.
        """
        self._http.upload(upload, data)
