import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

@Suite struct `A store that takes over many sessions` {
  @Test func `reads some of them at a time, and each once`() async throws {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(9, in: mirrors.first)
      let readings = Locked(Readings(expected: ReadAhead.width))
      let report = try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      #expect(report.received == Set(sessions))
      let (most, read) = readings.withLock { ($0.most, $0.read) }
      #expect(most == ReadAhead.width)
      #expect(read.sorted(by: Self.order) == sessions.sorted(by: Self.order))
      try await mirrors.requireSame()
    }
  }

  @Test func `leaves one aside that can't be read, and takes over the others`() async throws {
    try await Mirrors.make { mirrors in
      let sessions = try await Self.sessions(6, in: mirrors.first)
      let readings = Locked(Readings(expected: 1))
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
      let readings = Locked(Readings(expected: 1))
      readings.withLock { $0.mostAnswers = 5 }
      let error = await #expect(throws: KeepsakeError.self) {
        try await mirrors.second.sync(with: mirrors.address(countingIn: readings))
      }
      #expect(error.map(InterruptedHub.isCut) == true)
      // Those that were read before are here, and no session is asked for twice.
      #expect(try await mirrors.second.sessions().sessions.count <= 5)
      let read = readings.withLock { $0.read }
      #expect(read.count <= 5 + ReadAhead.width && Set(read).count == read.count)
      try await mirrors.second.sync()
      #expect(try await mirrors.second.sessions().sessions.count == sessions.count)
      try await mirrors.requireSame()
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

/// What a hub was asked to read.
private struct Readings {
  /// The number of readings that wait for each other, if they come at once.
  let expected: Int
  /// The sessions that can't be read.
  var faulty: Set<UUID> = []
  /// The number of readings after which the hub is out of reach.
  var mostAnswers = Int.max
  /// The sessions that were read, in the order of the readings.
  private(set) var read: [UUID] = []
  /// The most readings that were under way at once.
  private(set) var most = 0
  private var underWay = 0

  init(expected: Int) { self.expected = expected }

  mutating func begin(_ session: UUID) throws {
    read.append(session)
    guard read.count <= mostAnswers else { throw InterruptedHub.cut }
    underWay += 1
    most = max(most, underWay)
  }

  mutating func end() { underWay -= 1 }
}

extension Mirrors {
  /// The way to the hub with a record of what is read.
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
    let isFaulty = try readings.withLock { readings in
      try readings.begin(session)
      return readings.faulty.contains(session)
    }
    defer { readings.withLock { $0.end() } }
    // The first reading has an answer when the others have begun. If they never begin, the test goes on after a while, and fails.
    let deadline = ContinuousClock.now + .seconds(10)
    while readings.withLock({ $0.most < $0.expected }), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(1))
    }
    if isFaulty {
      throw KeepsakeError(
        .damaged, "The hub says nothing of it.", cause: HubFault.damaged(session: session))
    }
    return try await hub.versions(of: session, after: version, bytes: bytes)
  }
}
