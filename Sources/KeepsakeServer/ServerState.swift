#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeMCP

/// What the routes of a server share: the store, who may ask, and who listens.
final class ServerState: Sendable {
  let store: Store
  let options: StoreServer.Options
  let live: LiveStreams
  let uploads: Uploads
  /// Answers models; nil where the server does not.
  let models: HTTPEndpoint?
  private let router = Router(Routes.all)
  private let kept: AccessToken?
  private let opened: Locked<Gate>

  init(store: Store, options: StoreServer.Options, kept: AccessToken?) {
    self.store = store
    self.options = options
    self.kept = kept
    live = LiveStreams(store)
    uploads = Uploads(store)
    models = options.models.map { models in
      HTTPEndpoint(
        MCPServer(
          StoreAccess { store },
          options: .init(allowsWrites: models == .mayWrite && !options.isReadOnly)))
    }
    opened = Locked(Self.gate(options, port: nil, kept: kept))
  }

  var gate: Gate { opened.withLock { $0 } }
  var isReadOnly: Bool { options.isReadOnly }
  var now: Date { options.now() }

  /// Learns the port, which is known once the listener is open.
  func open(at port: Int?) {
    opened.withLock { $0 = Self.gate(options, port: port, kept: kept) }
  }

  private static func gate(_ options: StoreServer.Options, port: Int?, kept: AccessToken?) -> Gate {
    var authorities: Set<HTTPAuthority> = []
    var trustsConnections = false
    switch options.listener {
    case .loopback:
      for host in ["127.0.0.1", "localhost", "[::1]"] {
        authorities.insert(HTTPAuthority(host: host, port: port))
      }
    case .address(let address, _):
      let host = address.contains(":") ? "[\(address)]" : address
      authorities.insert(HTTPAuthority(host: host.lowercased(), port: port))
    case .unix: trustsConnections = true
    }
    for host in options.hosts { if let given = HTTPAuthority(host) { authorities.insert(given) } }
    return Gate(
      authorities: authorities, trustsConnections: trustsConnections, kept: kept, invitation: nil)
  }
}

// MARK: - Answering

extension ServerState: HTTPHandler {
  /// The most bytes of a body of JSON.
  private static let jsonLimit = 1 << 20

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    do {
      _ = try gate.check(head, usesInvitation: false)
      let (route, _) = try router.route(head.method, head.path)
      if route.endpoint.isWriting, isReadOnly, !route.endpoint.isQuestion { throw Problem.readOnly }
      switch route.endpoint.body {
      case .none: return .accept(bodyLimit: 0)
      case .bytes: return .stream(bodyLimit: .max)
      case .json, .message:
        let type = head.fields["Content-Type"] ?? ""
        guard HTTPFields.isSame(type.prefix { $0 != ";" && $0 != " " }, "application/json"),
          head.fields["Content-Encoding"] == nil
        else {
          throw Problem(
            status: 415, code: "type",
            detail: "Send a body of the type application/json, not compressed.")
        }
        return .accept(bodyLimit: Self.jsonLimit)
      }
    } catch {
      return .refuse(refusal(Problem(error), head))
    }
  }

  func respond(to http: HTTPRequest) async -> HTTPResponse {
    let head = http.head
    do {
      let proof = try gate.check(head, usesInvitation: true)
      let (route, names) = try router.route(head.method, head.path)
      let request = try Request(http, route.endpoint, names: names)
      var answer = try await route.answer(request, in: self)
      if proof == .invitation || head.path.isEmpty && head.query("t") != nil {
        answer = Welcome.answer(gate)
      }
      answer.fields.fill(from: SecurityFields.common)
      if answer.fields["Content-Security-Policy"] == nil {
        answer.fields["Content-Security-Policy"] = SecurityFields.dataPolicy
      }
      return answer
    } catch {
      return refusal(Problem(error), head)
    }
  }

  private func refusal(_ problem: Problem, _ head: HTTPRequestHead) -> HTTPResponse {
    let wantsPage = head.fields["Accept"]?.contains("text/html") ?? false
    let isForPrograms = head.path.first.map { ["api", "mcp", ".well-known"].contains($0) } ?? false
    var answer = wantsPage && !isForPrograms ? ProblemPage.answer(problem, in: self) : problem.json
    answer.fields.fill(from: SecurityFields.common)
    if answer.fields["Content-Security-Policy"] == nil {
      answer.fields["Content-Security-Policy"] = SecurityFields.dataPolicy
    }
    return answer
  }
}
