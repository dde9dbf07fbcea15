import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres

  /// The speed of commits against a plain loop over libpq that sends the same statement, named, with values of the same size.
  ///
  /// Figures need a quiet machine, so that they are taken only where `KEEPSAKE_MEASURE` is set.
  @Suite(
    .serialized,
    .enabled(if: PostgresServer.isHere, PostgresServer.obstacle),
    .enabled(if: ProcessInfo.processInfo.environment["KEEPSAKE_MEASURE"] != nil))
  struct `The speed of a hub in PostgreSQL` {
    private static let rounds = 7

    @Test(arguments: [1, 8]) func `is near that of plain libpq`(_ tasks: Int) async throws {
      let server = try #require(PostgresServer.shared)
      let address = server.address(try await server.database())
      let hub = try await PostgresHub.open(at: address, making: true)
      let count = tasks == 1 ? 1000 : 400
      var ratios: [Double] = []
      for round in 0...Self.rounds {
        let ours = try await commits(hub, tasks, count)
        let plain = try await plain(hub, address, tasks, count)
        // The first round warms up.
        if round > 0 { ratios.append(ours / plain) }
        print(
          "\(tasks) tasks: \(Int(Double(tasks * count) / ours)) commits/s, plain libpq \(Int(Double(tasks * count) / plain)) commits/s, \(ours / plain)"
        )
      }
      let median = ratios.sorted()[Self.rounds / 2]
      print("\(tasks) tasks: the median of \(Self.rounds) ratios of time is \(median) of commits/s")
      #expect(median < 2.5)
      await hub.close()
    }

    @Test(arguments: [1, 8]) func `of appends that are shared is near it, too`(_ tasks: Int)
      async throws
    {
      let server = try #require(PostgresServer.shared)
      let address = server.address(try await server.database())
      let hub = try await PostgresHub.open(at: address, making: true)
      let cache = FileManager.default.temporaryDirectory
        .appending(path: "\(UUID().uuidString.lowercased()).keepsake")
      let store = try await Store(at: cache, joining: .postgres(address), as: .shared)
      let count = tasks == 1 ? 300 : 100
      var ratios: [Double] = []
      for round in 0...Self.rounds {
        let ours = try await appends(store, tasks, count)
        let plain = try await plain(hub, address, tasks, count)
        // The first round warms up.
        if round > 0 { ratios.append(ours / plain) }
        print(
          "\(tasks) tasks: \(Int(Double(tasks * count) / ours)) appends/s, plain libpq \(Int(Double(tasks * count) / plain)) commits/s, \(ours / plain)"
        )
      }
      let median = ratios.sorted()[Self.rounds / 2]
      print("\(tasks) tasks: the median of \(Self.rounds) ratios of time is \(median) of commits/s")
      try await store.removeTemporary()
      await hub.close()
    }

    /// The seconds that tasks take to append to a session each.
    private func appends(_ store: Store, _ tasks: Int, _ count: Int) async throws -> Double {
      let text = String(repeating: "a banana ", count: 60)
      var sessions: [Session] = []
      for _ in 0..<tasks { sessions.append(try await store.createSession()) }
      let start = Instant.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for session in sessions {
          group.addTask { for _ in 0..<count { try await session.append(.prompt(text)) } }
        }
        try await group.waitForAll()
      }
      return (Instant.now - start) / .seconds(1)
    }

    @Test func `does not fall with the number of sessions`() async throws {
      let server = try #require(PostgresServer.shared)
      let database = try await server.database()
      let hub = try await PostgresHub.open(at: server.address(database), making: true)
      let before = try await median { try await commits(hub, 1, 300) }
      try await server.sql(
        database,
        [
          """
          INSERT INTO keepsake.head (space, session, version, stamp, seal)
          SELECT 1, gen_random_uuid(), 1, gen_random_uuid(), '\\x00' FROM generate_series(1, 50000)
          """,
          """
          INSERT INTO keepsake.log (space, session, version, stamp, at, digest, seal, bytes)
          SELECT space, session, 1, stamp, 1, '\\x00', '\\x00', decode(repeat('61', 300), 'hex') FROM keepsake.head WHERE seal = '\\x00'
          """,
        ])
      let unknown = try await median { try await commits(hub, 1, 300) }
      try await server.sql(database, ["VACUUM ANALYZE"])
      let after = try await median { try await commits(hub, 1, 300) }
      print(
        "50,000 sessions: \(unknown / before) times as long as with none, \(after / before) after ANALYZE, of commits/s"
      )
      #expect(after / before < 2)
      await hub.close()
    }

    @Test func `has room for the largest commit`() async throws {
      let server = try #require(PostgresServer.shared)
      let hub = try await PostgresHub.open(
        at: server.address(try await server.database()), making: true)
      let bytes = [UInt8](repeating: 1, count: PostgresHub.largestCommit)
      let offer = HubOffer(session: UUID(), base: nil, stamp: UUID(), bytes: bytes)
      let start = Instant.now
      #expect(try await hub.commit(offer).version == 1)
      let middle = Instant.now
      #expect(
        try await hub.versions(of: offer.session, after: 0, bytes: 1).versions[0].bytes == bytes)
      print(
        "\(bytes.count) bytes: \(middle - start) to commit, \(Instant.now - middle) to read, at 0 commits/s"
      )
      await hub.close()
    }

    private func median(_ measure: () async throws -> Double) async throws -> Double {
      var all: [Double] = []
      for _ in 0..<5 { all.append(try await measure()) }
      return all.sorted()[2]
    }

    /// The seconds that tasks take to commit to a session each.
    private func commits(_ hub: PostgresHub, _ tasks: Int, _ count: Int) async throws -> Double {
      let start = Instant.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            let session = UUID()
            var base: UUID?
            for _ in 0..<count {
              let offer = HubOffer(
                session: session, base: base, stamp: UUID(),
                bytes: [UInt8](repeating: 65, count: 1000))
              guard try await hub.commit([offer])[0].version != nil else {
                throw KeepsakeError(.invalid, "not taken")
              }
              base = offer.stamp
            }
          }
        }
        try await group.waitForAll()
      }
      return (Instant.now - start) / .seconds(1)
    }

    private func plain(
      _ hub: PostgresHub, _ address: String, _ tasks: Int, _ count: Int
    ) async throws -> Double {
      let (space, id) = (hub.space, hub.identity.id)
      let loops = try (0..<tasks).map { _ in try #require(PlainLoop(address)) }
      let start = Instant.now
      let failures = Locked(0)
      let threads = loops.map { loop in
        WorkerThread(name: "keepsake.plain") {
          let failed = loop.commit(space: space, id: id, count)
          failures.withLock { $0 += failed }
        }
      }
      for thread in threads { thread.join() }
      #expect(failures.withLock { $0 } == 0)
      return (Instant.now - start) / .seconds(1)
    }
  }

  /// A loop that calls libpq and nothing else, as a program in C does.
  private final class PlainLoop: @unchecked Sendable {
    // `@unchecked`: one thread at a time uses the connection.
    private let connection: OpaquePointer
    private let execute: Execute
    private let status: Status
    private let clear: Clear
    private let finish: Finish

    private typealias Connect = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Prepare =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, UnsafePointer<Oid>?
      ) -> OpaquePointer?
    private typealias Execute =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
        UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
      ) -> OpaquePointer?
    private typealias Status = @convention(c) (OpaquePointer?) -> UInt32
    private typealias Clear = @convention(c) (OpaquePointer?) -> Void
    private typealias Finish = @convention(c) (OpaquePointer?) -> Void

    init?(_ address: String) {
      let library = dlopen("libpq.so.5", RTLD_NOW)
      func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(library, name).map { unsafeBitCast($0, to: type) }
      }
      guard let connect = find("PQconnectdb", as: Connect.self),
        let prepare = find("PQprepare", as: Prepare.self),
        let execute = find("PQexecPrepared", as: Execute.self),
        let status = find("PQresultStatus", as: Status.self),
        let clear = find("PQclear", as: Clear.self),
        let finish = find("PQfinish", as: Finish.self), let connection = connect(address)
      else { return nil }
      (self.connection, self.execute, self.status) = (connection, execute, status)
      (self.clear, self.finish) = (clear, finish)
      let statement = PostgresCommit.plain
      let result = prepare(connection, statement.name, statement.sql, 0, nil)
      defer { clear(result) }
      guard status(result) == PGRES_COMMAND_OK.rawValue else { return nil }
    }

    deinit { finish(connection) }

    /// Commits to a new session, and returns how many of the commits failed.
    func commit(space: Int32, id: UUID, _ count: Int) -> Int {
      let session = UUID()
      let bytes = [UInt8](repeating: 65, count: 1000)
      let digest = SHA256.digest(of: bytes).bytes
      let formats = [Int32](repeating: 1, count: 7)
      let name = PostgresCommit.plain.name
      var base: UUID?
      var failed = 0
      for _ in 0..<count {
        let stamp = UUID()
        let values: [[UInt8]] = [
          PostgresValue.number(space), .id(id), .list(of: [session]), .list(of: [base]),
          .list(of: [stamp]), .list(of: [digest]), .list(of: [bytes]),
        ].compactMap(\.bytes)
        let lengths = values.map { Int32($0.count) }
        let all = values.flatMap(\.self)
        all.withUnsafeBytes { buffer in
          var start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
          let pointers = lengths.map { length in
            defer { start = start.map { $0 + Int(length) } }
            return start
          }
          let result = execute(connection, name, 7, pointers, lengths, formats, 1)
          if status(result) != PGRES_TUPLES_OK.rawValue { failed += 1 }
          clear(result)
        }
        base = stamp
      }
      return failed
    }
  }
#endif
