import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

/// A server of PostgreSQL that tests have to themselves, which tools/hub-servers starts. It ends with the process, however
/// that ends.
final class PostgresServer: Sendable {
  /// The server that most tests share.
  static let shared = try? PostgresServer()
  /// Why no server can be started here; nil where one can.
  static let obstacle = obstacle(to: "postgres")
  static var isHere: Bool { obstacle == nil }

  /// The kind of server that is reached through a pooler.
  static let pooled = "postgres-pooled"
  /// Why no server with a pooler can be started here; nil where one can.
  static let poolerObstacle = obstacle(to: pooled)
  static var hasPooler: Bool { poolerObstacle == nil }

  private static func obstacle(to kind: String) -> Comment? {
    do {
      let here = try run(kind, ["is-here"])
      return here.code == 0 ? nil : Comment(rawValue: here.output)
    } catch { return Comment(rawValue: "\(error)") }
  }

  private static let number = Locked(0)
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let folder: String
  /// The kind of server, as tools/hub-servers calls it.
  private let kind: String
  /// The hosts and ports as an address has them.
  private let hosts: String
  /// The port of the first one.
  let port: Int
  /// The end of a pipe on whose other end a shell waits, which stops the server when this process is gone.
  private let line: Pipe

  init(_ kind: String = "postgres") throws {
    self.kind = kind
    folder = "/tmp/keepsake-postgres-\(UUID().uuidString.prefix(8))"
    line = Pipe()
    // A server that inherited this end would hold it open for ever.
    _ = fcntl(line.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let watcher = Process()
    watcher.executableURL = URL(filePath: "/bin/sh")
    watcher.arguments = [
      "-c", "trap '' INT TERM HUP; read -r _; exec \"$0\" stop \"$2\" \"$1\"",
      Self.root.appending(path: "tools/hub-servers").path, folder, kind,
    ]
    watcher.standardInput = line.fileHandleForReading
    watcher.standardOutput = FileHandle.nullDevice
    watcher.standardError = FileHandle.nullDevice
    try watcher.run()
    var started = try Self.run(kind, ["start", folder])
    // Another program may take the free port that was found before the server does.
    for _ in 0..<3 where started.code != 0 {
      _ = try Self.run(kind, ["stop", folder])
      started = try Self.run(kind, ["start", folder])
    }
    let text = started.output.split(separator: "@").last?.split(separator: "/").first ?? ""
    hosts = String(text)
    port = try #require(
      Int(text.split(separator: ":").dropFirst().first?.prefix { $0.isNumber } ?? ""),
      "\(started.output)")
  }

  deinit { try? line.fileHandleForWriting.close() }

  /// Kills the server, as the loss of power does.
  func crash() throws { try require(["crash", folder]) }

  /// Starts the server again.
  func start() throws { try require(["start", folder]) }

  /// Kills the server of a pair that writes, and has the standby take over.
  func promote() throws { try require(["promote", folder]) }

  /// Makes the server of a pair that was killed a standby of the other one.
  func rejoin() throws { try require(["rejoin", folder]) }

  private func require(_ words: [String]) throws {
    let run = try Self.run(kind, words)
    try #require(run.code == 0, "\(words[0]): \(run.output)")
  }

  private static func run(_ kind: String, _ words: [String]) throws -> (code: Int32, output: String)
  {
    let output = try ProgramOutput(
      running: root.appending(path: "tools/lib/hub-servers/\(kind)").path, words,
      environment: ProcessInfo.processInfo.environment, limit: 10_000)
    return (output.exitCode, String(decoding: output.bytes, as: UTF8.self))
  }

  /// The address of a database.
  func address(
    _ database: String, user: String = "keepsake", space: String? = nil, port: Int? = nil
  ) -> String {
    "postgresql://\(user)@\(port.map { "127.0.0.1:\($0)" } ?? hosts)/\(database)"
      + (space.map { "?keepsake_space=\($0)" } ?? "")
  }

  /// Makes a database.
  func database(_ settings: String = "") async throws -> String {
    let name = "test\(Self.number.withLock { $0 += 1; return $0 })"
    try await sql("postgres", ["CREATE DATABASE \(name) \(settings)"])
    return name
  }

  /// Runs statements, each by itself, and returns the rows of the last one.
  @discardableResult
  func sql(
    _ database: String, user: String = "keepsake", _ statements: [String]
  ) async throws -> [PostgresRow] {
    let options = try PostgresAddress(address(database, user: user)).options
    return try await onOwnThread {
      let connection = try PostgresConnection(options)
      var rows: [PostgresRow] = []
      for statement in statements {
        rows = try connection.run(
          PostgresStatement(statement), [], isNamed: false,
          until: .now.advanced(by: .seconds(60)))
      }
      return rows
    }
  }

  /// Returns the number of connections to a database that wait for a lock.
  func waiting(_ database: String) async throws -> Int {
    let waiting = """
      SELECT pid FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event_type = 'Lock'
      """
    return try await sql(database, [waiting]).count
  }
}

/// Runs what blocks on a thread of its own.
func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    _ = WorkerThread(name: "keepsake.tests") { continuation.resume(with: Result { try body() }) }
  }
}
