#!/usr/bin/env python3
"""Verifies the chains of a store, independently of Keepsake's own code: see Documentation/Digest.md.
tools/verify-chain.py Chats.keepsake prints the head of each session, and exits with 0 if all is well, with 2 if not."""
import hashlib, json, pathlib, sqlite3, struct, sys, uuid
APPEND, ATTACH, REVISE, ERASE, INVOKE, ADOPT, ERASE_ENTRY, TAKE = 1, 2, 3, 5, 8, 11, 13, 14
CALLS = "SELECT ordinal, call_id, tool FROM tool_call WHERE entry = ? "
ARCHIVE, REVISIONS = "SELECT number, operation, position, digest FROM change WHERE session = ?", "SELECT * FROM revision WHERE entry = ? ORDER BY number"
ENTRYS, ENTRY = (APPEND, REVISE, ADOPT, ERASE_ENTRY), "uuid kind created status visibility turn key lane author model call_entry call_ordinal".split()
TABLES = {  # in the order of their digests; what names a row by a number of this store stands for what that row is
    "attachment": (ATTACH, """recorded entry segment pointer range_start range_end turn created artifact_digest state direction maker basis
        invocation_id call_id call_entry call_ordinal tool label declared_label media_type file_name captions reference inputs
        salt""", """SELECT x.*, x.entry AS hangs, f.digest AS artifact_digest, i.id AS invocation_id, i.session AS owner FROM
        attachment AS x LEFT JOIN artifact AS f ON f.number = x.artifact LEFT JOIN invocation AS i ON i.number = x.invocation"""),
    "invocation": (INVOKE, """recorded id turn maker name implementation version model parameters arguments started ended outcome detail
        output call_id call_entry call_ordinal basis salt""", "SELECT x.*, NULL AS hangs, NULL AS owner FROM invocation AS x"),
    "import": (TAKE, "recorded format name size file_digest created first count salt", """SELECT x.*, format, name, size, s.digest AS
        file_digest, NULL AS call_entry, NULL AS hangs, NULL AS owner FROM import AS x JOIN source AS s ON s.number = x.source""")}
Text, faults, heads = type("Text", (bytes,), {}), [], {}  # Text: the canonical bytes of text are not those of a blob
def check(truth, *what): faults.extend([] if truth else [" ".join(map(str, (about, *what)))])
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def canonical(domain, columns):
    return sha(domain.encode(), *(b"\0" if c is None else b"\1" + struct.pack(">q", c) if isinstance(c, int) else
               (b"\2" if isinstance(c, Text) else b"\3") + struct.pack(">q", len(c)) + c for c in columns))
def at(entry): return None if entry is None else entry & 0xFFFFFF
def owned(s, entry):  # whether the session that an entry's number names owns that position, as seen from session s
    while entry is not None and s["parent"] is not None and at(entry) < s["fork_position"]: s = sessions[s["parent"]]
    return entry is None or entry >> 24 == s["number"]
def body_digest(row): return sha(row["salt"], row["body"]) if row["body"] and row["salt"] and len(row["salt"]) == 16 else None
def content(e, own, key, body, revised):  # body: its digest; once it was erased, the digest that the entry had until then
    own = {c: own[c] for c in ("status", "lane", "author", "model")} | {"key": key}  # the rest a revision leaves as it is
    columns = [at(e[c]) if c == "call_entry" else own[c] if c in own else e[c] for c in ENTRY]
    return canonical("keepsake.entry.1", columns + [body, revised])
def entries(s, links, archive):
    earlier, position = {}, s["fork_position"] or 0  # by position: the links in the archive that are its entry's
    for k, v in archive.items(): earlier.setdefault(v[1], {}).update({k: v[0]} if v[0] in ENTRYS else {})
    for e in rows("SELECT * FROM entry WHERE id BETWEEN ?1 << 24 AND (?1 << 24) + 16777215 ORDER BY id", s["number"]):
        name, replaced, last, position = f"entry {at(e['id'])}", None, e["change"], position + 1
        check(at(e["id"]) == position - 1, "positions before", name)
        links.append((last, e["operation"], at(e["id"]), e["digest"], "entry"))
        before, erased = earlier.get(at(e["id"]), {}), e["body"] is None and e["salt"] is None and e["operation"] == ERASE_ENTRY
        operations, revisions = {**before, last: e["operation"]}, list(rows(REVISIONS, e["id"]))
        held = sorted([r["change"] for r in revisions] + [last])
        for n, r in enumerate(revisions, 1):
            link = (r["operation"], at(e["id"]), r["digest"])
            check(r["number"] == n and archive.get(r["change"]) == link and held[n - 1] == r["change"] < r["until"] <= held[n]
                  and operations.get(r["until"]) == REVISE, "links of revision", n, "of", name)
            digests = [content(e, r, key, body_digest(r), replaced) for key in (e["key"], None)]  # a key may come later
            check(r["digest"] in digests or erased and r["body"] is None and r["salt"] is None, "revision", n, "of", name)
            replaced = r["replaced"]
        for k in before.keys() - held:  # what no revision has is what a later row of the entry has, or what was erased
            check(operations.get(min((h for h in held if h > k), default=0)) in (ADOPT, ERASE_ENTRY) or k > last and
                  (s["id"] in leaving or s["state"] == 2 and before[k] in (REVISE, ADOPT) and not any(f["fork_change"] >= k and
                   f["fork_position"] >= position for f in sessions.values() if f["parent"] == s["number"])), name, "after change", k)
        body = body_digest(e) if not erased else archive.get(max((k for k in before if k < last), default=0), [None])[-1]
        check(e["digest"] == content(e, e, e["key"], body, replaced), "digest of", name)
        if erased: continue
        said = [(n, c["id"].encode(), c["tool"].encode()) for n, c in enumerate(json.loads(e["body"]).get("toolCalls", []))]
        check(list(map(tuple, rows(CALLS + "ORDER BY ordinal", e["id"]))) == said, "tool calls of", name)
        call = [c["call_id"] for c in rows(CALLS + "AND ordinal = ?", e["call_entry"], e["call_ordinal"])]
        check(owned(s, e["call_entry"]) and (e["call_entry"] is None or call == [json.loads(e["body"])["callID"].encode()]), "call of", name)
    check(s["entries"] == position or s["state"] == 2, "number of entries")
def recordings(s, links, table):  # attachments, or invocations
    columns, query, last = *TABLES[table][1:], 0
    for x in rows(query + " WHERE x.session = ? ORDER BY x.number", s["number"]):
        values = (at(x[c]) if c in ("entry", "call_entry") else x[c] for c in columns.split())
        check(x["digest"] == canonical(f"keepsake.{table}.1", values), table, x["number"])
        check(owned(s, x["call_entry"]) and owned(s, x["hangs"]) and x["owner"] in (None, s["number"]), "links of", table)
        check(last < x["recorded"], "order of recording", table)
        links.append((x["change"], x["operation"], last := x["recorded"], x["digest"], table))
def verify(s):
    archive = {c[0]: tuple(c[1:]) for c in rows(ARCHIVE, s["number"])}
    fork = [s["fork_position"], s["fork_change"], s["fork_head"]] if s["parent"] is not None else []
    heads[s["number"]] = own = [canonical("keepsake.fork.1" if fork else "keepsake.session.1", [s["id"], s["created"]] + fork)]
    entries(s, links := [], archive)
    for table in TABLES: recordings(s, links, table)
    links = sorted(links + [(k, *v, "change") for k, v in archive.items()])
    for *link, digest, _ in links: own.append(sha(b"keepsake.link.1", own[-1], struct.pack(">qqq", *link), digest))
    check([link[0] for link in links] == list(range(1, s["changes"] + 1)) and own[-1] == s["head"], "head")
    found, purged = {}, s["state"] == 2  # the links of each attachment and invocation, by the change that recorded it
    for k, operation, p, _, origin in links:
        if origin in TABLES or origin == "change" and operation not in ENTRYS:
            found.setdefault(p, []).append((k, operation, origin))
    for p, own in found.items():  # its row has the newest, and the first is the one that recorded it
        while purged and own[-1][2] == "change" and (own[-1][1] != ERASE or s["id"] in leaving) and {o for *_, o in own} & set(TABLES):
            own.pop()  # a change that another store made before it deleted the session
        table, older = own[-1][2], {origin for _, _, origin in own[:-1]}
        begun = own[0][:2] == (p, TABLES[table][0]) if table in TABLES else purged
        check(begun and older <= {"change"}, "what change", p, "recorded is gone, or was put back")
if len(sys.argv) != 2: sys.exit(__doc__)
def rows(sql, *values): return db.execute(sql, values)
db = sqlite3.connect((pathlib.Path(sys.argv[1]).resolve() / "store.sqlite").as_uri() + "?mode=ro", uri=True)
db.row_factory, db.text_factory, _ = sqlite3.Row, Text, rows("BEGIN")
sessions = {s["number"]: s for s in rows("SELECT * FROM session WHERE state < 3 ORDER BY id")}  # 3: not yet there
leaving = {r[0] for r in rows("SELECT id FROM hub_session WHERE removed = 1")}  # a sync that deletes these was cut short
for s in sessions.values():
    about = f"session {uuid.UUID(bytes=s['id'])}:"
    try: verify(s) if s["state"] < 2 or any(f["parent"] == s["number"] for f in sessions.values()) else None
    except Exception as error: check(False, type(error).__name__, error)
    print(uuid.UUID(bytes=s["id"]), s["changes"], s["head"].hex())
about = "the store:"
for s in (s for s in sessions.values() if s["parent"] is not None):
    check(heads.get(s["parent"], [])[s["fork_change"]:][:1] == [s["fork_head"]], "fork", uuid.UUID(bytes=s["id"]))
stray = "SELECT 1 FROM entry WHERE id >> 24 NOT IN (SELECT number FROM session) LIMIT 1"
check(not list(rows("PRAGMA foreign_key_check")) + list(rows(stray)), "references to rows that are not there")
sys.exit(2 if faults and print(*faults, sep="\n", file=sys.stderr) is None else 0)
