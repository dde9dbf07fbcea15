import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeMCP

/// A client inside of this process, which hands its messages to a server without any transport.
final class Talker: Sendable {
  /// The two manners of talking.
  enum Era: String, CaseIterable, Sendable {
    case legacy, modern
  }

  let store: TalkStore
  let server: MCPServer
  private let state = Locked(ConnectionState())
  private let access: StoreAccess

  init(
    _ store: TalkStore, allowsWrites: Bool = false, filesFrom: [URL] = [],
    limits: CallQueue.Limits = .init()
  ) throws {
    self.store = store
    let options: Store.Options = allowsWrites ? .init(access: .readWriteExisting) : .readOnly
    let path = store.path
    access = StoreAccess { try await Store(at: URL(filePath: path), options: options) }
    server = MCPServer(
      access,
      options: .init(
        version: "1.2.3", allowsWrites: allowsWrites,
        filesFrom: filesFrom.isEmpty ? nil : try IntakeFolders(filesFrom)),
      limits: limits)
  }

  /// Closes the store, so that the library can open it for writing.
  func close() async { await access.close() }

  /// Sends the bytes of a message, and gives the bytes of the answer.
  func raw(_ bytes: [UInt8]) async -> [UInt8]? {
    let step = state.withLock { server.step(for: bytes, in: &$0) }
    return await Self.answer(to: step, of: server)
  }

  static func answer(to step: Step, of server: MCPServer) async -> [UInt8]? {
    switch step {
    case .nothing, .cancel: return nil
    case .answer(let bytes): return bytes
    case .call(let call):
      return await withCheckedContinuation { done in
        server.calls.submit(call) { done.resume(returning: $0) }
      }
    case .batch(let steps):
      var answers: [[UInt8]] = []
      for step in steps {
        if let answer = await answer(to: step, of: server) { answers.append(answer) }
      }
      return answers.isEmpty ? nil : [0x5B] + answers.joined(separator: [0x2C]) + [0x5D]
    }
  }

  /// Sends a message, and gives the answer, which is checked to be one line of JSON.
  func send(_ text: String) async throws -> JSON? {
    guard let bytes = await raw(Array(text.utf8)) else { return nil }
    #expect(!bytes.contains(0x0A))
    return try JSON(validating: bytes)
  }

  /// Shakes hands in a revision.
  @discardableResult
  func initialize(_ version: String = "2025-11-25", client: String = "tester") async throws
    -> JSON?
  {
    try await send(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","capabilities":{},"clientInfo":{"name":"\#(client)","version":"1"}}}"#
    )
  }

  static let meta =
    #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#

  /// The text of a request, in the manner of an era.
  static func request(
    _ method: String, _ parameters: String = "", id: String = "1", era: Era
  ) -> String {
    let parts = [parameters, era == .modern ? meta : ""].filter { !$0.isEmpty }
    return
      #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(parts.joined(separator: ","))}}"#
  }

  /// Sends a request in the manner of an era; the handshake of the older one was done before.
  func ask(_ method: String, _ parameters: String = "", era: Era) async throws -> JSON {
    let answer = try #require(try await send(Self.request(method, parameters, era: era)))
    #expect(answer["id"] == 1)
    return answer
  }

  /// Calls a tool, and gives its result.
  func call(_ tool: String, _ arguments: JSON = [:], era: Era = .modern) async throws -> JSON {
    let answer = try await ask(
      "tools/call", #""name":"\#(tool)","arguments":\#(arguments.text)"#, era: era)
    return try #require(answer["result"], "\(answer)")
  }

  /// Calls a tool that gives data.
  func data(_ tool: String, _ arguments: JSON = [:]) async throws -> JSON {
    let result = try await call(tool, arguments)
    #expect(result["isError"] == nil, "\(result)")
    let data = try #require(result["structuredContent"])
    #expect(result["content"]?[0]?["text"]?.stringValue == data.text)
    return data
  }

  /// Calls a tool that gives text, and gives the text of its first block.
  func text(_ tool: String, _ arguments: JSON = [:]) async throws -> String {
    let result = try await call(tool, arguments)
    #expect(result["isError"] == nil, "\(result)")
    #expect(result["structuredContent"] == nil)
    return try #require(result["content"]?[0]?["text"]?.stringValue)
  }

  /// Calls a tool that refuses, and gives the sentence.
  func refusal(_ tool: String, _ arguments: JSON = [:]) async throws -> String {
    let result = try await call(tool, arguments)
    #expect(result["isError"] == true, "\(result)")
    return try #require(result["content"]?[0]?["text"]?.stringValue)
  }
}

extension JSON {
  /// The names of an object's members.
  var names: [String] { members?.map(\.key) ?? [] }
  /// The code of an error.
  var errorCode: Int64? { self["error"]?["code"]?.intValue }
}
