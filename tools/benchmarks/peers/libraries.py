"""Libraries that keep conversations, each used as its documentation has it.

An image goes in as each of them takes one: google-adk has a service for artifacts; into the others it goes as base64, within
the entry.
"""

import asyncio
import base64
import sqlite3

from contender import Cannot, Contender


def data_url(file):
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def decoded(url):
    return base64.b64decode(url.split(",", 1)[1])


class Asynchronous(Contender):
    """Has one loop for all calls, as a program has."""

    loop = None

    def wait(self, awaited):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(awaited)


class OpenAIAgents(Asynchronous):
    modules = ("agents",)

    def __init__(self, folder):
        from agents import SQLiteSession

        self.path, self.kind, self.sessions = folder / "sessions.db", SQLiteSession, {}

    def session(self, number):
        if number not in self.sessions:
            self.sessions[number] = self.kind(str(number), self.path)
        return self.sessions[number]

    def create(self, session):
        self.session(session)

    def append(self, session, text):
        self.wait(self.session(session).add_items([{"role": "user", "content": text}]))

    def attach(self, session, text, file):
        content = [
            {"type": "input_text", "text": text}, {"type": "input_image", "detail": "auto", "image_url": data_url(file)}]
        self.wait(self.session(session).add_items([{"role": "user", "content": content}]))

    def reload(self, session, needs_bytes):
        items, size = self.wait(self.session(session).get_items()), 0
        if needs_bytes:
            for item in items:
                if isinstance(item["content"], list):
                    size += sum(len(decoded(each["image_url"])) for each in item["content"] if "image_url" in each)
        return len(items), size


class GoogleADK(Asynchronous):
    modules = (
        "google.adk.artifacts", "google.adk.events", "google.adk.sessions.sqlite_session_service", "google.genai.types")
    USER = {"app_name": "app", "user_id": "user"}

    def __init__(self, folder):
        from google.adk.artifacts import FileArtifactService
        from google.adk.events import Event
        from google.adk.sessions.sqlite_session_service import SqliteSessionService
        from google.genai import types

        self.event, self.types, self.sessions = Event, types, {}
        self.service = SqliteSessionService(str(folder / "sessions.db"))
        self.artifacts = FileArtifactService(root_dir=str(folder / "artifacts"))

    def create(self, session):
        self.sessions[session] = self.wait(self.service.create_session(**self.USER, session_id=str(session)))

    def session(self, number):
        if number not in self.sessions:
            self.sessions[number] = self.wait(self.service.get_session(**self.USER, session_id=str(number)))
        return self.sessions[number]

    def append(self, session, text):
        content = self.types.Content(role="user", parts=[self.types.Part(text=text)])
        self.wait(self.service.append_event(self.session(session), self.event(author="user", content=content)))

    def attach(self, session, text, file):
        part = self.types.Part.from_bytes(data=file.read_bytes(), mime_type="image/png")
        name = f"{file.stem}-{len(self.session(session).events)}.png"
        self.wait(
            self.artifacts.save_artifact(**self.USER, session_id=str(session), filename=name, artifact=part))
        self.append(session, text)

    def reload(self, session, needs_bytes):
        found, size = self.wait(self.service.get_session(**self.USER, session_id=str(session))), 0
        if needs_bytes:
            place = {**self.USER, "session_id": str(session)}
            for name in self.wait(self.artifacts.list_artifact_keys(**place)):
                size += len(self.wait(self.artifacts.load_artifact(**place, filename=name)).inline_data.data)
        return len(found.events), size

    def list(self):
        return len(self.wait(self.service.list_sessions(**self.USER)).sessions)


class LangGraph(Contender):
    """A checkpoint holds the whole state: here the messages."""

    modules = ("langgraph.checkpoint.base", "langgraph.checkpoint.sqlite")

    def __init__(self, folder):
        from langgraph.checkpoint.base import empty_checkpoint
        from langgraph.checkpoint.sqlite import SqliteSaver

        self.empty = empty_checkpoint
        self.saver = SqliteSaver(sqlite3.connect(folder / "checkpoints.db", check_same_thread=False))
        self.saver.setup()

    def config(self, session):
        return {"configurable": {"thread_id": str(session), "checkpoint_ns": ""}}

    def create(self, session):
        pass

    def add(self, session, content):
        found = self.saver.get_tuple(self.config(session))
        messages = found.checkpoint["channel_values"]["messages"] if found else []
        checkpoint = self.empty()
        checkpoint["channel_values"] = {"messages": [*messages, {"role": "user", "content": content}]}
        version = len(messages) + 1
        checkpoint["channel_versions"] = {"messages": version}
        self.saver.put(
            found.config if found else self.config(session), checkpoint,
            {"source": "loop", "step": version, "parents": {}}, {"messages": version})

    def append(self, session, text):
        self.add(session, text)

    def attach(self, session, text, file):
        image = {"type": "image_url", "image_url": {"url": data_url(file)}}
        self.add(session, [{"type": "text", "text": text}, image])

    def reload(self, session, needs_bytes):
        found, size = self.saver.get_tuple(self.config(session)), 0
        messages = found.checkpoint["channel_values"]["messages"] if found else []
        if needs_bytes:
            for message in messages:
                if isinstance(message["content"], list):
                    size += sum(
                        len(decoded(each["image_url"]["url"])) for each in message["content"] if "image_url" in each)
        return len(messages), size


class LLM(Contender):
    """An image's bytes are kept in the database, once."""

    modules = ("llm.logs", "llm.parts", "sqlite_utils")

    def __init__(self, folder):
        import sqlite_utils
        from llm import Attachment
        from llm.logs import LogStore
        from llm.parts import AttachmentPart, Message, TextPart

        self.message, self.text, self.image, self.attachment = Message, TextPart, AttachmentPart, Attachment
        self.store = LogStore(sqlite_utils.Database(folder / "logs.db"))

    def create(self, session):
        self.store.ensure_thread(str(session))

    def append(self, session, text):
        self.store.append(str(session), [self.message(role="user", parts=[self.text(text=text)])])

    def attach(self, session, text, file):
        image = self.image(attachment=self.attachment(type="image/png", content=file.read_bytes()))
        self.store.append(str(session), [self.message(role="user", parts=[self.text(text=text), image])])

    def reload(self, session, needs_bytes):
        messages, size = self.store.thread_messages(str(session)), 0
        if needs_bytes:
            for message in messages:
                size += sum(len(part.attachment.content) for part in message.parts if isinstance(part, self.image))
        return len(messages), size

    def search(self, word):
        raise Cannot("responses only")


ALL = {
    "llm": LLM, "openai-agents": OpenAIAgents, "google-adk": GoogleADK, "langgraph-checkpoint-sqlite": LangGraph,
}
