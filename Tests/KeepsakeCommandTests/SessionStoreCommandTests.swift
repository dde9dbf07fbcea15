import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

/// `keepsake session-store`, as a program that is built with the Claude Agent SDK talks to it.
@Suite("keepsake session-store")
struct SessionStoreCommandTests {
  private static let key = #""key":{"project_key":"p","session_id":"s"}"#

  private static func append(_ number: Int) -> String {
    #"{"id":\#(number),"method":"append",\#(key),"entries":[{"type":"user","uuid":"u-\#(number)","sessionId":"s","message":{"role":"user","content":"Question \#(number)"}}]}"#
      + "\n"
  }

  private static let load = #"{"id":0,"method":"load",\#(key)}"# + "\n"

  @Test func `answers each line with a line, and keeps a session that is found like any other`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path("Agents.keepsake")
    let run = await CommandRun(
      "session-store", "--store", store, input: "\n\(Self.append(1)) \n\(Self.load)7\n")
    #expect(run.code == .done)
    let answers = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
    #expect(answers.map { $0["id"] } == [1, 0, .null])
    #expect(answers[0]["result"]?["added"] == 1)
    #expect(answers[1]["result"]?[0]?["uuid"] == "u-1")
    #expect(answers[2]["error"]?["code"] == "invalid")
    let found = await CommandRun("search", "question", "--store", store)
    #expect(found.output.contains("Question 1"))
  }

  @Test func `takes nothing of a request that is cut off`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("Agents.keepsake")
    let run = await CommandRun(
      "session-store", "--store", store, input: Self.append(1) + Self.append(2).dropLast())
    #expect(run.code == .failed)
    #expect(run.error.contains("in the middle of a request"))
    let loaded = await CommandRun("session-store", "--store", store, input: Self.load)
    #expect(loaded.output.contains("u-1"))
    #expect(!loaded.output.contains("u-2"))
  }

  @Test func `has all that it answered for when it is killed`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("Agents.keepsake")
    var next = 1
    for _ in 0..<5 {
      let process = Process()
      let input = Pipe()
      let output = Pipe()
      process.executableURL = KeepsakeProcess.executable
      process.arguments = ["session-store", "--store", store]
      process.environment = [:]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      for _ in 0..<Int.random(in: 1...8) {
        try input.fileHandleForWriting.write(contentsOf: Data(Self.append(next).utf8))
        var answer = Data()
        while answer.last != UInt8(ascii: "\n") {
          let piece = output.fileHandleForReading.availableData
          try #require(!piece.isEmpty)
          answer += piece
        }
        #expect(String(decoding: answer, as: UTF8.self).contains(#""added":1"#))
        next += 1
      }
      // The process is killed before it answers this request, so its entry may be there or not.
      try input.fileHandleForWriting.write(contentsOf: Data(Self.append(next).utf8))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let loaded = await CommandRun("session-store", "--store", store, input: Self.load)
      let answer = try JSON(validating: String(loaded.output.dropLast()))
      let ids = answer["result"]?.arrayValue?.compactMap { $0["uuid"]?.stringValue } ?? []
      #expect(ids.starts(with: (1..<next).map { "u-\($0)" }))
      #expect(ids.count <= next)
      next = ids.count + 1
    }
    #expect(await CommandRun("verify", store).code == .done)
  }
}
