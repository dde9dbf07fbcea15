"""Runs the Claude Agent SDK's own suite on tools/session-store; tools/conformance runs it where the SDK is installed."""

import asyncio
import itertools
import logging
import sys
import uuid
from pathlib import Path

from claude_agent_sdk import (
    fork_session_via_store,
    get_session_messages_from_store,
    list_sessions_from_store,
)
from claude_agent_sdk.testing import run_session_store_conformance

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "session-store"))
from keepsake_session_store import KeepsakeError, KeepsakeSessionStore  # noqa: E402

PROJECT = "/home/alice/fruit"


def line(session, number, parent, **members):
    role = "user" if number % 2 else "assistant"
    content = f"Line {number}, with half a pair: \ud83d" if number == 2 else f"Line {number}"
    if role == "assistant":
        content = [{"type": "text", "text": content}]
    return {"parentUuid": parent, "isSidechain": False, "sessionId": session, "type": role, "uuid": str(uuid.uuid4()),
            "timestamp": f"2026-11-20T10:00:{number:02}.000Z", "cwd": PROJECT, "message": {"role": role, "content": content}, **members}


def talk(session, count):
    lines, parent = [], None
    for number in range(1, count + 1):
        lines.append(line(session, number, parent))
        parent = lines[-1]["uuid"]
    return lines


async def two_at_once(command, folder):
    """Two programs add to one transcript, each with a summary of all that is there."""
    stores = [KeepsakeSessionStore(folder / "Both.keepsake", command=command) for _ in range(2)]
    key = {"project_key": "p", "session_id": str(uuid.uuid4())}

    async def add(store, name):
        for number in range(20):
            await store.append(key, [{"type": "user", "uuid": f"{name}-{number}", "timestamp": "2026-11-20T10:00:00Z"}])

    await asyncio.gather(*(add(store, name) for store, name in zip(stores, "ab")))
    loaded = [entry["uuid"] for entry in await stores[0].load(key)]
    for name in "ab":
        assert [one for one in loaded if one.startswith(name)] == [f"{name}-{number}" for number in range(20)]
    for store in stores:
        store.close()


async def sdk(command, folder):
    """The SDK's own functions over a store: its lists, its messages, a fork."""
    gaps = []
    store = KeepsakeSessionStore(folder / "Sdk.keepsake", command=command, on_gap=lambda key, missing: gaps.append(missing))
    from claude_agent_sdk import project_key_for_directory
    project, session = project_key_for_directory(PROJECT), str(uuid.uuid4())
    key = {"project_key": project, "session_id": session}
    lines = talk(session, 6)
    await store.append(key, lines[:2])
    await store.append(key, lines[1:4])
    assert await store.load(key) == lines[:4]
    listed = await list_sessions_from_store(store, PROJECT)
    assert [one.session_id for one in listed] == [session], listed
    assert listed[0].first_prompt == "Line 1", listed
    messages = await get_session_messages_from_store(store, session, PROJECT)
    assert len(messages) == 4, messages
    fork = await fork_session_via_store(store, session, PROJECT)
    assert len(await list_sessions_from_store(store, PROJECT)) == 2
    assert fork.session_id != session
    # A line is lost on the way.
    assert not gaps
    await store.append(key, lines[5:])
    assert gaps == [lines[4]["uuid"]], gaps
    # What can't be said is refused, and the next entry goes through.
    try:
        await store.append(key, [{"type": "x", "n": float("nan")}])
        raise AssertionError("a number that JSON does not have was taken")
    except ValueError:
        pass
    # A process that ends is told of, and started again.
    store._process.kill()
    try:
        await store.load(key)
        raise AssertionError("nobody was there to answer")
    except KeepsakeError as error:
        assert error.code == "failed"
    assert len(await store.load(key)) == 5
    store.close()


def main():
    command, folder = sys.argv[1], Path(sys.argv[2])
    # A gap is made on purpose, and looked for.
    logging.disable(logging.WARNING)
    numbers = itertools.count()
    for erase in (False, True):
        asyncio.run(run_session_store_conformance(
            lambda: KeepsakeSessionStore(folder / f"{next(numbers)}.keepsake", command=command, erase=erase)))
    asyncio.run(two_at_once(command, folder))
    asyncio.run(sdk(command, folder))
    import importlib.metadata
    print(f"The session store keeps all contracts of claude-agent-sdk {importlib.metadata.version('claude-agent-sdk')}.")


main()
