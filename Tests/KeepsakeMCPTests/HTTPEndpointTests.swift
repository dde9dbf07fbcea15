import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// The endpoint of HTTP, as a function of a request.
@Suite struct HTTPEndpointTests {
  private let store: TalkStore
  private let endpoint: HTTPEndpoint

  init() async throws {
    store = try await TalkStore()
    endpoint = HTTPEndpoint(try Talker(store).server)
  }

  private static let plain = [
    ("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"),
  ]

  private func post(
    _ body: String, _ fields: [(String, String)] = [], plain: [(String, String)] = Self.plain
  ) async -> (status: Int, json: JSON?) {
    let reply = await endpoint.answer(
      to: HTTPCall(
        method: "POST", fields: (plain + fields).map { (name: $0.0, value: $0.1) },
        body: Array(body.utf8)))
    if !reply.body.isEmpty {
      #expect(reply.fields.contains { $0.name == "Content-Type" && $0.value == "application/json" })
    }
    return (reply.status, reply.body.isEmpty ? nil : try? JSON(validating: reply.body))
  }

  private func modern(
    _ method: String, _ parameters: String = "", name: String? = nil
  ) async -> (status: Int, json: JSON?) {
    await post(
      Talker.request(method, parameters, era: .modern),
      [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]
        + (name.map { [("Mcp-Name", $0)] } ?? []))
  }

  @Test func `a request of the newest revision is answered with plain JSON`() async throws {
    let discovered = await modern("server/discover")
    #expect(discovered.status == 200)
    #expect(discovered.json?["result"]?["resultType"] == "complete")
    let found = await modern(
      "tools/call", #""name":"search","arguments":{"query":"banana"}"#, name: "search")
    #expect(found.status == 200)
    #expect(found.json?["result"]?["structuredContent"]?["hits"]?.arrayValue?.count == 5)
    let uri = "keepsake://artifact/\(store.image)"
    let read = await modern("resources/read", #""uri":"\#(uri)""#, name: uri)
    #expect(read.status == 200)
  }

  @Test func `older revisions are told by a header, and 2025-03-26 by none`() async throws {
    let begun = await post(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#
    )
    #expect(begun.status == 200)
    #expect(begun.json?["result"]?["protocolVersion"] == "2025-06-18")
    let list = Talker.request("tools/list", era: .legacy)
    for (version, hasTitle) in [("2025-06-18", true), ("2025-11-25", true), ("2025-03-26", false)] {
      let answer = await post(
        list, [("mcp-protocol-version", version), ("Mcp-Session-Id", "abc")])
      #expect(answer.status == 200)
      #expect((answer.json?["result"]?["tools"]?[0]?["title"] != nil) == hasTitle, "\(version)")
    }
    let unnamed = await post(list)
    #expect(unnamed.status == 200)
    #expect(unnamed.json?["result"]?["tools"]?[0]?["title"] == nil)
    #expect(unnamed.json?["result"]?["tools"]?[0]?["annotations"] != nil)
    #expect(await post(list, [("MCP-Protocol-Version", "1999-01-01")]).status == 400)
    #expect(await post(Talker.request("ping", era: .legacy)).json?["result"] == [:])
    let batch = await post("[\(list),\(list)]")
    #expect(batch.status == 200 && batch.json?.arrayValue?.count == 2)
    #expect(await post("[\(list)]", [("MCP-Protocol-Version", "2025-06-18")]).status == 400)
  }

  @Test func `errors have the status of their revision`() async throws {
    #expect(await modern("x/y").status == 404)
    #expect(await modern("ping").status == 404)
    #expect(await modern("initialize").status == 404)
    let unknown = await modern("tools/call", #""name":"serch""#, name: "serch")
    #expect(unknown.status == 400 && unknown.json?.errorCode == -32602)
    let none = await modern(
      "resources/read", #""uri":"keepsake://session/x""#, name: "keepsake://session/x")
    #expect(none.status == 400 && none.json?.errorCode == -32602)
    let version = [("MCP-Protocol-Version", "2025-11-25")]
    let old = await post(Talker.request("x/y", era: .legacy), version)
    #expect(old.status == 200 && old.json?.errorCode == -32601)
    let gone = await post(
      Talker.request("resources/read", #""uri":"keepsake://session/x""#, era: .legacy), version)
    #expect(gone.status == 200 && gone.json?.errorCode == -32002)
    for body in ["", "{", "7", "[]", #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#] {
      let answer = await post(body, version)
      #expect(answer.status == 400 && answer.json?["id"] == nil, "\(body)")
    }
  }

  @Test(
    arguments: [
      ([], -32020), ([("Mcp-Method", "tools/call")], -32020),
      (
        [
          ("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "search"),
        ], -32020
      ),
      ([("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Name", "search")], -32020),
      ([("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call")], -32020),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "Tools/Call"),
          ("Mcp-Name", "search"),
        ], -32020
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "SEARCH"),
        ], -32020
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("MCP-Protocol-Version", "2026-07-28"),
          ("Mcp-Method", "tools/call"), ("Mcp-Name", "search"),
        ], -32020
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "search"),
          ("mcp-name", "search"),
        ], -32020
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "=?base64?%%?="),
        ],
        -32020
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "=?base64?/w==?="),
        ],
        -32020
      ),
      (
        [
          ("mcp-protocol-version", " 2026-07-28 "), ("MCP-METHOD", "tools/call"),
          ("Mcp-Name", "=?base64?c2VhcmNo?="),
        ], nil
      ),
      (
        [
          ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"),
          ("Mcp-Name", "search"),
        ], nil
      ),
    ] as [([(String, String)], Int64?)])
  func `headers say what the body says, each of them once`(
    fields: [(String, String)], code: Int64?
  ) async throws {
    let answer = await post(
      Talker.request(
        "tools/call", #""name":"search","arguments":{"query":"banana"}"#, era: .modern), fields)
    #expect(answer.json?.errorCode == code)
    #expect(answer.status == (code == nil ? 200 : 400))
    #expect(answer.json?["id"] == 1)
  }

  @Test func `a header of the newest revision over a bare body is a missing parameter`()
    async throws
  {
    let answer = await post(
      Talker.request("tools/list", era: .legacy), [("MCP-Protocol-Version", "2026-07-28")])
    #expect(answer.status == 400 && answer.json?.errorCode == -32602)
    let future = await post(
      Talker.request("tools/list", era: .modern).replacing("2026-07-28", with: "2027-01-01"),
      [("MCP-Protocol-Version", "2027-01-01"), ("Mcp-Method", "tools/list")])
    #expect(future.status == 400 && future.json?.errorCode == -32022)
    let bare = await post(
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
    )
    #expect(bare.status == 400 && bare.json?.errorCode == -32602)
  }

  @Test func `notices are taken, and answers only of clients that may send some`() async throws {
    let notice = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    #expect(await post(notice).status == 202)
    #expect(await post(notice, [("MCP-Protocol-Version", "2026-07-28")]).status == 202)
    let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
    #expect(await post(answer).status == 202)
    #expect(await post(answer, [("MCP-Protocol-Version", "2026-07-28")]).status == 400)
  }

  @Test func `other methods, types and sizes are refused by their status`() async throws {
    for method in ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"] {
      let reply = await endpoint.answer(to: HTTPCall(method: method, fields: [], body: []))
      #expect(reply.status == 405)
      #expect(reply.fields.contains { $0.name == "Allow" && $0.value == "POST" })
      #expect(!reply.fields.contains { $0.name.hasPrefix("Access-Control") })
    }
    let ping = Talker.request("ping", era: .legacy)
    #expect(await post(ping, plain: [("Content-Type", "text/plain")]).status == 415)
    #expect(await post(ping, plain: []).status == 415)
    #expect(
      await post(ping, plain: [("content-type", "Application/JSON; charset=utf-8")]).status == 200)
    for (accept, status) in [
      ("text/html", 406), ("*/*", 200), ("application/*;q=0.1", 200), ("application/json;q=0", 406),
      ("text/event-stream", 406), ("text/html, application/json ; q=0.5", 200),
    ] {
      let plain = [("Content-Type", "application/json"), ("Accept", accept)]
      #expect(await post(ping, plain: plain).status == status, "\(accept)")
    }
    let large = ping + String(repeating: " ", count: (1 << 20) - ping.utf8.count)
    #expect(await post(large).status == 200)
    #expect(await post(large + " ").status == 413)
  }
}
