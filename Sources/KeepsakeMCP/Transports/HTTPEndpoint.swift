import Keepsake
import KeepsakeFiles

/// The endpoint `POST /mcp`: takes a request over HTTP, and gives the answer to it, always as plain JSON.
///
/// There are no sessions and no streams: each request says itself what is needed to answer it. Whoever carries the requests
/// keeps strangers out before their bodies are read, and cancels the task when the client goes away.
package struct HTTPEndpoint: Sendable {
  private let server: MCPServer

  package init(_ server: MCPServer) { self.server = server }

  /// Answers a request.
  package func answer(to call: HTTPCall) async -> HTTPReply {
    guard call.method == "POST" else {
      return HTTPReply(status: 405, fields: [("Allow", "POST")])
    }
    if let refusal = Self.refusal(of: call) { return HTTPReply(status: refusal) }
    let headers = MCPHeaders(call)
    let message: Message
    do throws(ProtocolError) { message = try Message(call.body) } catch {
      return Self.reply(error, id: nil, 400)
    }
    switch message {
    case .answer: return HTTPReply(status: headers.isModern ? 400 : 202)
    case .notification: return HTTPReply(status: 202)
    case .request(let envelope):
      let isModern = headers.isModern || envelope.meta(MetaKey.version) != nil
      return await isModern ? modern(envelope, headers) : legacy(message, headers)
    case .batch:
      guard headers.legacyRevision != nil else {
        let error = ProtocolError(.notARequest, "Messages come one by one, not in an array.")
        return Self.reply(error, id: nil, 400)
      }
      return await legacy(message, headers)
    }
  }

  /// The status with which a request is refused before its body is looked at; nil for none.
  private static func refusal(of call: HTTPCall) -> Int? {
    guard call.body.count <= ClientLimits.body else { return 413 }
    let types = call.values("content-type").map(Self.essence)
    guard types == ["application/json"] else { return 415 }
    let accepted = call.values("accept").flatMap { $0.split(separator: ",") }
    let isAcceptable =
      accepted.isEmpty
      || accepted.contains { item in
        let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        let isNamed = ["application/json", "application/*", "*/*"].contains(parts.first ?? "")
        return isNamed
          && !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
      }
    return isAcceptable ? nil : 406
  }

  private static func essence(_ type: String) -> String { MediaType(type).essence }

  private static func reply(_ error: ProtocolError, id: JSON?, _ status: Int) -> HTTPReply {
    .json(status, Answer.error(error, id: id))
  }
}

// MARK: - The two doors

extension HTTPEndpoint {
  /// A request of the revisions without a handshake: its headers repeat what its body says.
  private func modern(_ envelope: Message.Envelope, _ headers: MCPHeaders) async -> HTTPReply {
    do throws(ProtocolError) {
      guard let version = envelope.meta(MetaKey.version) else { throw ProtocolError.noVersion }
      // What is missing in the body comes first, then what differs, then what is not served.
      guard version.kind == .string, envelope.meta(MetaKey.capabilities)?.kind == .object else {
        _ = try MCPServer.modern(envelope, version)
        throw ProtocolError.noVersion
      }
      try headers.check(against: envelope)
    } catch { return Self.reply(error, id: envelope.id, Self.modernStatus(error.code)) }
    var state = ConnectionState()
    let step = server.step(for: .request(envelope), in: &state)
    guard let answer = await finish(step, isCancellable: true) else {
      return HTTPReply(status: 499)
    }
    let code = Answer.errorCode(of: answer, id: envelope.id)
    return .json(code.map(Self.modernStatus) ?? 200, answer)
  }

  /// A message of the revisions with a handshake, of which HTTP keeps nothing: a header says the revision.
  private func legacy(_ message: Message, _ headers: MCPHeaders) async -> HTTPReply {
    guard let revision = headers.legacyRevision else {
      let wanted = headers.version.value ?? ""
      return Self.reply(
        ProtocolError(
          .badParameters, "Unsupported protocol version",
          data: ["supported": .array(Revision.alternatives(to: wanted).map(JSON.string))]),
        id: nil, 400)
    }
    var state = ConnectionState(handshake: revision)
    let step = server.step(for: message, in: &state)
    // A client of these revisions that goes away has not cancelled anything.
    guard let answer = await finish(step, isCancellable: false) else {
      return HTTPReply(status: 202)
    }
    let id: JSON? = if case .request(let envelope) = message { envelope.id } else { nil }
    let code = Answer.errorCode(of: answer, id: id)
    return .json(code == .notARequest || code == .notJSON ? 400 : 200, answer)
  }

  private static func modernStatus(_ code: ProtocolError.Code) -> Int {
    switch code {
    case .unknownMethod: 404
    case .ownFailure: 500
    default: 400
    }
  }

  /// Runs a step to its answer; nil if it has none.
  private func finish(_ step: Step, isCancellable: Bool) async -> [UInt8]? {
    switch step {
    case .nothing, .cancel: return nil
    case .answer(let bytes): return bytes
    case .call(let call): return await run(call, isCancellable: isCancellable)
    case .batch(let steps):
      var answers: [[UInt8]] = []
      for step in steps {
        if let answer = await finish(step, isCancellable: isCancellable) { answers.append(answer) }
      }
      return answers.isEmpty ? nil : [0x5B] + answers.joined(separator: [0x2C]) + [0x5D]
    }
  }

  private func run(_ call: Call, isCancellable: Bool) async -> [UInt8]? {
    let ticket = Locked<CallQueue.Ticket?>(nil)
    let isCancelled = Locked(false)
    let calls = server.calls
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let given = calls.submit(call) { continuation.resume(returning: $0) }
        ticket.withLock { $0 = given }
        if isCancelled.withLock({ $0 }) { calls.cancel(given) }
      }
    } onCancel: {
      guard isCancellable else { return }
      isCancelled.withLock { $0 = true }
      if let given = ticket.withLock({ $0 }) { calls.cancel(given) }
    }
  }
}

extension Answer {
  /// The code of an error that was written by ``error(_:id:)``; nil for a result.
  static func errorCode(of message: [UInt8], id: JSON?) -> ProtocolError.Code? {
    var head = Array("{\"jsonrpc\":\"2.0\",".utf8)
    if let id { head += Array("\"id\":".utf8) + escapingSeparators(id.bytes) + [0x2C] }
    head += Array("\"error\":{\"code\":".utf8)
    guard message.starts(with: head) else { return nil }
    let digits = message[head.count...].prefix { $0 == 0x2D || (0x30...0x39).contains($0) }
    return Int64(String(decoding: digits, as: UTF8.self)).flatMap(ProtocolError.Code.init)
  }
}
