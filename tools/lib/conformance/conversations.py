"""Random conversations, and how each service would be sent them."""

import base64
import json
import random

TEXTS = ["a banana", "Größe \"x\"\n", "\U0001F34C {}", "1", "- a\n- b\t", "\\", "line\r\nline"]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Conversation:
    """Turns of: a prompt's parts, then answers of texts, calls, and what these returned."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.calls = 0
        self.system = self.text() if self.chance(2) else None
        self.turns = [self.turn() for _ in range(self.random.randint(1, 3))]

    def chance(self, one):
        return self.random.randint(1, one) == 1

    def text(self):
        return self.random.choice(TEXTS) + str(self.random.randint(0, 99))

    def image(self):
        return PNG + self.random.randbytes(self.random.randint(0, 40))

    def parts(self, images):
        return [self.image() if images and self.chance(3) else self.text()
                for _ in range(self.random.randint(1, 3))]

    def turn(self):
        steps = []
        for _ in range(self.random.randint(0, 2)):
            calls = []
            for _ in range(self.random.randint(1, 3)):
                self.calls += 1
                calls.append({
                    "id": f"call_{self.calls}", "name": self.random.choice(["draw", "read_file"]),
                    "input": {"n": self.random.randint(0, 9), "of": self.text()},
                    "output": self.parts(images=True), "failed": self.chance(6)})
            said = self.text() if self.chance(3) else None
            thought = self.text() if self.chance(3) else None
            steps.append({"thought": thought, "said": said, "calls": calls})
        return {"prompt": self.parts(images=True), "steps": steps, "answer": self.text()}


def encoded(data):
    return base64.b64encode(data).decode()


def url(data):
    return f"data:image/png;base64,{encoded(data)}"


def texts(parts):
    return [part for part in parts if isinstance(part, str)] or ["none"]


# MARK: - As the services take them

def chat(conversation):
    def part(value):
        if isinstance(value, str):
            return {"type": "text", "text": value}
        return {"type": "image_url", "image_url": {"url": url(value)}}

    messages = []
    if conversation.system:
        messages.append({"role": "system", "content": conversation.system})
    for turn in conversation.turns:
        messages.append({"role": "user", "content": [part(one) for one in turn["prompt"]]})
        for step in turn["steps"]:
            messages.append({"role": "assistant", "content": step["said"], "tool_calls": [
                {"id": call["id"], "type": "function",
                 "function": {"name": call["name"], "arguments": json.dumps(call["input"])}}
                for call in step["calls"]]})
            for call in step["calls"]:
                messages.append({"role": "tool", "tool_call_id": call["id"],
                                 "content": [part(one) for one in texts(call["output"])]})
        messages.append({"role": "assistant", "content": turn["answer"]})
    return {"messages": messages, "tools": [
        {"type": "function", "function": {"name": "draw", "parameters": {"type": "object"}}}]}


def responses(conversation):
    def part(value):
        if isinstance(value, str):
            return {"type": "input_text", "text": value}
        return {"type": "input_image", "image_url": url(value), "detail": "auto"}

    items = []
    for turn in conversation.turns:
        items.append({"type": "message", "role": "user", "content": [part(one) for one in turn["prompt"]]})
        for step in turn["steps"]:
            for call in step["calls"]:
                items.append({"type": "function_call", "call_id": call["id"], "name": call["name"],
                              "arguments": json.dumps(call["input"])})
            for call in step["calls"]:
                items.append({"type": "function_call_output", "call_id": call["id"],
                              "output": [part(one) for one in call["output"]]})
        items.append({"type": "message", "role": "assistant", "id": f"msg_{len(items)}", "status": "completed",
                      "content": [{"type": "output_text", "text": turn["answer"], "annotations": []}]})
    request = {"input": items, "tools": [
        {"type": "function", "name": "draw", "parameters": {"type": "object"}, "strict": False}]}
    if conversation.system:
        request["instructions"] = conversation.system
    return request


def anthropic(conversation):
    def block(value):
        if isinstance(value, str):
            return {"type": "text", "text": value}
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": encoded(value)}}

    messages = []
    for turn in conversation.turns:
        messages.append({"role": "user", "content": [block(one) for one in turn["prompt"]]})
        for step in turn["steps"]:
            content = []
            if step["thought"]:
                content.append({"type": "thinking", "thinking": step["thought"], "signature": "c2ln"})
            if step["said"]:
                content.append({"type": "text", "text": step["said"]})
            content += [{"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["input"]}
                        for call in step["calls"]]
            messages.append({"role": "assistant", "content": content})
            results = []
            for call in step["calls"]:
                result = {"type": "tool_result", "tool_use_id": call["id"],
                          "content": [block(one) for one in call["output"]]}
                if call["failed"]:
                    result["is_error"] = True
                results.append(result)
            messages.append({"role": "user", "content": results})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": turn["answer"]}]})
    request = {"messages": messages, "tools": [{"name": "draw", "input_schema": {"type": "object"}}]}
    if conversation.system:
        request["system"] = conversation.system
    return request


def gemini(conversation):
    def part(value):
        if isinstance(value, str):
            return {"text": value}
        return {"inlineData": {"mimeType": "image/png", "data": encoded(value)}}

    contents = []
    for turn in conversation.turns:
        contents.append({"role": "user", "parts": [part(one) for one in turn["prompt"]]})
        for step in turn["steps"]:
            parts = []
            if step["thought"]:
                parts.append({"text": step["thought"], "thought": True})
            if step["said"]:
                parts.append({"text": step["said"]})
            parts += [{"functionCall": {"name": call["name"], "args": call["input"]}} for call in step["calls"]]
            contents.append({"role": "model", "parts": parts})
            contents.append({"role": "user", "parts": [
                {"functionResponse": {"name": call["name"], "response": {"output": texts(call["output"])[0]}}}
                for call in step["calls"]]})
        contents.append({"role": "model", "parts": [{"text": turn["answer"]}]})
    request = {"contents": contents, "tools": [
        {"functionDeclarations": [{"name": "draw", "parameters": {"type": "OBJECT"}}]}]}
    if conversation.system:
        request["systemInstruction"] = {"parts": [{"text": conversation.system}]}
    return request


FORMS = {"openai-chat": chat, "openai-responses": responses, "anthropic": anthropic, "gemini": gemini}
