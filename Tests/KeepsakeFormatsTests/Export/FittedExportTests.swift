import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("An export that a model goes on from")
struct FittedExportTests {
  private func entries(_ session: Session, _ options: Resumption.Options) async throws -> (
    entries: [Entry], losses: Losses
  ) {
    let (bytes, losses) = try await session.exported(
      as: "apple", options: .init(resumption: options))
    return (try AppleCodec.decode(bytes).map(\.entry), losses)
  }

  @Test func `it fits, and says what was left out by kind and count`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      try await session.append(.instructions("Be brief."))
      for number in 0..<20 {
        try await session.append(.prompt("Question \(number)?"))
        try await session.append(
          .response(String(repeating: "Answer \(number). ", count: 20)))
      }
      try await session.append(.event("routed"))
      var hidden = Entry.response("1 of 5 left")
      hidden.visibility = .person
      try await session.append(hidden)
      let (kept, losses) = try await entries(session, .init(budget: .tokens(300)))
      #expect(kept.first?.kind == .instructions)
      #expect(kept.last?.text.hasPrefix("Answer 19") == true)
      #expect(losses[.overBudget] == 41 - kept.count)
      #expect(losses[.events] == 1)
      #expect(losses[.personOnly] == 1)
      #expect(losses.description.contains("entries that did not fit"))
    }
  }

  @Test func `what was erased keeps its place in words, so that turns are taken`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      for text in ["a", "b"] {
        try await session.append(.prompt(text))
        try await session.append(.response(text))
      }
      try await session.erase(1)
      let (kept, losses) = try await entries(session, .init())
      #expect(kept.map(\.text) == ["a", "[erased]", "b", "b"])
      #expect(losses.description == "1 erased entry")
      // All of the session says nothing in its place.
      #expect(try await session.exported(as: "apple").losses[.erased] == 1)
    }
  }

  @Test func `what was asked for although it did not end is there`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      try await session.append(.prompt("a"))
      var cut = Entry.response("I was say")
      cut.status = .interrupted
      try await session.append(cut)
      var options = Resumption.Options()
      #expect(try await entries(session, options).losses[.unfinished] == 1)
      options.statuses = [.complete, .interrupted]
      let (kept, losses) = try await entries(session, options)
      #expect(kept.map(\.text) == ["a", "I was say"])
      #expect(losses.isEmpty)
    }
  }

  @Test func `what each note says of an entry is a loss of one kind`() {
    let notes: [(Resumption.Action, Resumption.Reason)] = [
      (.leftOut, .hidden), (.leftOut, .lane("x")), (.leftOut, .turn(.failed)),
      (.leftOut, .condensed), (.leftOut, .withItsCall), (.replaced, .image("image_1")),
      (.noticed, .outputWithoutCall), (.repaired, .noInstructions),
    ]
    let losses = Losses(
      notes.map { Resumption.Note(position: 0, action: $0.0, reason: $0.1) })
    #expect(
      losses.counts == [
        .personOnly: 1, .otherLanes: 1, .unfinished: 1, .condensed: 1, .withoutCall: 1,
        .attachments: 1,
      ])
  }
}
