"""Keeps the sessions of the Claude Agent SDK in a Keepsake store.

    from claude_agent_sdk import ClaudeAgentOptions
    from keepsake_session_store import KeepsakeSessionStore

    options = ClaudeAgentOptions(session_store=KeepsakeSessionStore("Agents.keepsake"))

Needs the command `keepsake` and no Python package but the SDK. It starts `keepsake session-store` when it is first used and
talks to that over pipes; Documentation/SessionStore.md has the requests. What is appended is durable when `append` returns.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio.to_thread
from claude_agent_sdk import SessionStore, fold_session_summary

__all__ = ["KeepsakeError", "KeepsakeSessionStore"]

logger = logging.getLogger("keepsake_session_store")


class KeepsakeError(Exception):
    """What `keepsake` said it could not do. `code` is for programs, such as `diskFull` or `locked`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class KeepsakeSessionStore(SessionStore):
    """A store of sessions in the folder `store`, which is made where it is not there.

    - `command` is how `keepsake` is called.
    - `erase` has the store forget what the SDK deletes; otherwise it is gone for the SDK alone.
    - `on_gap(key, uuid)` is called when entries come that follow one, with this uuid, that never came: the SDK drops what it
      could not hand over three times. The store's log has it, too, and it is logged as a warning.

    Calls are carried out in the order in which they are made, whichever thread or event loop makes them. An instance may be
    closed with `close`; otherwise its process ends with the program.
    """

    def __init__(
        self,
        store: str | os.PathLike[str],
        *,
        command: str | Sequence[str] = "keepsake",
        erase: bool = False,
        on_gap: Callable[[dict[str, Any], str], None] | None = None,
    ) -> None:
        program = [command] if isinstance(command, str) else list(command)
        self._arguments = [*program, "session-store", "--store", os.fspath(store)]
        if erase:
            self._arguments.append("--erase")
        self._on_gap = on_gap
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: Any = None
        self._requests = 0
        # One thread, so that one request is answered before the next is sent.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="keepsake-session-store")

    async def append(self, key: Any, entries: list[Any]) -> None:
        if not entries:
            return
        # What can't be said in JSON is refused here, before anything is sent.
        texts = [_json(entry) for entry in entries]
        await self._run(lambda: self._append(dict(key), entries, texts))

    async def load(self, key: Any) -> list[Any] | None:
        return await self._run(lambda: self._ask("load", key=dict(key)))

    async def list_sessions(self, project_key: str) -> list[Any]:
        return await self._run(lambda: self._ask("list_sessions", project_key=project_key))

    async def list_session_summaries(self, project_key: str) -> list[Any]:
        return await self._run(lambda: self._ask("list_session_summaries", project_key=project_key))

    async def delete(self, key: Any) -> None:
        await self._run(lambda: self._ask("delete", key=dict(key)))

    async def list_subkeys(self, key: Any) -> list[str]:
        return await self._run(lambda: self._ask("list_subkeys", key=dict(key)))

    def close(self) -> None:
        """Ends the process, after what was asked of it."""
        self._worker.submit(self._stop).result()
        self._worker.shutdown()

    # What follows runs on the worker's thread, but for _run.

    async def _run(self, work: Callable[[], Any]) -> Any:
        # Handed over at once, so that the order of calls is kept; and not given up half-way when the caller is cancelled.
        future = self._worker.submit(work)
        return await anyio.to_thread.run_sync(future.result)

    def _append(self, key: dict[str, Any], entries: list[Any], texts: list[str]) -> None:
        raw = f'"entries":[{",".join(texts)}]'
        if "subpath" in key:
            # What a sub-agent says is no part of its session's summary.
            result = self._ask("append", raw, key=key)
        else:
            result = self._append_with_summary(key, entries, raw)
        missing = result.get("missing")
        if missing is not None:
            logger.warning("Entries of %s never came: the one with the uuid %s is missing.", key, missing)
            if self._on_gap is not None:
                self._on_gap(key, missing)

    def _append_with_summary(self, key: dict[str, Any], entries: list[Any], raw: str) -> dict[str, Any]:
        while True:
            known = self._ask("summary", key=key)
            former = None
            if "data" in known:
                former = {"session_id": key["session_id"], "mtime": known["mtime"], "data": known["data"]}
            summary = fold_session_summary(former, key, entries)["data"]
            try:
                return self._ask("append", raw, key=key, seen=known["appends"], summary=summary)
            except KeepsakeError as error:
                # Another process added to the transcript between the two.
                if error.code != "conflict":
                    raise

    def _ask(self, method: str, raw: str | None = None, **members: Any) -> Any:
        self._requests += 1
        request = _json({"id": self._requests, "method": method, **members})
        if raw is not None:
            request = f"{request[:-1]},{raw}}}"
        process = self._started()
        try:
            process.stdin.write(request.encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise self._ended()
        answer = json.loads(line)
        if answer["id"] != self._requests:
            self._stop()
            raise KeepsakeError("failed", "keepsake session-store answered another request than the one that was sent.")
        if "error" in answer:
            raise KeepsakeError(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._complaints = tempfile.TemporaryFile()
            try:
                self._process = subprocess.Popen(
                    self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
                )
            except OSError as error:
                raise KeepsakeError("failed", f"Can't start '{self._arguments[0]}': {error.strerror}.") from error
        return self._process

    def _ended(self) -> KeepsakeError:
        """What is to be said of a process that ended by itself. The next call starts another one."""
        status = self._process.wait()
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip()
        self._stop()
        return KeepsakeError("failed", said or f"keepsake session-store ended with status {status}.")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            process.stdin.close()
        except OSError:
            pass
        process.wait()
        process.stdout.close()
        self._complaints.close()


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        # Half of a surrogate pair, which only an escape can say.
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
