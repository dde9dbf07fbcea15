import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

@Suite struct `A store that takes over many sessions` {
  @Test func `reads some of them at a time, and each once`() async throws {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(9, in: mirrors.first)
      let readings = Locked(Readings(expected: ReadAhead.width))
      let report = try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      #expect(report.received == Set(sessions))
      let (most, read) = readings.withLock { ($0.calls.most, $0.read) }
      #expect(most == ReadAhead.width)
      #expect(read.sorted(by: Self.order) == sessions.sorted(by: Self.order))
      try await mirrors.requireSame()
    }
  }

  @Test func `leaves one aside that can't be read, and takes over the others`() async throws {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(6, in: mirrors.first)
      let readings = Locked(Readings())
      readings.withLock { $0.faulty = [sessions[2]] }
      let report = try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      #expect(report.received == Set(sessions).subtracting([sessions[2]]))
      #expect(report.aside.map(\.session) == [sessions[2]])
      #expect(report.aside.first?.reason.contains("says nothing") == true)
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `ends with the first reading that shows the hub is out of reach`() async throws {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(20, in: mirrors.first)
      let readings = Locked(Readings())
      readings.withLock { $0.mostAnswers = 5 }
      let error = await #expect(throws: KeepsakeError.self) {
        try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      }
      #expect(error.map(InterruptedHub.isCut) == true)
      // The store has only sessions that the hub gave before it was out of reach. The store asked for no session twice.
      let read = readings.withLock { $0.read }
      let here = try await mirrors.second.sessions().sessions.map(\.id)
      #expect(Set(here).isSubset(of: read.prefix(5)))
      #expect(read.count <= 5 + ReadAhead.width && Set(read).count == read.count)
      try await mirrors.second.sync()
      #expect(try await mirrors.second.sessions().sessions.count == sessions.count)
      try await mirrors.requireSame()
    }
  }

  @Test func `ends all readings when it is cancelled`() async throws {
    try await Mirrors.make { mirrors in
      _ = try await Self.sessions(6, in: mirrors.first)
      // So many readings are never under way at once, so the hub answers none of them for a while.
      let readings = Locked(Readings(expected: ReadAhead.width + 1))
      let sync = Task {
        try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      }
      while readings.withLock({ $0.calls.most < ReadAhead.width }) {
        try await Task.sleep(for: .milliseconds(1))
      }
      sync.cancel()
      await #expect(throws: CancellationError.self) { try await sync.value }
      #expect(readings.withLock { $0.calls.cancelled } == ReadAhead.width)
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `can check the hub, which reads some sessions at a time, and each once`() async throws
  {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(9, in: mirrors.first)
      let readings = Locked(Readings(expected: ReadAhead.width))
      readings.withLock { $0.faulty = [sessions[2]] }
      let progress = Locked([[Int]]())
      let report = try await Store.checkHub(at: mirrors.address(countingIn: readings)) {
        let step = [$0, $1]
        progress.withLock { $0.append(step) }
      }
      #expect((report.sessions, report.versions) == (8, 8))
      #expect(report.findings.map(\.object) == ["session \(sessions[2].text)"])
      let (most, read) = readings.withLock { ($0.calls.most, $0.read) }
      #expect(most == ReadAhead.width)
      #expect(read.sorted(by: Self.order) == sessions.sorted(by: Self.order))
      #expect(progress.withLock(\.self) == (1...9).map { [$0, 9] })
    }
  }

  /// Makes sessions with some entries, and tells the hub.
  private static func sessions(_ count: Int, in store: Store) async throws -> [UUID] {
    var sessions: [UUID] = []
    for number in 0..<count {
      let session = try await store.createSession(title: "\(number)")
      try await session.append([.prompt("a banana"), .response("\(number)")])
      sessions.append(session.id)
    }
    try await store.sync()
    return sessions
  }

  private static func order(_ first: UUID, _ second: UUID) -> Bool {
    first.uuidString < second.uuidString
  }
}

/// A record of the sessions that stores read from a hub, with the faults that the hub is to show.
private struct Readings {
  let calls: CallsUnderWay
  /// The sessions that can't be read.
  var faulty: Set<UUID> = []
  /// The number of readings after which the hub is out of reach.
  var mostAnswers = Int.max
  /// The sessions that were read, in the order of the readings.
  private(set) var read: [UUID] = []

  init(expected: Int = 1) { calls = CallsUnderWay(expected: expected) }

  mutating func begin(_ session: UUID) throws {
    read.append(session)
    guard read.count <= mostAnswers else { throw InterruptedHub.cut }
  }
}

extension Mirrors {
  /// Returns the way to the hub, on which each reading is recorded.
  fileprivate func address(countingIn readings: Locked<Readings>) -> HubAddress {
    let address = address
    return HubAddress(address.description) {
      CountingHub(hub: try await address.open($0), readings: readings)
    }
  }
}

private struct CountingHub: ForwardingHub {
  let hub: any Hub
  let readings: Locked<Readings>

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    let (isFaulty, calls) = try readings.withLock { readings in
      try readings.begin(session)
      return (readings.faulty.contains(session), readings.calls)
    }
    return try await calls.run {
      if isFaulty {
        throw KeepsakeError(
          .damaged, "The hub says nothing of it.", cause: HubFault.damaged(session: session))
      }
      return try await hub.versions(of: session, after: version, bytes: bytes)
    }
  }
}
