import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores that share a hub's sessions, and connections that end before or after the hub has done what it was asked for.
@Suite struct `Stores that share sessions over a bad connection` {
  @Test func `a change whose answer was lost is sent again, and made once`() async throws {
    for moment in [InterruptedHub.Moment.before, .after] {
      let line = CutLine()
      try await Sharers.make(reaching: { line.address($0, $1) }) { sharers in
        let session = try await sharers.first.createSession()
        line.cut(commits: 2, moment)
        let entry = try await session.append(.prompt("a banana?"))
        #expect(entry.position == 0 && line.isWhole)
        #expect(try await sharers.second.session(session.id).count() == 1)
        try await sharers.requireSame()
      }
    }
  }

  @Test func `when the hub stays silent nobody knows, and the session waits for its answer`()
    async throws
  {
    for moment in [InterruptedHub.Moment.before, .after] {
      let line = CutLine()
      var options = Store.Options.withoutIndexing
      options.patience = .milliseconds(200)
      try await Sharers.make(options: options, reaching: { line.address($0, $1) }) { sharers in
        let session = try await sharers.first.createSession()
        let other = try await sharers.first.createSession()
        line.cut(commits: .max, moment)
        let error = await #expect(throws: KeepsakeError.self) {
          try await session.append(.prompt("one"))
        }
        #expect(error?.code == .unknown)
        // The session takes no other change until that is known.
        let next = await #expect(throws: KeepsakeError.self) {
          try await session.append(.prompt("two"))
        }
        #expect(next?.code == .unknown)
        line.mend()
        try await other.append(.prompt("three"))
        try await session.append(.prompt("four"))
        let texts = try await sharers.second.session(session.id).entries.all().map(\.text)
        // Sent again until it was known, and so it is there.
        #expect(texts == ["one", "four"])
        try await sharers.requireSame()
      }
    }
  }

  @Test func `a hub out of reach fails what asks for the newest, and what is here is read`()
    async throws
  {
    let line = CutLine()
    try await Sharers.make(1, reaching: { line.address($0, $1) }) { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      line.cutAll()
      for body: () async throws -> Void in [
        { _ = try await sharers.first.session(session.id) },
        { _ = try await sharers.first.sessions() }, { try await session.refresh() },
      ] {
        let error = await #expect(throws: KeepsakeError.self) { try await body() }
        #expect(error.map(InterruptedHub.isCut) == true)
      }
      #expect(try await session.entries.all().map(\.text) == ["one"])
      line.mend()
      #expect(try await sharers.first.session(session.id).count() == 1)
    }
  }

  @Test
  func `what was erased or deleted when the connection ended is finished by whoever comes next`()
    async throws
  {
    for moment in [InterruptedHub.Moment.before, .after] {
      let line = CutLine()
      var options = Store.Options.withoutIndexing
      options.patience = .milliseconds(100)
      try await Sharers.make(options: options, reaching: { line.address($0, $1) }) { sharers in
        let erased = try await sharers.first.createSession()
        try await erased.append([.prompt("one"), .prompt("secret")])
        let deleted = try await sharers.first.createSession()
        try await deleted.append(.prompt("secret, too"))
        line.cut(commits: .max, moment)
        await #expect(throws: KeepsakeError.self) { try await erased.erase(1) }
        await #expect(throws: KeepsakeError.self) {
          try await sharers.first.deleteSession(deleted.id)
        }
        line.mend()
        try await sharers.first.sync()
        #expect(try await sharers.second.session(erased.id).entries.all()[1].isErased)
        #expect(try await sharers.first.session(erased.id).entries.all()[1].isErased)
        await #expect(throws: KeepsakeError.self) {
          try await sharers.second.session(deleted.id)
        }
        await #expect(throws: KeepsakeError.self) { try await sharers.first.session(deleted.id) }
        try await sharers.requireSame()
        let files = try HubFolder.files(sharers.folder.path).map {
          try Data(contentsOf: URL(filePath: "\(sharers.folder.path)/\($0)"))
        }
        #expect(!files.contains { $0.firstRange(of: Data("secret".utf8)) != nil })
      }
    }
  }
}

/// The connection of a store to its hub, which a test cuts.
final class CutLine: Sendable {
  private struct State {
    var commits = 0
    var moment = InterruptedHub.Moment.before
    var isCut = false
  }

  private let state = Locked(State())

  /// The way of the first store to the hub; the others have ways of their own.
  func address(_ address: HubAddress, _ index: Int) -> HubAddress {
    if index > 0 { return address }
    return HubAddress(address.description) { opening in
      CommitCuttingHub(
        hub: InterruptedHub.over(try await address.open(opening)) { _ in
          if self.state.withLock({ $0.isCut }) { throw InterruptedHub.cut }
        }, line: self)
    }
  }

  /// Tells whether as many commits were cut as should be.
  var isWhole: Bool { state.withLock { $0.commits == 0 } }

  /// Cuts the next commits, before or after the hub has taken them.
  func cut(commits: Int, _ moment: InterruptedHub.Moment) {
    state.withLock { ($0.commits, $0.moment) = (commits, moment) }
  }

  func cutAll() { state.withLock { $0.isCut = true } }

  func mend() { state.withLock { $0 = State() } }

  fileprivate func takeCut() -> InterruptedHub.Moment? {
    state.withLock { state in
      guard state.commits > 0 else { return nil }
      state.commits -= 1
      return state.moment
    }
  }
}

/// A hub whose answers to commits are lost, in the way in which hubs say that.
private struct CommitCuttingHub: ForwardingHub {
  let hub: any Hub
  let line: CutLine

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    guard let moment = line.takeCut() else { return try await hub.commit(offers) }
    if moment == .after { _ = try await hub.commit(offers) }
    return offers.map { _ in .failed(InterruptedHub.cut) }
  }
}
