#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// Answers the requests that the Claude Agent SDK makes of a session store, one after another.
///
/// Each request and each answer is a line of JSON. Documentation/SessionStore.md describes the requests.
package struct SessionStoreService {
  private var streams: AgentStreams
  private let erases: Bool

  /// - Parameters:
  ///   - store: The store that keeps the transcripts.
  ///   - erases: Whether a conversation is deleted from the store when the SDK deletes it.
  package init(_ store: Store, erases: Bool) {
    streams = AgentStreams(store)
    self.erases = erases
  }

  /// Answers a request.
  /// - Parameter line: The request, as a line of JSON.
  /// - Returns: The answer, without a line break. A failure is an answer as well.
  /// - Throws: `CancellationError`, when the task is cancelled.
  package mutating func answer(to line: [UInt8]) async throws -> [UInt8] {
    var id: JSON?
    do {
      guard HeldLines.isJSON(line), let request = JSONObject(0..<line.count, in: line) else {
        throw RequestError("The request is no JSON object.")
      }
      id = request.json("id")
      return Self.answer(id, "result", try await result(of: request))
    } catch let error as RequestError {
      return Self.fault(id, "invalid", error.message)
    } catch StreamError.grown {
      return Self.fault(
        id, "conflict",
        "Somebody else added to the transcript, so that the summary is of less than there is. Ask for the summary again."
      )
    } catch let error as KeepsakeError {
      return Self.fault(id, error.code.description, error.message)
    } catch let error as FormatError {
      return Self.fault(id, "invalid", error.message)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Self.fault(id, "failed", "\(error)")
    }
  }

  private struct RequestError: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  private mutating func result(of request: JSONObject) async throws -> [UInt8] {
    switch request.string("method") {
    case "append": return try await append(request)
    case "load": return try await load(Self.key(request))
    case "summary": return try await summary(Self.key(request))
    case "list_sessions":
      return try await sessions(request) { stream, writer in
        writer.member("session_id", stream.key.session)
        writer.member("mtime", stream.updated.milliseconds)
      }
    case "list_session_summaries":
      return try await sessions(request, where: { $0.summary != nil }) { stream, writer in
        writer.member("session_id", stream.key.session)
        writer.member("mtime", stream.updated.milliseconds)
        writer.member("data", stream.summary.flatMap { try? JSON(validating: $0) })
      }
    case "list_subkeys":
      let key = try Self.key(request)
      let parts = try await streams.parts(ofSession: key.session, inProject: key.project)
      return Self.array(parts) { part, writer in writer.string(part) }
    case "delete":
      try await streams.delete(Self.key(request), erasing: erases)
      return Array("null".utf8)
    case let method?:
      throw RequestError(
        "There is no method '\(method)'. The methods are: append, load, summary, list_sessions, list_session_summaries, list_subkeys, delete."
      )
    case nil: throw RequestError("The request names no 'method'.")
    }
  }

  private mutating func append(_ request: JSONObject) async throws -> [UInt8] {
    guard let entries = request.elements("entries") else {
      throw RequestError("The request has no array 'entries'.")
    }
    let records = entries.map { JSON.onOneLine(Array(request.bytes[$0])) }
    let appended = try await streams.append(
      records, to: Self.key(request), seen: request.json("seen")?.intValue.map(Int.init),
      summary: request.json("summary")?.text)
    return Self.object { writer in
      writer.member("added", appended.added)
      writer.member("appends", appended.appends)
      writer.member("mtime", appended.updated?.milliseconds)
      writer.member("missing", appended.missing)
    }
  }

  private func load(_ key: StreamKey) async throws -> [UInt8] {
    guard let records = try await streams.records(of: key) else { return Array("null".utf8) }
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    bytes.reserveCapacity(records.reduce(2) { $0 + $1.count + 1 })
    for (index, record) in records.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += record
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  private func summary(_ key: StreamKey) async throws -> [UInt8] {
    let stream = try await streams.stored(key)
    return Self.object { writer in
      writer.member("appends", stream?.appends ?? 0)
      writer.member("mtime", stream?.updated.milliseconds)
      writer.member("data", stream?.summary.flatMap { try? JSON(validating: $0) })
    }
  }

  private func sessions(
    _ request: JSONObject, where counts: (StoredStream) -> Bool = { _ in true },
    _ write: (StoredStream, inout JSONWriter) -> Void
  ) async throws -> [UInt8] {
    guard let project = request.string("project_key") else {
      throw RequestError("The request names no 'project_key'.")
    }
    let streams = try await streams.sessions(ofProject: project).filter(counts)
    return Self.array(streams) { stream, writer in
      writer.beginObject()
      write(stream, &writer)
      writer.endObject()
    }
  }

  private static func key(_ request: JSONObject) throws -> StreamKey {
    guard let key = request.object("key"), let project = key.string("project_key"),
      let session = key.name("session_id")
    else { throw RequestError("The request has no 'key' with 'project_key' and 'session_id'.") }
    let part = key.string("subpath")
    guard part != "" else {
      throw RequestError("'subpath' is empty. Leave it out for the main transcript.")
    }
    return StreamKey(project: project, session: session, part: part ?? "")
  }
}

// MARK: - Answers

extension SessionStoreService {
  private static func answer(_ id: JSON?, _ name: String, _ value: [UInt8]) -> [UInt8] {
    var bytes = Array("{\"id\":\(id?.text ?? "null"),\"\(name)\":".utf8)
    bytes += value
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static func fault(_ id: JSON?, _ code: String, _ message: String) -> [UInt8] {
    answer(
      id, "error",
      object { writer in
        writer.member("code", code)
        writer.member("message", message)
      })
  }

  private static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    write(&writer)
    writer.endObject()
    return writer.bytes
  }

  private static func array<Element>(
    _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for element in elements { write(element, &writer) }
    writer.endArray()
    return writer.bytes
  }
}

extension Date {
  fileprivate var milliseconds: Int64 { microseconds / 1000 }
}
