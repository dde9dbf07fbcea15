import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport

@testable import KeepsakeObjects

/// An object store that the tests use: one that the environment names (`KEEPSAKE_S3`, as `tools/hub-servers` prints it), or
/// one that is started for them and stopped when their process ends. `KEEPSAKE_S3_SERVER` names the only kind to start.
final class S3Server: Sendable {
  /// The server of most tests, or the reason why there is none.
  static let shared: Result<S3Server, Missing> = Result {
    guard let kind = kinds.here.first else {
      throw Missing(reason: "No object store can be started here: \(kinds.obstacles)")
    }
    return try start(kind)
  }.mapError { $0 as? Missing ?? Missing(reason: "\($0)") }

  /// Tells whether the tests of this process have a server.
  static var isHere: Bool { (try? shared.get()) != nil }
  /// The reason why tests are skipped.
  static var reason: String {
    if case .failure(let missing) = shared { missing.reason } else { "it is here" }
  }

  /// The kinds of servers that the tests can use, the one of most tests first, and why they can't use others.
  static let kinds: (here: [String], obstacles: String) = {
    let environment = ProcessInfo.processInfo.environment
    if environment["KEEPSAKE_S3"] != nil, environment["AWS_ENDPOINT_URL"] != nil {
      return ([given], "")
    }
    var (here, obstacles): ([String], String) = ([], "")
    for kind in environment["KEEPSAKE_S3_SERVER"].map({ [$0] }) ?? ["seaweedfs", "radosgw"] {
      do {
        let found = try output("\(tools)/\(kind)", ["is-here"])
        if found.status == 0 { here.append(kind) } else { obstacles += found.text }
      } catch { obstacles += "\(error)" }
    }
    return (here, obstacles)
  }()

  /// The kind of server that the environment names.
  private static let given = "given"
  private static let tools = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../tools/lib/hub-servers").standardized.path
  private static let starting = Locked<[String: Task<S3Server, any Error>]>([:])

  /// Returns the server of a kind, which is started if it does not run yet. That takes long, and holds up no other test.
  static func server(_ kind: String) async throws -> S3Server {
    if kind == kinds.here.first { return try shared.get() }
    let start = starting.withLock { starting in
      if let start = starting[kind] { return start }
      let start = Task {
        try await withCheckedThrowingContinuation { continuation in
          _ = WorkerThread(name: "keepsake.tests") {
            continuation.resume(with: Result { try S3Server.start(kind) })
          }
        }
      }
      starting[kind] = start
      return start
    }
    return try await start.value
  }

  struct Missing: Error { let reason: String }

  /// The environment that leads to the server.
  let environment: [String: String]
  /// The address below which each test has a place of its own.
  let address: String
  /// The end of a pipe: whoever reads the other end stops the server when this process is gone, in whatever way.
  private let life: Pipe?

  private init(_ environment: [String: String], _ address: String, life: Pipe?) {
    self.environment = environment
    self.address = address
    self.life = life
  }

  var settings: ObjectSettings { ObjectSettings(environment: environment) }
  var credentials: ObjectCredentials {
    ObjectCredentials(
      keyID: environment["AWS_ACCESS_KEY_ID"] ?? "",
      secret: environment["AWS_SECRET_ACCESS_KEY"] ?? "")
  }
  /// The port of the server on loopback.
  var port: Int {
    Int(environment["AWS_ENDPOINT_URL"]?.split(separator: ":").last ?? "") ?? 0
  }

  /// The settings that lead to another port, behind which a proxy is.
  func settings(port: Int) -> ObjectSettings {
    var environment = environment
    environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:\(port)"
    return ObjectSettings(environment: environment)
  }

  /// An address of its own for a test.
  func place() -> String { "\(address)/\(UUID().uuidString.lowercased())" }

  func store(_ address: String) throws -> ObjectStore {
    try ObjectStore(ObjectAddress(address), settings)
  }

  private static func start(_ kind: String) throws -> S3Server {
    let environment = ProcessInfo.processInfo.environment
    if kind == given, let address = environment["KEEPSAKE_S3"] {
      return S3Server(environment.filter { $0.key.hasPrefix("AWS_") }, address, life: nil)
    }
    let tool = "\(tools)/\(kind)"
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "s3-\(UUID().uuidString.prefix(8))").path
    let started = try output(tool, ["start", folder])
    guard started.status == 0 else {
      throw Missing(reason: "\(tool) start failed: \(started.text)")
    }
    var settings: [String: String] = [:]
    for line in started.text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { settings[parts[0]] = parts[1] }
    }
    guard let address = settings.removeValue(forKey: "KEEPSAKE_S3") else {
      throw Missing(reason: "\(tool) start printed '\(started.text)'")
    }
    // After the start, so that the server does not hold the other end of the pipe.
    let life = Pipe()
    let guardian = Process()
    guardian.executableURL = URL(filePath: "/bin/sh")
    guardian.arguments = [
      "-c", "trap '' INT TERM; cat >/dev/null; \"$0\" stop \"$1\"", tool, folder,
    ]
    guardian.standardInput = life.fileHandleForReading
    guardian.standardOutput = FileHandle.nullDevice
    guardian.standardError = FileHandle.nullDevice
    try guardian.run()
    return S3Server(settings, address, life: life)
  }

  private static func output(_ tool: String, _ arguments: [String]) throws -> (
    status: Int32, text: String
  ) {
    let output = try ProgramOutput(
      running: tool, arguments, environment: ProcessInfo.processInfo.environment, limit: 1 << 16)
    return (output.exitCode, String(decoding: output.bytes, as: UTF8.self))
  }
}

extension ObjectHub {
  /// Opens or makes the hub of a test.
  static func open(
    _ server: S3Server, at address: String, through settings: ObjectSettings? = nil,
    expecting id: UUID? = nil, peer: HubPeer = HubPeer(), patience: ObjectPatience = .init(),
    freshness: Duration = .seconds(2)
  ) async throws -> ObjectHub {
    try await open(
      at: address, settings ?? server.settings, expecting: id, peer: peer, making: true,
      patience: patience, freshness: freshness)
  }
}
