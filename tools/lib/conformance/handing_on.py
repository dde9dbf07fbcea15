"""Checks of what is written for others to go on with, with the libraries of those others."""

import base64
import hashlib
import json
import urllib.parse

from google.protobuf import json_format
from harbor.models.trajectories import Trajectory
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prov.model import ProvDocument
from rocrate.rocrate import ROCrate

MEDIA = {"blob": "content", "uri": "uri", "file": "file_id"}
PARTS = {"text": ["content"], "reasoning": ["content"], "tool_call": ["name"], "tool_call_response": ["response"],
         **{name: ["modality", key] for name, key in MEDIA.items()}}


def check_atif(file):
    trajectory = Trajectory.model_validate_json(file.read_text())
    for step in trajectory.steps:
        results = step.observation.results if step.observation else []
        contents = [step.message] + [result.content for result in results]
        for part in [part for content in contents if isinstance(content, list) for part in content]:
            if part.source:
                data = (file.parent / part.source.path).read_bytes()
                assert hashlib.sha256(data).hexdigest().startswith((file.parent / part.source.path).stem)
        ids = [call.tool_call_id for call in step.tool_calls or []]
        assert len(set(ids)) == len(ids), "two calls of a step with one id"


def check_otel(file):
    document = json.loads(file.read_text())
    spans = [span for resource in document["resourceSpans"] for scope in resource["scopeSpans"]
             for span in scope["spans"]]
    ids = {span["spanId"] for span in spans}
    assert len(ids) == len(spans) and len({span["traceId"] for span in spans}) == 1
    for span in spans:
        assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16
        assert span.get("parentSpanId") is None or span["parentSpanId"] in ids
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        for attribute in span["attributes"]:
            if attribute["key"] in ("gen_ai.input.messages", "gen_ai.output.messages"):
                check_messages(json.loads(attribute["value"]["stringValue"]), attribute["key"])
        # Ids are hexadecimal in OTLP's JSON alone; protobuf's own takes base64.
        for key in ("traceId", "spanId", "parentSpanId"):
            if key in span:
                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    json_format.ParseDict(document, ExportTraceServiceRequest())


def check_messages(messages, key):
    for message in messages:
        assert message["role"] in ("system", "user", "assistant", "tool")
        assert key == "gen_ai.input.messages" or message["finish_reason"]
        for part in message["parts"]:
            assert all(name in part for name in PARTS[part["type"]]), part["type"]
            if part["type"] == "blob":
                base64.b64decode(part["content"], validate=True)


def check_prov(file):
    document = ProvDocument.deserialize(str(file), format="json")
    again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    assert document == again and document.get_records(), "it is not read as it was written"


def check_crate(file):
    crate = ROCrate(str(file.parent))
    for entity in crate.data_entities:
        if entity.type == "File":
            data = (file.parent / urllib.parse.unquote(entity.id)).read_bytes()
            assert hashlib.sha256(data).hexdigest() == entity["sha256"]
            assert str(len(data)) == entity["contentSize"]
    assert crate.mainEntity is not None
    for action in crate.root_dataset.get("mentions", []):
        assert action.type == "CreateAction"


CHECKS = {"atif": check_atif, "otel": check_otel, "prov": check_prov, "ro-crate": check_crate}
PACKAGES = ["harbor", "opentelemetry-proto", "prov", "rocrate"]
