"""Checks with the services' libraries; tools/conformance runs it where they are installed."""

import json
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import anthropic.types
import mcp.types
import openai.types.chat
import openai.types.responses
import pydantic
from google.genai import types as genai
from langchain_core.messages import convert_to_messages

sys.path.insert(0, str(Path(__file__).parent))
import conversations  # noqa: E402
import handing_on  # noqa: E402


def walk(value):
    """Looks at all of a value: some of the libraries' checks wait until somebody asks for the elements of a list."""
    if isinstance(value, dict):
        return {key: walk(one) for key, one in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [walk(one) for one in value]


CHAT = pydantic.TypeAdapter(list[openai.types.chat.ChatCompletionMessageParam])
CHAT_TOOLS = pydantic.TypeAdapter(list[openai.types.chat.ChatCompletionToolParam])
ITEMS = pydantic.TypeAdapter(openai.types.responses.ResponseInputParam)
ITEM_TOOLS = pydantic.TypeAdapter(list[openai.types.responses.ToolParam])
MESSAGES = pydantic.TypeAdapter(list[anthropic.types.MessageParam])
SYSTEM = pydantic.TypeAdapter(typing.Union[str, list[anthropic.types.TextBlockParam]])
MESSAGE_TOOLS = pydantic.TypeAdapter(list[anthropic.types.ToolUnionParam])


def check_chat(document):
    walk(CHAT.validate_python(document["messages"]))
    walk(CHAT_TOOLS.validate_python(document.get("tools", [])))
    assert len(convert_to_messages(document["messages"])) == len(document["messages"])
    # The types can't say that the answers to calls follow them, all of them, with nothing between.
    waiting = set()
    for message in document["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, "an answer without a call before it"
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, "a call without an answer behind it"
        waiting = {call["id"] for call in message.get("tool_calls", [])}


def check_responses(document):
    walk(ITEMS.validate_python(document["input"]))
    walk(ITEM_TOOLS.validate_python(document.get("tools", [])))
    called = {item["call_id"] for item in document["input"] if item["type"] == "function_call"}
    answered = {item["call_id"] for item in document["input"] if item["type"] == "function_call_output"}
    assert called == answered, "calls and outputs don't match"


def check_anthropic(document):
    walk(MESSAGES.validate_python(document["messages"]))
    walk(SYSTEM.validate_python(document.get("system", "")))
    walk(MESSAGE_TOOLS.validate_python(document.get("tools", [])))
    called = []
    for message in document["messages"]:
        blocks = message["content"]
        if called:
            answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert message["role"] == "user" and sorted(answered) == sorted(called), "calls without answers"
            first = [block["type"] == "tool_result" for block in blocks]
            assert first == sorted(first, reverse=True), "an answer behind something else"
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]


def check_gemini(document):
    for content in document["contents"]:
        genai.Content.model_validate(content)
    for tool in document.get("tools", []):
        genai.Tool.model_validate(tool)
    if "systemInstruction" in document:
        genai.Content.model_validate(document["systemInstruction"])


def check_mcp(document):
    for message in document:
        if "method" in message:
            mcp.types.CallToolRequestParams.model_validate(message["params"])
        else:
            mcp.types.CallToolResult.model_validate(message["result"])


CHECKS = {"openai-chat": check_chat, "openai-responses": check_responses, "anthropic": check_anthropic,
          "gemini": check_gemini, "mcp": check_mcp}


def main():
    program, folder, count, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"keepsake {' '.join(map(str, arguments))}:\n{done.stderr}")
        return done.stdout

    store = folder / "Chats.keepsake"
    checked = 0
    for number in range(seed, seed + count):
        conversation = conversations.Conversation(number)
        for form, write in conversations.FORMS.items():
            document = write(conversation)
            CHECKS[form](document)
            file = folder / f"{form}.json"
            file.write_text(json.dumps(document))
            shutil.rmtree(store, ignore_errors=True)
            report = json.loads(run("import", "--json", "--store", store, file))
            session = report["sessions"][0]
            if session["format"] != form or report["skipped"]:
                sys.exit(f"seed {number}: a file of {form} was read as {session['format']}: {report['skipped']}")
            for target, check in CHECKS.items():
                out = run("export", session["id"], "--store", store, "--format", target)
                try:
                    check(json.loads(out))
                except Exception as error:
                    kept = Path(f"conformance-{number}-{form}-{target}.json")
                    kept.write_text(out)
                    sys.exit(f"seed {number}, {form} as {target}: {error}\nKept: {kept}")
                checked += 1
            # One form of each conversation is enough for those who only go on with it.
            if form != list(conversations.FORMS)[number % len(conversations.FORMS)]:
                continue
            for target, check in handing_on.CHECKS.items():
                place = folder / "out"
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                out = place / "ro-crate-metadata.json"
                artifacts = ["--artifacts", "inline" if target == "otel" else "files"]
                run("export", session["id"], "--store", store, "--format", target, *artifacts, "-o", out)
                try:
                    check(out)
                except Exception as error:
                    kept = Path(f"conformance-{number}-{form}-{target}")
                    shutil.copytree(place, kept, dirs_exist_ok=True)
                    sys.exit(f"seed {number}, {form} as {target}: {error}\nKept: {kept}")
                checked += 1
    packages = ["openai", "anthropic", "google-genai", "mcp", "langchain-core", *handing_on.PACKAGES]
    names = ", ".join(f"{package} {version(package)}" for package in packages)
    print(f"{checked:,} exports of {count * len(conversations.FORMS):,} imports are right for {names}.")


def version(package):
    import importlib.metadata
    return importlib.metadata.version(package)


main()
