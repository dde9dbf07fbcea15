package import Keepsake

/// A server of the Model Context Protocol that answers from a store, whatever carries its messages.
///
/// It serves the revisions with a handshake and the one without; each message is routed by itself, so that a client may mix
/// both. ``step(for:in:)`` never waits: what has to read the store is given back as a ``Call``.
package final class MCPServer: Sendable {
  /// The rights of a server.
  package struct Options: Sendable {
    /// The version of the program, which clients show.
    package var version: String
    /// Whether the tools that write are offered.
    package var allowsWrites: Bool
    /// The folders from which files may be attached; nil for none.
    package var filesFrom: IntakeFolders?

    package init(
      version: String = Store.libraryVersion, allowsWrites: Bool = false,
      filesFrom: IntakeFolders? = nil
    ) {
      self.version = version
      self.allowsWrites = allowsWrites
      self.filesFrom = filesFrom
    }
  }

  let options: Options
  let store: StoreAccess
  let tools: [any Tool]
  let info: ServerInfo
  /// The calls that run, of all transports together.
  package let calls: CallQueue

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - store: The store, which may be missing or damaged: then each call says so.
  ///   - options: What the server may do.
  ///   - limits: How many calls run and wait at a time, and for how long.
  package init(_ store: StoreAccess, options: Options, limits: CallQueue.Limits = .init()) {
    self.store = store
    self.options = options
    tools = Tools.offered(with: options)
    info = ServerInfo(version: options.version)
    calls = CallQueue(limits)
  }

  /// Takes the bytes of one message, and says what to do about it.
  ///
  /// - Parameters:
  ///   - bytes: The message, without the line end that may follow it.
  ///   - state: The state of the connection, which a handshake changes.
  /// - Returns: The step for the transport.
  package func step(for bytes: [UInt8], in state: inout ConnectionState) -> Step {
    do throws(ProtocolError) { return step(for: try Message(bytes), in: &state) } catch {
      return .answer(Answer.error(error, id: nil))
    }
  }

  func step(for message: Message, in state: inout ConnectionState) -> Step {
    switch message {
    case .request(let envelope): return step(for: envelope, in: &state)
    case .answer: return .nothing
    case .notification(let method, let parameters):
      guard method == "notifications/cancelled", let id = parameters["requestId"], id.isRequestID
      else { return .nothing }
      return .cancel(id)
    case .batch(let messages): return batch(messages, in: &state)
    }
  }

  private func step(for envelope: Message.Envelope, in state: inout ConnectionState) -> Step {
    do throws(ProtocolError) {
      if let version = envelope.meta(MetaKey.version) {
        return try modernStep(for: try Self.modern(envelope, version))
      }
      if envelope.method == "initialize" {
        return .answer(initialize(envelope, in: &state))
      }
      if envelope.method == "ping" {
        let request = Request(
          envelope, revision: state.handshake ?? .newestLegacy, client: state.client)
        return .answer(Answer.result(to: request, from: info) { _ in })
      }
      guard let revision = state.handshake else { throw ProtocolError.noVersion }
      return try commonStep(
        for: Request(envelope, revision: revision, client: state.client))
    } catch {
      return .answer(Answer.error(error, id: envelope.id))
    }
  }

  private func batch(_ messages: [JSON], in state: inout ConnectionState) -> Step {
    guard let revision = state.handshake, revision.has(.batches), !messages.isEmpty else {
      let error = ProtocolError(
        .notARequest,
        messages.isEmpty && state.handshake?.has(.batches) == true
          ? "The array of messages is empty." : "Messages come one by one, not in an array.")
      return .answer(Answer.error(error, id: nil))
    }
    return .batch(
      messages.map { json in
        do throws(ProtocolError) {
          let message = try Message(json)
          if case .batch = message {
            throw ProtocolError(.notARequest, "An array of messages holds no arrays.")
          }
          if case .request(let envelope) = message, envelope.method == "initialize" {
            return .answer(
              Answer.error(
                ProtocolError(.notARequest, "'initialize' comes alone."), id: envelope.id))
          }
          return step(for: message, in: &state)
        } catch { return .answer(Answer.error(error, id: nil)) }
      })
  }
}

// MARK: - The two doors

extension MCPServer {
  /// The door without a handshake: reads the version and the capabilities of a request.
  static func modern(
    _ envelope: Message.Envelope, _ version: JSON
  ) throws(ProtocolError) -> Request {
    guard let wanted = version.stringValue else {
      throw ProtocolError(.badParameters, "'\(MetaKey.version)' is not a string.")
    }
    guard envelope.meta(MetaKey.capabilities)?.kind == .object else {
      throw ProtocolError(
        .badParameters, "The '_meta' member '\(MetaKey.capabilities)' is missing or no object.")
    }
    guard let revision = Revision(rawValue: wanted), revision.isModern else {
      throw ProtocolError.unknownVersion(wanted)
    }
    let client = envelope.meta(MetaKey.clientInfo)?["name"]?.stringValue
    return Request(envelope, revision: revision, client: client)
  }

  func modernStep(for request: Request) throws(ProtocolError) -> Step {
    guard request.method == "server/discover" else { return try commonStep(for: request) }
    return .answer(
      Answer.result(to: request, from: info, lifetime: .long) { writer in
        writer.strings("supportedVersions", Revision.offered)
        capabilities(to: &writer)
        writer.member("instructions", Instructions.text(allowsWrites: options.allowsWrites))
      })
  }

  /// The door with a handshake, which is open at any time, and more than once.
  private func initialize(
    _ envelope: Message.Envelope, in state: inout ConnectionState
  ) -> [UInt8] {
    let revision = Revision.negotiated(envelope.parameters["protocolVersion"]?.stringValue)
    state.handshake = revision
    state.client = envelope.parameters["clientInfo"]?["name"]?.stringValue
    let request = Request(envelope, revision: revision, client: state.client)
    return Answer.result(to: request, from: info) { writer in
      writer.member("protocolVersion", revision.rawValue)
      capabilities(to: &writer)
      writer.key("serverInfo")
      info.write(to: &writer)
      writer.member("instructions", Instructions.text(allowsWrites: options.allowsWrites))
    }
  }

  private func capabilities(to writer: inout JSONWriter) {
    writer.member("capabilities", ["tools": [:], "resources": [:]] as JSON)
  }

  /// The methods that both doors lead to.
  private func commonStep(for request: Request) throws(ProtocolError) -> Step {
    switch request.method {
    case "tools/list": return .answer(toolList(for: request))
    case "tools/call": return .call(try toolCall(for: request))
    case "resources/list": return .call(try resourceList(for: request))
    case "resources/templates/list": return .answer(templateList(for: request))
    case "resources/read": return .call(try resourceRead(for: request))
    default: throw ProtocolError.unknownMethod(request.method)
    }
  }
}
