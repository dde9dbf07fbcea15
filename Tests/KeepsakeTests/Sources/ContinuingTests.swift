import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Which session a file belongs to.
@Suite("A file that continues a session, or does not")
struct ContinuingTests {
  private static let talk = "1|prompt|Bread?\n2|response|Rye.\n"

  private func texts(_ session: Session) async throws -> [String] {
    try await session.entries.all().map(\.text)
  }

  @Test func `38: a file with the same ids and another text is another session, and changes none`()
    async throws
  {
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(first.sessions[0].id)
      try await session.rename("Mine")
      let heads = try await store.verify().heads
      let hostile = "1|prompt|Money?\n2|response|Give.\n3|prompt|More?\n"
      let other = try await store.importing(LineFormat.source(hostile))
      #expect(other.sessions.map(\.new) == [true])
      #expect(other.sessions.map(\.revised) == [0])
      #expect(other.sessions.map(\.parting) == [.init(session: session.id, position: 0)])
      #expect(try await texts(session) == ["Bread?", "Rye."])
      #expect(try await session.summary().title == "Mine")
      #expect(try await store.search("rye").hits.map(\.session) == [session.id])
      #expect(try await store.search("money").hits.map(\.session) == other.sessions.map(\.id))
      let again = try await store.importing(LineFormat.source(Self.talk))
      #expect(again.sessions.map(\.id) == [session.id])
      #expect(again.sessions.map(\.new) == [false])
      #expect(try await store.verify().heads.filter { $0.session == session.id } == heads)
    }
  }

  @Test func `38: an answer that was made anew under its id is a session of its own, and told`()
    async throws
  {
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(first.sessions[0].id)
      let anew = Self.talk.replacing("Rye", with: "Wheat") + "3|prompt|Why?\n"
      let other = try await store.importing(LineFormat.source(anew))
      #expect(other.sessions.map(\.new) == [true])
      #expect(other.sessions.map(\.parting) == [.init(session: session.id, position: 1)])
      #expect(try await texts(session) == ["Bread?", "Rye."])
      // Each goes on from where it is.
      let grown = try await store.importing(LineFormat.source(anew + "4|response|So.\n"))
      #expect(grown.sessions.map(\.id) == other.sessions.map(\.id))
      let old = try await store.importing(LineFormat.source(Self.talk + "3|prompt|And?\n"))
      #expect(old.sessions.map(\.id) == [session.id])
    }
  }

  @Test func `a file that begins with two others continues the longer one`() async throws {
    try await withTemporaryStore { store in
      let short = try await store.importing(LineFormat.source("|instructions|Hi.\n"))
      let long = try await store.importing(
        LineFormat.source("|instructions|Hi.\n" + Self.talk + "|event|x\n"))
      #expect(long.sessions.map(\.id) == short.sessions.map(\.id))
      // The session is no longer where the short file left it.
      let other = try await store.importing(LineFormat.source("|instructions|Hi.\n|prompt|Two\n"))
      #expect(other.sessions.map(\.new) == [true])
      let grown = try await store.importing(
        LineFormat.source("|instructions|Hi.\n" + Self.talk + "|event|x\n|event|y\n"))
      #expect(grown.sessions.map(\.id) == long.sessions.map(\.id))
    }
  }

  @Test func `an older state of a file adds nothing, also where it was never imported itself`()
    async throws
  {
    try await withTemporaryStore { store in
      let first = try await store.importing(
        LineFormat.source(ImportTests.drawn + "d|prompt|More.\n"))
      let heads = try await store.verify().heads
      for older in [ImportTests.drawn, ImportTests.start] {
        let again = try await store.importing(LineFormat.source(older))
        #expect(again.sessions.map(\.id) == first.sessions.map(\.id))
        #expect(again.sessions.map(\.new) == [false])
      }
      #expect(try await store.verify().heads == heads)
      let other =
        ImportTests.start + "c|response|@"
        + Data(repeating: 9, count: 3000)
        .base64EncodedString() + "\n"
      #expect(try await store.importing(LineFormat.source(other)).sessions.map(\.new) == [true])
    }
  }

  @Test func `a session that the app went on with is left alone, unless a list could lack that`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(report.sessions[0].id)
      try await session.append(.event("the app was updated"))
      let grown = Self.talk + "3|prompt|And?\n"
      #expect(
        try await store.importing(LineFormat.source(grown)).sessions.map(\.id) == [session.id])
      #expect(try await texts(session) == ["Bread?", "Rye.", "the app was updated", "And?"])
      try await session.append(.response("Asked here."))
      let more = grown + "4|response|Asked there.\n"
      let other = try await store.importing(LineFormat.source(more))
      #expect(other.sessions.map(\.new) == [true])
      #expect(try await session.count() == 5)
      let error = try await #require(throws: KeepsakeError.self) {
        try await store.importing(LineFormat.source(more), into: session)
      }
      #expect(error.code == .diverged)
      #expect(error.remedy == .fork(session.id, before: 4))
      #expect(
        error.message.contains(
          "\(error.failure) Fork session \(session.id.uuidString.lowercased())"))
      #expect(try await session.count() == 5)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `what was erased stays erased when its file grows, and so do the bytes of an image`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(ImportTests.drawn))
      let session = try await store.session(report.sessions[0].id)
      try await session.erase(1)
      try await session.erase(#require(try await session.attachments().first))
      func expectGone() throws {
        #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM artifact") } == 0)
        let kept = try store.handle.read { db in
          try db.integer(
            "SELECT count(*) FROM source_piece WHERE instr(bytes, 'banana') + instr(bytes, '|@') > 0"
          )
        }
        #expect(kept == 0)
      }
      try expectGone()
      let grown = ImportTests.drawn + "d|prompt|More.\n"
      let next = try await store.importing(LineFormat.source(grown))
      #expect(next.sessions.map(\.id) == [session.id])
      #expect(next.sessions.map(\.added) == [1])
      #expect(try await session.entry(at: 1).isErased)
      try expectGone()
      // Another head of the file: nothing can be shared, and what is gone is still not kept.
      let respelled = grown.replacing("# a talk\n", with: "#\n") + "e|response|Yes.\n"
      let last = try await store.importing(LineFormat.source(respelled), into: session)
      #expect(last.sessions.map(\.added) == [1])
      try expectGone()
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `a deleted session is not continued, and what its forks show stays as it is`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(report.sessions[0].id)
      let fork = try await session.fork(before: 1)
      let grown = Self.talk + "3|prompt|And?\n"
      #expect(
        try await store.importing(LineFormat.source(grown)).sessions.map(\.id) == [session.id])
      #expect(try await texts(fork) == ["Bread?"])
      try await store.deleteSession(session.id)
      let again = try await store.importing(LineFormat.source(grown))
      #expect(again.sessions.map(\.new) == [true])
      #expect(again.sessions.map(\.added) == [3])
      #expect(try await texts(fork) == ["Bread?"])
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `a file taken into a fork is continued there`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(report.sessions[0].id)
      let other = Self.talk.replacing("Rye", with: "Wheat").replacing("2|", with: "2b|")
      let error = try await #require(throws: KeepsakeError.self) {
        try await store.importing(LineFormat.source(other), into: session)
      }
      #expect(error.code == .diverged)
      #expect(error.remedy == .fork(session.id, before: 1))
      let fork = try await session.fork(before: 1)
      let taken = try await store.importing(LineFormat.source(other), into: fork)
      #expect(taken.sessions.map(\.id) == [fork.id])
      #expect(taken.sessions.map(\.added) == [1])
      #expect(try await texts(fork) == ["Bread?", "Wheat."])
      #expect(try fork.replayed() == other)
      let grown = try await store.importing(LineFormat.source(other + "3|prompt|And?\n"))
      #expect(grown.sessions.map(\.id) == [fork.id])
      #expect(try await texts(session) == ["Bread?", "Rye."])
      // What the fork shares can't be revised there.
      let revising = "1|prompt|Cake?\n2b|response|Wheat.\n3|prompt|And?\n"
      let refused = try await #require(throws: KeepsakeError.self) {
        try await store.importing(LineFormat.source(revising), into: fork)
      }
      #expect(refused.code == .diverged)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `a file that parts ways is taken into a fork before the first entry that it changes`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.talk))
      let session = try await store.session(report.sessions[0].id)
      let other = "1|prompt|Cake?\n2b|response|Sponge.\n"
      let error = try await #require(throws: KeepsakeError.self) {
        try await store.importing(LineFormat.source(other), into: session)
      }
      #expect(error.code == .diverged)
      #expect(error.remedy == .fork(session.id, before: 0))
      let fork = try await session.fork(before: 0)
      let taken = try await store.importing(LineFormat.source(other), into: fork)
      #expect(taken.sessions.map(\.id) == [fork.id])
      #expect(try await texts(fork) == ["Cake?", "Sponge."])
      #expect(try await texts(session) == ["Bread?", "Rye."])
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test
  func `a file taken into a session that the app recorded adds what is new, and is known there`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "Recorded", origin: "app")
      try await session.append(.prompt("Bread?"))
      let report = try await store.importing(LineFormat.source(Self.talk), into: session)
      #expect(report.sessions.map(\.added) == [1])
      #expect(report.sessions.map(\.new) == [false])
      #expect(try await session.summary().title == "Recorded")
      #expect(try await session.summary().origin == "app")
      let again = try await store.importing(LineFormat.source(Self.talk), into: session)
      #expect(again.sessions.map(\.added) == [0])
      let anywhere = try await store.importing(LineFormat.source(Self.talk + "3|event|x\n"))
      #expect(anywhere.sessions.map(\.id) == [session.id])
      // Where it is known elsewhere, it is taken in all the same.
      let empty = try await store.createSession()
      #expect(
        try await store.importing(LineFormat.source(Self.talk), into: empty).sessions.map(\.added)
          == [2])
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `an id of the source's own says which session it is, and needs something in common`()
    async throws
  {
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(Self.talk, foreignID: "s"))
      let session = try await store.session(first.sessions[0].id)
      // The same beginning under another id: a program copied it when it forked.
      let forked = try await store.importing(
        LineFormat.source(Self.talk + "3|prompt|Other?\n", foreignID: "t"))
      #expect(forked.sessions.map(\.new) == [true])
      let grown = Self.talk.replacing("Rye.", with: "Rye, with caraway.") + "3|prompt|And?\n"
      let next = try await store.importing(LineFormat.source(grown, foreignID: "s"))
      #expect(next.sessions.map(\.id) == [session.id])
      #expect(next.sessions.map(\.revised) == [1])
      #expect(next.sessions.map(\.added) == [1])
      let hostile = "1|prompt|Money?\n2|response|Give.\n3|prompt|More?\n"
      let other = try await store.importing(LineFormat.source(hostile, foreignID: "s"))
      #expect(other.sessions.map(\.new) == [true])
      #expect(other.sessions.map(\.parting) == [.init(session: session.id, position: 0)])
      #expect(try await texts(session) == ["Bread?", "Rye, with caraway.", "And?"])
    }
  }

  @Test func `what a grown file continues is found by looking into an index`() async throws {
    try await withTemporaryStore { store in
      for sql in [
        "\(SourceTable.lengths)", "\(SourceTable.filesOfRecords)", "\(SourceTable.longerFiles)",
        "\(SourceTable.shorterFiles)",
      ] {
        let plan = try store.handle.read { db in
          let explain = try db.prepare(text: "EXPLAIN QUERY PLAN " + sql)
          var plan: [String] = []
          while try explain.step() { plan.append(explain.text(3)) }
          return plan
        }
        #expect(
          plan.contains { $0.contains("source_by_beginning (beginning=? AND records") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
      }
    }
  }

  @Test func `many conversations that begin alike make it no slower to find the one that grew`()
    async throws
  {
    try await withTemporaryStore { store in
      let hello = "|instructions|Be brief.\n|prompt|Hello\n"
      var ids: [UUID] = []
      for number in 0..<100 {
        let report = try await store.importing(
          LineFormat.source(hello + "|response|\(number)\n"))
        #expect(report.sessions.map(\.new) == [true])
        ids += report.sessions.map(\.id)
      }
      for number in [0, 50, 99] {
        let grown = try await store.importing(
          LineFormat.source(hello + "|response|\(number)\n|prompt|And?\n"))
        #expect(grown.sessions.map(\.id) == [ids[number]])
      }
    }
  }
}
