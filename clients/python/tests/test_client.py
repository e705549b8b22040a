"""What the hand-written part promises, without a server: python3 -m unittest discover -s clients/python/tests"""

from __future__ import annotations

import ast
import http.server
import json
import pathlib
import sys
import threading
import unittest
from unittest import mock

package = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(package / "src"))

from switchboard_client import (  # noqa: E402
    File,
    Switchboard,
    SwitchboardConnectionError,
    SwitchboardError,
    WebhookVerificationError,
    follow,
    paginate,
    verify_webhook,
)

JSON = {"content-type": "application/json"}


def answer(status: int, body: object, **headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {**JSON, **named}, json.dumps(body).encode()


def refusal(status: int, code: str, **headers: str):
    return answer(status, {"status": "error", "message": "No.", "code": code}, **headers)


class Server:
    """Answers in turn; an exception is a connection that breaks."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.calls: list[tuple] = []

    def __call__(self, method, url, headers, body, timeout):
        self.calls.append((method, url, headers, body))
        given = self.answers.pop(0) if self.answers else answer(200, {"data": []})
        if isinstance(given, Exception):
            raise given
        return given

    def keys(self) -> list:
        return [headers.get("Idempotency-Key") for _, _, headers, _ in self.calls]


def client(server: Server, **options) -> Switchboard:
    return Switchboard("https://api.example.test/", "swb_test", transport=server, **options)


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        waited = mock.patch("switchboard_client.http.time.sleep")
        self.sleep = waited.start()
        self.addCleanup(waited.stop)

    def test_a_call_has_its_address_credential_and_body(self) -> None:
        server = Server()
        api = client(server, public_key="pk", secret_key="sk", erp_token="erp_test")
        api.contacts.list(search="a & b", limit=2, page=None)
        api.contacts.update(7, {"name": "Zoë"})
        api.verification.get_status("a/b")
        api.erp.sync({"products": []})
        (_, listed, headers, nothing), (method, updated, _, body), (_, status, keys, _), (_, _, erp, _) = server.calls
        self.assertEqual((listed, nothing), ("https://api.example.test/api/v1/contacts?search=a+%26+b&limit=2", None))
        self.assertEqual(headers["Authorization"], "Bearer swb_test")
        self.assertEqual((method, updated), ("PATCH", "https://api.example.test/api/v1/contacts/7"))
        self.assertEqual(json.loads(body), {"name": "Zoë"})
        self.assertTrue(status.endswith("/status/a%2Fb"))
        self.assertEqual((keys["X-Public-Key"], keys["X-Secret-Key"], keys.get("Authorization")), ("pk", "sk", None))
        self.assertEqual(erp["Authorization"], "Bearer erp_test")

    def test_what_is_missing_is_named_before_anything_is_sent(self) -> None:
        server = Server()
        with self.assertRaisesRegex(ValueError, "public_key"):
            client(server).verification.get_config()
        with self.assertRaisesRegex(ValueError, "path"):
            client(server).events  # a resource is there without a call
            client(server).templates.get("")
        self.assertEqual(server.calls, [])

    def test_true_and_objects_in_a_query_are_written_as_json(self) -> None:
        server = Server()
        client(server).conversations.list(unread=True)
        self.assertTrue(server.calls[0][1].endswith("?unread=true"))

    def test_a_body_without_fields_is_an_object(self) -> None:
        server = Server()
        client(server).numbers.connect(1, {})
        self.assertEqual(server.calls[0][3], b"{}")

    def test_a_write_has_one_key_over_all_tries(self) -> None:
        server = Server(OSError("reset"), refusal(503, "temporarily_unavailable"), refusal(409, "idempotency_in_progress", retry_after="1"))
        client(server).contacts.create({"phone": "+4915123456789"})
        self.assertEqual(len(server.calls), 4)
        self.assertEqual(len(set(server.keys())), 1)
        self.assertEqual(len({body for *_, body in server.calls}), 1)
        self.assertGreaterEqual(self.sleep.call_args_list[2].args[0], 1)
        server = Server()
        client(server).contacts.create({"phone": "+4915123456789"}, idempotency_key="own")
        client(server).contacts.list()
        self.assertEqual(server.keys(), ["own", None])

    def test_what_takes_no_key_is_repeated_only_after_a_refusal(self) -> None:
        body = {"name": "a", "language": "en"}
        for first in (OSError("reset"), refusal(503, "temporarily_unavailable")):
            server = Server(first)
            with self.assertRaises(SwitchboardError):
                client(server).templates.render(3, body)
            self.assertEqual(len(server.calls), 1)
        server = Server(refusal(429, "rate_limited"))
        client(server).templates.render(3, body)
        self.assertEqual(len(server.calls), 2)

    def test_tries_end(self) -> None:
        server = Server(*[refusal(503, "temporarily_unavailable")] * 9)
        with self.assertRaises(SwitchboardError) as caught:
            client(server, attempts=3).tags.list()
        self.assertEqual((caught.exception.status, len(server.calls)), (503, 3))
        server = Server(*[OSError("reset")] * 9)
        with self.assertRaises(SwitchboardConnectionError):
            client(server, attempts=2).tags.list()
        self.assertEqual(len(server.calls), 2)

    def test_other_refusals_are_raised_at_once(self) -> None:
        for status, code, headers in (
            (403, "plan_limit_reached", {}),
            (429, "check_phone_quota", {}),
            (409, "idempotency_key_reused", {}),
            (429, "rate_limited", {"retry_after": "61"}),
        ):
            server = Server(refusal(status, code, **headers))
            with self.assertRaises(SwitchboardError) as caught:
                client(server).tags.list()
            self.assertEqual((caught.exception.code, len(server.calls)), (code, 1))

    def test_retry_after_is_waited_for_and_the_gateway_has_no_code(self) -> None:
        server = Server(answer(429, {"message": "Too many requests"}, retry_after="7"))
        client(server).tags.list()
        self.assertEqual([call.args[0] for call in self.sleep.call_args_list], [7])

    def test_an_error_says_what_and_what_to_do(self) -> None:
        body = {
            "message": "Some fields are not valid.",
            "code": "validation_failed",
            "errors": {"phone": ["Too short."]},
            "remedy": "Correct them.",
            "doc_url": "https://api.example.test/docs/errors/validation_failed",
        }
        with self.assertRaises(SwitchboardError) as caught:
            client(Server(answer(422, body, x_request_id="req_1"))).contacts.create({"phone": "12"})
        error = caught.exception
        self.assertEqual((error.code, error.fields, error.request_id), ("validation_failed", {"phone": ["Too short."]}, "req_1"))
        self.assertEqual((error.remedy, error.doc_url), (body["remedy"], body["doc_url"]))
        self.assertEqual(str(error), "Some fields are not valid. phone: Too short. (validation_failed, req_1)")
        ours = {"error": "Not valid.", "code": "validation_failed", "details": {"identifier": ["Required."]}}
        with self.assertRaises(SwitchboardError) as caught:
            client(Server(answer(422, ours)), public_key="pk").verification.request({"identifier": ""})
        self.assertEqual(caught.exception.fields, {"identifier": ["Required."]})
        with self.assertRaises(SwitchboardError) as caught:
            client(Server((502, {}, b"Bad gateway")), attempts=1).tags.list()
        self.assertEqual((caught.exception.status, caught.exception.code), (502, "unknown"))

    def test_files_go_as_a_form(self) -> None:
        server = Server(OSError("reset"))
        files = {"image": File('a"b.png', b"\x89PNG", "image/png")}
        client(server).messages.send_text({"phone": "+4915123456789", "voice": True}, files=files)
        (_, _, headers, body), again = server.calls
        self.assertEqual(again[2:], (headers, body))
        boundary = headers["Content-Type"].partition("boundary=")[2]
        self.assertIn(b'Content-Disposition: form-data; name="voice"\r\n\r\ntrue\r\n', body)
        self.assertIn(b'name="image"; filename="a%22b.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n', body)
        self.assertTrue(body.endswith(f"--{boundary}--\r\n".encode()))

    def test_an_upload_goes_without_a_credential_and_once(self) -> None:
        server = Server(answer(200, None), refusal(503, "temporarily_unavailable"))
        api = client(server)
        api.upload({"url": "https://files.example.test/1", "headers": {"content-type": "text/csv"}}, b"phone\n")
        self.assertEqual(server.calls[0], ("PUT", "https://files.example.test/1", {"content-type": "text/csv"}, b"phone\n"))
        with self.assertRaises(SwitchboardError):
            api.upload({"upload_url": "https://files.example.test/2", "headers": {}}, b"")
        self.assertEqual(len(server.calls), 2)


class Network(unittest.TestCase):
    def test_a_credential_goes_to_no_other_address_and_a_broken_connection_is_named(self) -> None:
        seen: list = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(self.path)
                self.send_response(307)
                self.send_header("Location", "/elsewhere")
                self.send_header("X-Request-Id", "req_7")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
            url = f"http://127.0.0.1:{server.server_address[1]}"
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with self.assertRaises(SwitchboardError) as caught:
                Switchboard(url, "swb_test").tags.list()
            server.shutdown()
        self.assertEqual((caught.exception.status, caught.exception.request_id, seen), (307, "req_7", ["/api/v1/tags"]))
        with self.assertRaises(SwitchboardConnectionError) as broken:
            Switchboard(url, "swb_test", attempts=1).tags.list()
        self.assertEqual(broken.exception.code, "connection_failed")


class Lists(unittest.TestCase):
    def test_a_list_is_walked_to_its_end_by_cursor_and_by_id(self) -> None:
        pages = [
            answer(200, {"data": [{"id": 3}, {"id": 2}], "meta": {"next_cursor": "two"}}),
            answer(200, {"data": [{"id": 1}], "meta": {"next_cursor": None}}),
        ]
        server = Server(*pages)
        self.assertEqual([each["id"] for each in paginate(client(server).contacts.list, limit=2)], [3, 2, 1])
        self.assertTrue(server.calls[1][1].endswith("?limit=2&cursor=two"))
        messages = [
            answer(200, {"data": [{"id": 9}], "meta": {"has_more": True, "next_before_id": 9}}),
            answer(200, {"data": [{"id": 8}], "meta": {"has_more": False, "next_before_id": 8}}),
        ]
        server = Server(*messages)
        self.assertEqual([each["id"] for each in paginate(client(server).conversations.list_messages, 4)], [9, 8])
        self.assertTrue(server.calls[1][1].endswith("/conversations/4/messages?before_id=9"))

    def test_lists_of_one_page_and_pages_within_data_end_too(self) -> None:
        self.assertEqual(list(paginate(client(Server(answer(200, {"data": [1]}))).tags.list)), [1])
        groups = [answer(200, {"data": {"data": [1], "next_cursor": "b"}}), answer(200, {"data": {"data": [2], "next_cursor": None}})]
        self.assertEqual(list(paginate(client(Server(*groups)).groups.list)), [1, 2])

    def test_a_list_that_repeats_its_cursor_ends_and_the_feed_is_none(self) -> None:
        same = answer(200, {"data": [1], "meta": {"next_cursor": "same"}})
        self.assertEqual(list(paginate(client(Server(same, same, same)).contacts.list)), [1, 1])
        feed = answer(200, {"data": [1], "meta": {"has_more": True, "next_cursor": "1"}})
        with self.assertRaises(TypeError):
            list(paginate(client(Server(feed)).events.list))

    def test_the_feed_is_followed_from_a_place_and_from_now(self) -> None:
        def page(ids: list, place: str, has_more: bool):
            return answer(200, {"data": [{"id": each} for each in ids], "meta": {"has_more": has_more, "next_cursor": place}})

        with mock.patch("switchboard_client.paging.time.sleep") as sleep:
            server = Server(page(["3"], "3", True), page([], "3", False), page(["4"], "4", False))
            events = follow(client(server).events.list, "2", pause_seconds=9)
            self.assertEqual([next(events)["id"], next(events)["id"]], ["3", "4"])
            self.assertEqual([call.args for call in sleep.call_args_list], [(9,)])
            server = Server(page(["1"], "1", False), page(["2"], "2", False))
            self.assertEqual(next(follow(client(server).events.list))["id"], "2")


class Webhooks(unittest.TestCase):
    def test_each_vector(self) -> None:
        for vector in json.loads((package.parent / "webhook-vectors.json").read_text("utf-8")):
            with self.subTest(vector["name"]):
                given = (vector["secret"], vector["headers"], vector["body"].encode())
                if vector["is_valid"]:
                    self.assertEqual(verify_webhook(*given, now=vector["now"]), json.loads(vector["body"]))
                else:
                    with self.assertRaises(WebhookVerificationError):
                        verify_webhook(*given, now=vector["now"])

    def test_headers_of_frameworks_and_a_body_of_text(self) -> None:
        vector = json.loads((package.parent / "webhook-vectors.json").read_text("utf-8"))[0]
        wsgi = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in vector["headers"].items()}
        titled = {name.title(): value for name, value in vector["headers"].items()}
        for headers in (wsgi, titled):
            self.assertEqual(verify_webhook(vector["secret"], headers, vector["body"], now=vector["now"]), {"test": 2432232314})
        with self.assertRaises(ValueError):
            verify_webhook("", vector["headers"], vector["body"], now=vector["now"])


class Sources(unittest.TestCase):
    def test_they_are_read_by_the_oldest_version(self) -> None:
        sources = list((package / "src").rglob("*.py"))
        self.assertGreater(len(sources), 6)
        for source in sources:
            ast.parse(source.read_text("utf-8"), feature_version=(3, 9))

    def test_the_module_of_types_loads(self) -> None:
        from switchboard_client import types

        self.assertIn("phone", types.Contact.__annotations__)
        self.assertTrue(types.WebhookEvent)


if __name__ == "__main__":
    unittest.main()
