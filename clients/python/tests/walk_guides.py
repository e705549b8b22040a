"""
Walks the eleven guides of docs/guides with the client against a product on this computer:
python3 clients/python/tests/walk_guides.py .local/demo.json
"""

from __future__ import annotations

import http.server
import json
import pathlib
import queue
import re
import secrets
import sys
import threading
import time
import urllib.request
from email.message import Message
from typing import Any, Callable, List, Mapping, Tuple, TypeVar

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from switchboard_client import File, Switchboard, SwitchboardError, WebhookVerificationError, follow, paginate, verify_webhook  # noqa: E402
from switchboard_client.types import AddNumberRequest  # noqa: E402

T = TypeVar("T")
demo = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))
company = demo["companies"][0]
base: str = demo["base_url"]
control_url: str = demo["local"]["control_url"].rstrip("/")
api = Switchboard(base, company["tokens"]["owner"])
run = secrets.token_hex(3)
digits = str(secrets.randbelow(9000) + 1000)
ADA = f"+491512345{digits}"
GRACE = f"+491512346{digits}"


def post(url: str, body: Mapping[str, Any] | None = None, method: str = "POST") -> Any:
    """What is no operation of the client: the laptop's controls, and a shop that posts."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def control(method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    return post(f"{control_url}/{path}", body, method)


def until(look: Callable[[], T | None]) -> T:
    """What a look finds, at most a minute later."""
    for _ in range(600):
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"Nothing came of {look}.")


def write_as_customer(phone: str, text: str) -> None:
    control("POST", "provider/inbound", {"company_id": company["id"], "from": phone.lstrip("+"), "name": "Ada", "type": "text", "text": text})


def first_message() -> None:
    sent = api.messages.send_template(
        {
            "phone": ADA,
            "template_name": "order_update",
            "template_language": "en",
            "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "A-1042"}]}],
        },
        idempotency_key=f"order-{run}",
    )["data"]
    again = api.messages.send_template(
        {
            "phone": ADA,
            "template_name": "order_update",
            "template_language": "en",
            "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "A-1042"}]}],
        },
        idempotency_key=f"order-{run}",
    )["data"]
    assert again["message_id"] == sent["message_id"]
    conversation = sent["conversation_id"]

    def read() -> bool:
        newest = api.conversations.list_messages(conversation)["data"][0]
        return newest["id"] == sent["message_id"] and newest["status"] == 4

    until(read)


def authentication() -> None:
    me = api.me.get()["data"]
    assert me["company_id"] == company["id"] and me["role"] == "owner"
    try:
        Switchboard(base, "swb_wrong").me.get()
        raise AssertionError("A wrong token was taken.")
    except SwitchboardError as error:
        assert (error.status, error.code) == (401, "token_invalid") and error.remedy and error.doc_url and error.request_id
    try:
        api.contacts.create({"phone": "12"})
        raise AssertionError("A wrong phone was taken.")
    except SwitchboardError as error:
        assert error.code == "validation_failed" and "phone" in error.fields


def contacts() -> None:
    ada = api.contacts.create({"phone": ADA, "name": "Ada Lovelace", "groups": ["Spring list"]})["data"]
    assert any(group["name"] == "Spring list" for group in ada["groups"])
    assert api.contacts.list_consents(ada["id"])["data"] is not None
    csv = f"phone,name,subscribed,groups\n{GRACE},Grace Hopper,yes,Spring list\n".encode()
    made = api.contacts.create_import({"filename": "contacts.csv", "size": len(csv)})["data"]
    assert made["upload"] is not None
    api.upload(made["upload"], csv)
    api.contacts.start_import(made["id"])
    until(lambda: api.contacts.get_import(made["id"])["data"]["status"] == "completed")
    phones = [contact["phone"] for contact in paginate(api.contacts.list, limit=1)]
    assert {ADA.lstrip("+"), GRACE.lstrip("+")} <= set(phones) and len(phones) == len(set(phones))
    assert "Spring list" in [group["name"] for group in paginate(api.groups.list, limit=1)]
    changed = api.contacts.update(ada["id"], {"add_groups": ["Newsletter"], "city": "Berlin"})["data"]
    assert "Newsletter" in [group["name"] for group in changed["groups"]]
    assert "stop" in api.conversations.get_keywords()["data"]
    job = api.contact_jobs.create(
        {"filter": {"match": "all", "rules": [{"field": "city", "op": "eq", "value": "Berlin"}]}, "change": {"add_groups": ["Berlin"]}}
    )["data"]
    export = api.contact_jobs.create({"all": True, "export": "csv"})["data"]
    for each in (job, export):
        until(lambda: api.contact_jobs.get(each["id"])["data"]["status"] == "completed")
    assert api.contact_jobs.get(export["id"])["data"]["files"]


def conversations() -> None:
    write_as_customer(ADA, "Is it in stock?")

    def written() -> List[Any]:
        listed = api.conversations.list()["data"]
        return [each for each in listed if each["contact"]["phone"] == ADA.lstrip("+") and each["window"]["open"]]

    conversation = until(written)[0]
    api.messages.send_text(
        {
            "phone": ADA,
            "message": "Yes, shall we reserve one?",
            "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
        }
    )
    pixel = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
    picture = api.messages.send_text({"phone": ADA, "message": "This one"}, files={"image": File("one.png", pixel, "image/png")})
    assert picture["data"]["conversation_id"] == conversation["id"]
    announced = api.media.create_upload({"filename": "one.png", "content_type": "image/png", "size": len(pixel)})["data"]
    api.upload(announced, pixel)
    api.messages.send_text({"phone": ADA, "media_id": announced["media_id"]})
    later = api.messages.send_text({"phone": ADA, "message": "Still there?", "scheduled_at": "2027-02-01T09:00:00+01:00"})["data"]
    api.messages.cancel(later["message_id"])
    api.conversations.read(conversation["id"])
    walked = [message["id"] for message in paginate(api.conversations.list_messages, conversation["id"], limit=1)]
    assert len(walked) >= 3 and len(walked) == len(set(walked))
    api.contacts.block(conversation["contact"]["id"])
    try:
        api.messages.send_text({"phone": ADA, "message": "Hello?"})
        raise AssertionError("A blocked contact was written to.")
    except SwitchboardError as error:
        assert error.code == "recipient_blocked"
    api.contacts.unblock(conversation["contact"]["id"])


def templates() -> None:
    name = f"pickup_ready_{run}"
    text = "Hi {{1}}, your order {{2}} is ready for pickup."
    example = {"body_text": [["Ada", "A-1042"]]}
    made = api.templates.create(
        {"name": name, "language": "en", "category": "UTILITY", "components": [{"type": "BODY", "text": text, "example": example}]}
    )["data"]
    until(lambda: api.templates.get(made["id"])["data"]["status"] == "APPROVED")
    assert [each["name"] for each in api.templates.list(name=name)["data"]] == [name]
    assert api.templates.list_library()["data"]
    api.templates.sync_all()
    assert api.templates.get_analytics(made["id"])["data"]["days"] is not None


def campaigns() -> None:
    api.contacts.create({"phone": GRACE, "name": "Grace Hopper", "subscribed": True, "groups": [f"Spring {run}"]})
    group = next(each for each in paginate(api.groups.list) if each["name"] == f"Spring {run}")
    template = api.templates.list(name="spring_sale")["data"][0]
    preview = api.campaigns.preview_audience({"audience_type": "group", "group_id": group["id"], "template_id": template["id"]})["data"]
    assert preview["eligible_contacts"] == 1
    campaign = api.campaigns.create(
        {
            "name": f"Spring {run}",
            "template_id": template["id"],
            "group_id": group["id"],
            "parammatch": {"1": "name"},
            "paramvalues": {"1": "there"},
        },
        idempotency_key=f"spring-{run}",
    )["data"]
    until(lambda: api.campaigns.get(campaign["id"])["data"]["status"] == "completed")
    recipients = list(paginate(api.campaigns.list_messages, campaign["id"], limit=1))
    assert [each["phone"] for each in recipients] == [GRACE.lstrip("+")]
    assert GRACE.lstrip("+") in api.campaigns.export_messages(campaign["id"])
    waiting = api.campaigns.create(
        {
            "name": f"Later {run}",
            "template_id": template["id"],
            "group_id": group["id"],
            "paramvalues": {"1": "there"},
            "send_time": "2027-03-01T09:00:00",
        }
    )["data"]
    api.campaigns.update(waiting["id"], {"is_active": False})
    api.campaigns.delete(waiting["id"])


class Receiver(http.server.BaseHTTPRequestHandler):
    """An endpoint of the reader's: it answers first and works afterwards."""

    arrived: queue.Queue[Tuple[Message, bytes]] = queue.Queue()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.arrived.put((self.headers, body))

    def log_message(self, *_: Any) -> None:
        return


def webhooks() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    admin = Switchboard(base, company["tokens"]["admin"])
    endpoint = admin.webhooks.create({"url": f"http://127.0.0.1:{server.server_address[1]}/switchboard", "events": ["message.received"]})["data"]
    place = api.events.list(limit=1)["meta"]["next_cursor"]
    try:
        write_as_customer(ADA, f"Is it in stock? {run}")
        while True:
            headers, body = Receiver.arrived.get(timeout=60)
            event = verify_webhook(endpoint["secret"], headers, body)
            if event["event"] == "message.received" and event["data"]["value"] == f"Is it in stock? {run}":
                break
        for secret, text in (("whsec_b3RoZXI=", body), (endpoint["secret"], body + b" ")):
            try:
                verify_webhook(secret, headers, text)
                raise AssertionError("A wrong signature was taken.")
            except WebhookVerificationError:
                pass
        assert next(event for event in follow(api.events.list, place) if event["type"] == "message.received")
        until(lambda: [each for each in paginate(admin.webhooks.list_deliveries, endpoint["id"]) if each["status"] == "delivered"])
        rotated = admin.webhooks.rotate_secret(endpoint["id"])["data"]
        admin.webhooks.test(endpoint["id"])
        headers, body = Receiver.arrived.get(timeout=60)
        for secret in (endpoint["secret"], rotated["secret"]):
            assert verify_webhook(secret, headers, body)["id"]
    finally:
        admin.webhooks.delete(endpoint["id"])
        server.shutdown()


def code_that_came(after: int) -> str:
    def newest() -> str | None:
        sent: List[Any] = control("GET", "provider/messages")["data"][after:]
        found = re.search(r'"text": "(\d{4,8})"', json.dumps(sent[-1])) if sent else None
        return found.group(1) if found else None

    return until(newest)


def verification() -> None:
    keys = company["verification"]
    server = Switchboard(base, public_key=keys["public_key"], secret_key=keys["secret_key"])
    label = secrets.token_urlsafe(24)
    phone = f"+491512347{digits}"
    assert server.verification.get_config()
    before = len(control("GET", "provider/messages")["data"])
    requested = server.verification.request({"identifier": phone, "purpose": "login", "ip_address": "203.0.113.7", "trust_key": label})
    assert requested["cached"] is False
    request_id = requested["request_id"]
    code = code_that_came(before)
    wrong = "0" * len(code) if code != "0" * len(code) else "1" * len(code)
    missed = server.verification.verify_code({"request_id": request_id, "code": wrong, "ip_address": "203.0.113.7"})
    assert missed["verified"] is False
    done = server.verification.verify_code({"request_id": request_id, "code": code, "ip_address": "203.0.113.7"})
    assert done["verified"] is True and done["identifier"] == phone
    status = server.verification.get_status(request_id)
    assert status["is_verified"] and status["purpose"] == "login"
    again = server.verification.request({"identifier": phone, "purpose": "login", "trust_key": done["trust_key"] or ""})
    assert again["cached"] is True


def shop() -> None:
    erp = Switchboard(base, erp_token=company["shop"]["erp_token"])
    synced = erp.erp.sync(
        {"products": [{"external_id": f"TEA-{run}", "name": "Green tea", "price": "4.90", "currency": "EUR", "stock_quantity": 12}]}
    )
    assert synced["data"]["errors"] == []
    number = f"A-{run}"
    custom = company["shop"]["receivers"]["custom"]["url"]
    order = {"order_number": number, "customer_name": "Ada", "customer_phone": ADA, "total_amount": "9.80", "currency": "EUR"}
    post(custom, {"event": "order.placed", "data": order})
    changed = {"order_number": number, "status": "Fulfilled", "tracking_number": "00340434161094042557"}
    post(custom, {"event": "order.status_updated", "data": changed})

    def fulfilled() -> bool:
        return [each["status"] for each in api.orders.list(search=number)["data"]] == ["Fulfilled"]

    until(fulfilled)
    assert number in [each["order_number"] for each in paginate(api.orders.list, status="Fulfilled", limit=1)]
    templates_by_name = {each["name"]: each["id"] for each in paginate(api.templates.list)}
    settings = api.shop_settings.update(
        {
            "order_notifications": {
                "Fulfilled": {
                    "template_id": templates_by_name["order_update"],
                    "parammatch": {"1": "customer_name", "2": "order_number"},
                    "paramvalues": {"1": "there"},
                }
            },
            "abandoned_cart": {
                "enabled": True,
                "delay_minutes": 60,
                "template_id": templates_by_name["spring_sale"],
                "parammatch": ["customer_name"],
                "paramvalues": ["there"],
            },
            "quiet_hours": {"start": "21:00", "end": "08:00", "timezone": "Europe/Berlin"},
        }
    )["data"]
    assert settings["abandoned_cart"]["enabled"]
    api.shop_settings.update({"order_notifications": {}, "abandoned_cart": {"enabled": False}, "quiet_hours": None})
    assert api.connections.list()["data"] is not None


def account() -> None:
    changed = api.company.update_settings({"timezone": "Europe/Berlin", "settings": {"task_reminder_minutes": 30}})["data"]
    assert changed["timezone"] == "Europe/Berlin"
    kim = api.users.create({"name": "Kim Lee", "email": f"kim-{run}@garden.example", "role": "member"})["data"]
    token = api.tokens.create(
        {
            "user_id": kim["id"],
            "name": "till sync",
            "scopes": ["contacts:read", "messages:send"],
            "networks": ["127.0.0.1", "203.0.113.0/24"],
            "life_days": 90,
        }
    )["data"]
    till = Switchboard(base, token["secret"])
    till.messages.send_template({"phone": ADA, "template_name": "hello_world", "template_language": "en_US"})
    rotated = api.tokens.rotate(token["id"], {"overlap_hours": 0})["data"]
    assert rotated["secret"] != token["secret"]
    own: AddNumberRequest = {
        "phone": f"+1555020{digits}",
        "phone_number_id": f"97{digits}",
        "waba_id": f"98{digits}",
        "access_token": f"EAA-{run}",
        "app_secret": f"secret-{run}",
    }
    known = {name: value for name, value in own.items() if name != "phone"}
    control("PUT", "provider/numbers", {**known, "company_id": company["id"], "display_phone_number": own["phone"], "webhook_url": ""})
    number = api.numbers.add(own)["data"]
    assert api.numbers.connect(number["id"], {})["data"]["is_connected"]
    assert api.numbers.check(number["id"])["data"]["findings"]
    receiver = api.machine_tokens.create({"kind": "webhook_token", "receiver": "webshop", "make_shared_secret": True})["data"]
    assert receiver["url"] and receiver["shared_secret"]
    assert api.machine_tokens.rotate(receiver["id"], {})["data"]["url"] != receiver["url"]
    api.machine_tokens.revoke(receiver["id"])
    assert next(paginate(api.audit.list_entries))["action"]


def money() -> None:
    assert api.rates.list()["data"]
    found = api.rates.get(phone="+4915123456789", category="marketing", currency="EUR")["data"]
    assert found["price"] is None or found["price"]["currency"] == "EUR"
    changed = api.rates.set({"currency": "EUR", "effective_from": "2026-11-01", "adjustment": {"percent": "5"}, "dry_run": True})["data"]
    assert changed["stored"] is False
    by_day, by_country = api.spend.get()["data"], api.spend.get(by="country")["data"]
    assert by_day["totals"]["messages"] == by_country["totals"]["messages"]
    assert api.spend.export().startswith("date,number_id,")


guides = (first_message, authentication, contacts, conversations, templates, campaigns, webhooks, verification, shop, account, money)
for nth, guide in enumerate(guides, 1):
    guide()
    print(f"{nth} {guide.__name__}", flush=True)
