"""Runs the fuzzer on each format that is read, from small files of that format."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

B64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
LONG = B64.replace("=", "A") * 8

# Small files of each format: the fuzzer begins with them.
SEEDS = {
    "apple": ['{"transcript":{"entries":[{"role":"user","contents":[{"type":"text","text":"a"}],"id":"1"}]},"version":1,"type":"FoundationModels.Transcript"}'],
    "anylanguagemodel": ['{"entries":[{"prompt":{"_0":{"id":"1","segments":[{"text":{"_0":{"id":"2","content":"a"}}}]}}}]}'],
    "claude-code": [
        '{"sessionId":"s","uuid":"u","type":"user","message":{"role":"user","content":"a"},"timestamp":"2026-01-02T03:04:05Z"}\n'
        '{"sessionId":"s","uuid":"v","type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}],"usage":{"input_tokens":1}}}\n'
        '{"sessionId":"s","uuid":"w","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}}\n' % LONG
    ],
    "codex": [
        '{"timestamp":"t","type":"session_meta","payload":{"id":"i"}}\n'
        '{"timestamp":"t","type":"response_item","payload":{"type":"function_call","call_id":"c","name":"shell","arguments":"{}"}}\n'
        '{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"a"}}\n'
        '{"timestamp":"t","type":"response_item","payload":{"type":"image_generation_call","id":"g","result":"%s"}}\n' % LONG
    ],
    "gemini-cli": [
        '{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05Z","kind":"main"}\n'
        '{"id":"1","timestamp":"2026-01-02T03:04:05Z","type":"user","content":[{"text":"a"}]}\n'
        '{"id":"2","type":"gemini","content":"b","toolCalls":[{"id":"c","name":"n","args":{},"result":[{"functionResponse":{"id":"c","name":"n","response":{"output":"x"}}}]}],"tokens":{"input":1}}\n'
    ],
    "chatgpt": [
        '[{"title":"t","conversation_id":"c","current_node":"a","mapping":{"u":{"id":"u","parent":null,"children":["a"],"message":{"id":"u","author":{"role":"user"},"content":{"content_type":"text","parts":["x"]}}},'
        '"a":{"id":"a","parent":"u","children":[],"message":{"id":"a","author":{"role":"tool","name":"d"},"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"sediment://f"}]}}}}}]'
    ],
    "claude-ai": ['[{"uuid":"c","name":"n","chat_messages":[{"uuid":"m","sender":"human","content":[{"type":"text","text":"a"},{"type":"tool_use","name":"t","input":{}},{"type":"tool_result","name":"t","content":[]}]}]}]'],
    "openai-chat": [
        '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}]}' % LONG,
        '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[]}\n',
    ],
    "openai-responses": ['{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,%s"}]}]}' % LONG],
    "anthropic": ['{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"},{"type":"tool_use","id":"t","name":"n","input":{}}]}]}' % LONG],
    "gemini": ['{"contents":[{"role":"user","parts":[{"text":"a"},{"inline_data":{"mime_type":"image/png","data":"%s"}}]},{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]}]}' % LONG],
    "gemini-interactions": [
        '{"object":"interaction","id":"i","model":"m","input":"a","usage":{"total_input_tokens":1},"steps":[{"type":"thought","signature":"c2ln"},{"type":"function_call","id":"c","name":"n","arguments":{}},{"type":"function_result","call_id":"c","result":[{"type":"image","data":"%s","mime_type":"image/png"}]},{"type":"model_output","content":[{"type":"text","text":"b"}]}]}' % LONG,
        '[{"type":"user_input","content":[{"type":"document","uri":"gs://a"}]},{"type":"google_search_call","id":"g","arguments":{}}]',
    ],
    "mcp": ['{"content":[{"type":"text","text":"a"},{"type":"image","data":"%s","mimeType":"image/png"}],"isError":false}' % LONG],
    "ai-studio": ['{"chunkedPrompt":{"chunks":[{"text":"a","role":"user"},{"inlineImage":{"mimeType":"image/png","data":"%s"},"role":"user"},{"executableCode":{"code":"x"},"role":"model"}]}}' % LONG],
    "ai-sdk": ['[{"id":"m","role":"assistant","parts":[{"type":"reasoning","text":"a"},{"type":"tool-n","toolCallId":"c","state":"output-available","input":{},"output":{"content":[{"type":"image","data":"%s","mimeType":"image/png"}]}},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,%s"}]}]' % (LONG, LONG)],
    "langchain": ['[{"type":"human","data":{"content":[{"type":"image","base64":"%s","mime_type":"image/png"}]}},{"type":"ai","data":{"content":"","tool_calls":[{"name":"n","args":{},"id":"c"}]}},{"type":"tool","data":{"content":"x","tool_call_id":"c","artifact":{"a":1}}}]' % LONG],
    "adk": ['{"id":"s","appName":"a","userId":"u","events":[{"author":"user","content":{"parts":[{"text":"a"},{"inlineData":{"data":"%s","mimeType":"image/png"}}]},"actions":{"artifactDelta":{"x.png":0}}}]}' % LONG],
}

# Requests to the server, whose parser is fuzzed as the readers are.
SEEDS["http-request"] = [
    "GET /a%20b/?q=x+y&z HTTP/1.1\r\nHost: localhost:8080\r\nCookie: a=b; c=d\r\nAccept-Encoding: gzip;q=0.5\r\n\r\n",
    'GET / HTTP/1.1\r\nHost: [::1]:1\r\nRange: bytes=2-4\r\nIf-Range: "tag"\r\nIf-None-Match: W/"x", "tag"\r\n\r\n',
    "POST /p?name=%C3%BC HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\nhello",
    "HEAD / HTTP/1.0\r\nHost: a\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
]

TABLES = {
    "llm": """CREATE TABLE "_llm_migrations" ("name" TEXT PRIMARY KEY, "applied_at" TEXT);
      CREATE TABLE "conversations" ("id" TEXT PRIMARY KEY, "name" TEXT, "model" TEXT);
      CREATE TABLE "responses" ("id" TEXT PRIMARY KEY, "model" TEXT, "prompt" TEXT, "response" TEXT, "conversation_id" TEXT, "datetime_utc" TEXT);
      INSERT INTO responses VALUES ('r', 'm', 'a', 'b', 'c', '2026-01-02T03:04:05');""",
    "openai-agents": """CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY);
      CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TEXT);
      INSERT INTO agent_messages VALUES (1, 's', '{"role":"user","content":"a"}', '2026-01-02 03:04:05');""",
    "adk-database": """CREATE TABLE app_states (a TEXT); CREATE TABLE user_states (a TEXT); CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT);
      CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, timestamp REAL, event_data TEXT);
      INSERT INTO events VALUES ('e', 'a', 'u', 's', 1, '{"author":"user","content":{"parts":[{"text":"a"}]}}');""",
}

# Words that the formats know; the fuzzer puts them into what it changes.
WORDS = """role user assistant system tool content parts text type id name data base64 image_url url messages contents
tool_calls function arguments tool_call_id tool_use tool_result tool_use_id input output source media_type inlineData
mimeType functionCall functionResponse thought signature reasoning file filename events author actions artifactDelta
HTTP/1.1 Host: Content-Length: Transfer-Encoding: chunked Range: bytes= If-None-Match: Cookie: %00 %2e \\x0d\\x0a
null true false [] {} \\\\u0000 \\\\ud800 1e999 -0 data:image/png;base64,""".split()


# The exit status of a libFuzzer program that was interrupted.
INTERRUPTED = 72


def write_seeds(name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if name in TABLES:
        path = folder / "seed-1"
        database = sqlite3.connect(path)
        database.execute("PRAGMA page_size = 512")
        database.executescript(TABLES[name])
        database.commit()
        database.close()
        return
    for number, text in enumerate(SEEDS[name], 1):
        (folder / f"seed-{number}").write_bytes(text.encode())


def run(program, name, seconds, seed, keep):
    """Fuzzes the reader of one format. Returns whether the reader held, and the lines to print."""
    place = pathlib.Path(tempfile.mkdtemp(prefix=f"keepsake-fuzz-{name}-"))
    try:
        write_seeds(name, place / "corpus")
        words = place / "words"
        words.write_text("".join(f'"{word}"\n' for word in WORDS))
        command = [
            program, str(place / "corpus"), f"-max_total_time={seconds}", f"-seed={seed}", f"-dict={words}",
            f"-artifact_prefix={place}/found-", "-max_len=65536", "-timeout=20", "-rss_limit_mb=1024",
            "-print_final_stats=1", "-verbosity=0",
            # The fuzzer keeps the small files that it begins with, also in a build without the marks that would tell their worth.
            "-keep_seed=1",
        ]
        environment = dict(os.environ, KEEPSAKE_FUZZ_FORMAT=name, TMPDIR=str(place))
        # Coverage decides what is kept; what the fuzzer says of it is for who looks into a failure.
        ended = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        said = ended.stdout + ended.stderr
        inputs = next((line.split()[-1] for line in said.splitlines() if "number_of_executed_units" in line), "0")
        if ended.returncode == 0 and int(inputs) > 0:
            return True, f"{name:<18} {int(inputs):>9,} inputs in {seconds} s"
        if ended.returncode == INTERRUPTED:
            return False, f"{name}: was interrupted"
        keep = True
        (place / "said.txt").write_text(said)
        failed = f"{name}: the reader failed (seed {seed}). The input and what was said are in {place}"
        return False, "\n".join([failed, *said.splitlines()[-40:]])
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="tools/fuzz", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="only these; else all that are read")
    parser.add_argument("--seconds", type=int, default=600, help="how long for each format; else 600")
    parser.add_argument("--short", action="store_true", help="a second each, for tools/check, and not guided by the code that is reached")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big") + 1, help="to repeat a run")
    parser.add_argument("--keep", action="store_true", help="leave the inputs that were found worth keeping")
    options = parser.parse_args()
    known = list(SEEDS) + list(TABLES)
    unknown = [name for name in options.formats if name not in known]
    if unknown:
        parser.error(f"no such format: {', '.join(unknown)}. There are: {', '.join(known)}")
    seconds = 1 if options.short else options.seconds
    print(f"seed {options.seed}", flush=True)
    program = os.environ["KEEPSAKE_FUZZ_PROGRAM"]
    is_sound = True
    # Fuzzing one reader keeps one processor busy.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(run, program, name, seconds, options.seed, options.keep) for name in options.formats or known]
        try:
            for ended in runs:
                held, said = ended.result()
                is_sound = is_sound and held
                print(said, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    sys.exit(0 if is_sound else 1)


main()
