"""Has a validator of OpenAPI read the server's description, and holds what the server answers against it; tools/conformance runs
it where the validator is installed."""

import hashlib
import http.client
import json
import signal
import subprocess
import sys
import urllib.parse
import uuid
from pathlib import Path

import jsonschema
from openapi_spec_validator import OpenAPIV31SpecValidator


class Server:
    def __init__(self, command, store, folder, *more):
        token_file = folder / "api-token"
        self.process = subprocess.Popen(
            [command, "serve", "--store", store, "--token-file", token_file, *more], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        link = self.process.stdout.readline()
        assert link.startswith("http://127.0.0.1:"), f"the server did not start: {link}"
        self.port = int(link.split(":")[2].split("/")[0])
        self.fields = {"Authorization": f"Bearer {token_file.read_text().strip()}"}

    def ask(self, method, path, body=None, type="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = self.fields | ({"Content-Type": type} if body is not None else {})
        connection.request(method, path, body=body, headers=fields)
        answer = connection.getresponse()
        given = answer.read() if answer.getheader("Content-Type") != "text/event-stream" else answer.read(1)
        connection.close()
        return answer.status, (answer.getheader("Content-Type") or "").split(";")[0], given

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


class Document:
    """The description, and what it says of an answer."""

    def __init__(self, text):
        self.document = json.loads(text)
        OpenAPIV31SpecValidator(self.document).validate()

    def check(self, method, template, answer):
        status, type, body = answer
        responses = self.document["paths"][template][method.lower()]["responses"]
        declared = responses.get(str(status)) or responses.get(f"{status // 100}XX") or responses["default"]
        assert status < 400 or declared is responses["default"], f"{method} {template}: {status} is not declared"
        if "content" not in declared:
            assert not body, f"{method} {template}: there is a body, and none is declared"
            return
        if type not in declared["content"]:
            # The bytes of an artifact have the type that they show.
            assert "application/octet-stream" in declared["content"], f"{method} {template}: {type} is not declared"
            return
        if type.endswith("json"):
            schema = {"components": self.document["components"], **declared["content"][type]["schema"]}
            jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(json.loads(body))

    def request(self, method, template, body):
        """Holds a request that is taken against what is declared of it."""
        schema = self.document["paths"][template][method.lower()]["requestBody"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator({"components": self.document["components"], **schema}).validate(body)


def main():
    command, folder = sys.argv[1], Path(sys.argv[2])
    store = folder / "Described.keepsake"
    subprocess.run([command, "demo", store], stdout=subprocess.DEVNULL, check=True)
    server = Server(command, store, folder)
    try:
        document = Document(server.ask("GET", "/api/1/openapi.json")[2])
        answers = changes(server, document) + questions(server, document)
    finally:
        server.stop()
    reading = Server(command, store, folder, "--read-only")
    try:
        described = Document(reading.ask("GET", "/api/1/openapi.json")[2]).document["paths"]
        assert all(set(path) == {"get"} for path in described.values()), "a server that only reads describes a change"
    finally:
        reading.stop()
    print(f"openapi: {len(document.document['paths'])} addresses, {answers} answers are as they are described")


def changes(server, document):
    session, data = str(uuid.uuid4()), b"drawn by hand"
    digest = hashlib.sha256(data).hexdigest()
    one = "/api/1/sessions/{session}"
    steps = [
        ("POST", "/api/1/sessions", {"id": session, "title": "A", "tags": ["x"], "metadata": {"a": [1]}}),
        ("PATCH", one, {"title": None, "tags": ["y"], "metadata": None}),
        ("POST", one + "/entries", {"kind": "prompt", "text": "a"}),
        ("PUT", "/api/1/artifacts/{digest}", data),
        ("POST", one + "/attachments", {"artifact": f"sha256:{digest}", "position": 0, "caption": "c", "maker": "user"}),
        ("POST", one + "/fork", {"before": 1, "title": "F", "id": str(uuid.uuid4())}),
        ("POST", one + "/entries", {"kind": "song"}), ("PATCH", one, {"name": "a"}), ("DELETE", one, None)]
    for method, template, body in steps:
        path = template.replace("{session}", session).replace("{digest}", digest)
        if isinstance(body, dict):
            answer = server.ask(method, path, json.dumps(body).encode())
            if answer[0] < 400:
                document.request(method, template, body)
        else:
            answer = server.ask(method, path, body, "application/octet-stream")
        document.check(method, template, answer)
    return len(steps)


def questions(server, document):
    session = json.loads(server.ask("GET", "/api/1/sessions")[2])["sessions"][0]["id"]
    artifact = json.loads(server.ask("GET", "/api/1/artifacts")[2])["artifacts"][0]["artifact"]
    values = {"session": session, "digest": artifact.removeprefix("sha256:"), "position": "1", "tool": "GenerateImage"}
    answers = 0
    for template, operations in document.document["paths"].items():
        if "get" not in operations:
            continue
        path = template
        for name, value in values.items():
            path = path.replace("{" + name + "}", value)
        for query in ("", "?unknown=1", "?" + urllib.parse.urlencode({"q": "banana"})):
            answer = server.ask("GET", path + query)
            document.check("GET", template, answer)
            assert query != "?unknown=1" or answer[0] == 400, f"{template} takes what it does not describe"
            answers += 1
    return answers


main()
