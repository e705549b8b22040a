"""One call: its credential, when it is tried again, and what came back."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from email.message import Message
from typing import Any, BinaryIO, Callable, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

USER_AGENT = "switchboard-client-python/0.1.0"
LONGEST_WAIT_SECONDS = 60

Body = Union[bytes, BinaryIO, None]
Transport = Callable[[str, str, Mapping[str, str], Body, float], Tuple[int, Mapping[str, str], bytes]]
"""Method, address, headers, body and timeout in seconds; status, headers by their names in lower case and body of the answer. It raises OSError where none came."""


class File(NamedTuple):
    """A file in the form of a call: `files={"image": File("photo.png", data, "image/png")}`."""

    name: str
    content: bytes
    content_type: str


class SwitchboardError(Exception):
    """A refusal in the product's own words; `code` says which, `remedy` what to do, `doc_url` where that is explained."""

    def __init__(self, status: int, body: Any, request_id: str | None = None, retry_after: int = 0) -> None:
        problem = body if isinstance(body, dict) else {}
        details = problem.get("details")
        self.status = status
        self.message = str(problem.get("message") or problem.get("error") or f"Answered {status}")
        self.code = str(problem.get("code") or "unknown")
        self.details: dict[str, Any] = details if isinstance(details, dict) else {}
        # the operations of verification name the reasons in `details`
        has_reasons = "error" in problem and all(isinstance(each, list) for each in self.details.values())
        reasons = self.details if has_reasons else problem.get("errors")
        self.fields: dict[str, list[str]] = reasons if isinstance(reasons, dict) else {}
        self.remedy: str | None = problem.get("remedy")
        self.doc_url: str | None = problem.get("doc_url")
        self.request_id = request_id
        self.retry_after = retry_after
        fields = "".join(f" {name}: {' '.join(each)}" for name, each in self.fields.items())
        super().__init__(f"{self.message}{fields} ({self.code}{f', {request_id}' if request_id else ''})")


class SwitchboardConnectionError(SwitchboardError):
    """No answer came. Whether the call was carried out is not known; a write is repeated safely under its own Idempotency-Key."""

    def __init__(self, reason: object) -> None:
        super().__init__(0, {"message": f"No answer came: {reason}", "code": "connection_failed"})


class Resource:
    """The operations of one resource."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call


class Http:
    def __init__(
        self,
        base_url: str,
        credentials: Mapping[str, Optional[Mapping[str, str]]],
        attempts: int,
        timeout_seconds: float,
        transport: Transport,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credentials = credentials
        self._attempts = attempts
        self._timeout_seconds = timeout_seconds
        self._transport = transport

    def call(
        self,
        method: str,
        template: str,
        credential: str | None,
        *,
        path: Sequence[object] = (),
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        files: Mapping[str, File] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT, **self._credential(credential)}
        content: bytes | None = None
        if files:
            headers["Content-Type"], content = _form(body, files)
        elif body is not None:
            headers["Content-Type"], content = "application/json", json.dumps(body).encode()
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        url = self._base_url + template.format(*map(_segment, path)) + _query(query or {})
        return self._try(method, url, headers, content, may_repeat=method == "GET" or idempotency_key is not None)

    def upload(self, upload: Mapping[str, Any], data: bytes | BinaryIO) -> None:
        url = upload.get("url") or upload["upload_url"]
        Http("", {}, 1, self._timeout_seconds, self._transport)._try("PUT", url, dict(upload["headers"]), data, may_repeat=False)

    def _try(self, method: str, url: str, headers: Mapping[str, str], content: Body, *, may_repeat: bool) -> Any:
        for attempt in range(1, self._attempts + 1):
            try:
                status, answered, raw = self._transport(method, url, headers, content, self._timeout_seconds)
            except (OSError, http.client.HTTPException) as error:
                if attempt == self._attempts or not may_repeat:
                    raise SwitchboardConnectionError(error) from error
                time.sleep(_backoff_seconds(attempt))
                continue
            answer = _content(answered.get("content-type") or "", raw)
            if 200 <= status < 300:
                return answer
            problem = SwitchboardError(status, answer, answered.get("x-request-id"), _whole(answered.get("retry-after")))
            if attempt == self._attempts or not _passes(problem, may_repeat):
                raise problem
            time.sleep(max(problem.retry_after, _backoff_seconds(attempt)))
        raise ValueError("attempts must be 1 or more.")

    def _credential(self, name: str | None) -> Mapping[str, str]:
        if name is None:
            return {}
        headers = self._credentials[name]
        if headers is None:
            raise ValueError(f"This operation needs {name}.")
        return headers


def new_key() -> str:
    return str(uuid.uuid4())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # a redirect would take the credentials to another address
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def send_by_urllib(method: str, url: str, headers: Mapping[str, str], body: Body, timeout: float) -> Tuple[int, Mapping[str, str], bytes]:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    try:
        with _opener.open(request, timeout=timeout) as answer:
            return answer.status, _lower(answer.headers), answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, _lower(refusal.headers), refusal.read()


def _lower(headers: Message) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _passes(problem: SwitchboardError, may_repeat: bool) -> bool:
    """Refusals that pass by themselves. One that lasts longer than a minute is the caller's to wait for."""
    if problem.retry_after > LONGEST_WAIT_SECONDS:
        return False
    # refused before anything was done; the gateway's own refusal has no code
    if problem.code == "rate_limited" or (problem.status == 429 and problem.code == "unknown"):
        return True
    return may_repeat and (problem.status >= 500 or problem.code == "idempotency_in_progress")


def _backoff_seconds(attempt: int) -> float:
    return random.uniform(0, min(8, 0.2 * 2**attempt))


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isdigit() else 0


def _segment(value: object) -> str:
    text = str(value)
    # an empty part would be another address
    if text == "":
        raise ValueError("A part of the path is empty.")
    return urllib.parse.quote(text, safe="")


def _query(query: Mapping[str, Any]) -> str:
    pairs = [(name, _text(value)) for name, value in query.items() if value is not None]
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _form(body: Mapping[str, Any] | None, files: Mapping[str, File]) -> Tuple[str, bytes]:
    boundary = uuid.uuid4().hex
    parts = [(f'name="{name}"', "", _text(value).encode()) for name, value in (body or {}).items() if value is not None]
    for name, (filename, content, content_type) in files.items():
        quoted = filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        parts.append((f'name="{name}"; filename="{quoted}"', f"Content-Type: {content_type}\r\n", content))
    lines = [
        f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n{type_line}\r\n".encode() + content + b"\r\n"
        for head, type_line, content in parts
    ]
    return f"multipart/form-data; boundary={boundary}", b"".join(lines) + f"--{boundary}--\r\n".encode()


def _content(content_type: str, raw: bytes) -> Any:
    if raw == b"":
        return None
    text = raw.decode("utf-8", "replace")
    if "json" not in content_type:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
