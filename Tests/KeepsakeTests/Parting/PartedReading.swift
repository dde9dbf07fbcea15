import Foundation
import Testing

@testable import Keepsake

/// A session as an app reads it, compared with the session that it became when it parted.
struct PartedReading {
  let entries: [Entry]
  let attachments: [Entry.Attachment]
  let runs: [Invocation]
  let turns: [Turn]
  /// The calls that outputs answer, by the position of the output.
  let answers: [Int: Entry.Attachment.CallReference]
  let summary: Session.Summary
  let metadata: JSON?

  init(of session: Session) async throws {
    entries = try await session.entries.all()
    attachments = try await session.attachments()
    runs = try await session.invocations()
    turns = try await session.turns()
    var answers: [Int: Entry.Attachment.CallReference] = [:]
    for entry in entries where entry.kind == .toolOutput {
      if let position = entry.position { answers[position] = try session.answered(by: position) }
    }
    self.answers = answers
    summary = try await session.summary()
    metadata = try await session.metadata()
  }

  /// Returns what differs in the session that this one became; nil if only what the hub erased is missing.
  ///
  /// - Parameters:
  ///   - parted: The session that this one became.
  ///   - hub: The original, as the hub has it; nil if it was deleted there.
  ///   - start: The number of entries that the original shares itself. What the hub does to these shows in all.
  ///   - common: The number of entries that both had.
  ///   - knownLabels: The labels of the attachments that both had. This store may have bound such an attachment to a later entry.
  ///   - isFork: Whether the new session is a fork, which shows what it shares as the original has it.
  func difference(
    to parted: PartedReading, hub: PartedReading?, start: Int, common: Int,
    knownLabels: Set<String>, isFork: Bool
  ) -> String? {
    guard parted.entries.count == entries.count else {
      return "\(parted.entries.count) entries, not \(entries.count)"
    }
    for (mine, got) in zip(entries, parted.entries) {
      let position = mine.position ?? -1
      if position < start {
        guard mine.id == got.id else { return "entry \(position) is another one" }
        continue
      }
      let theirs = position < common ? hub?.entries[position] : nil
      let mayBeErased = position < common && (hub == nil || theirs?.isErased ?? false)
      if got.isErased, !mine.isErased {
        guard mayBeErased else { return "entry \(position) is erased" }
        continue
      }
      if let difference = mine.difference(to: got, isShared: isFork && position < common) {
        return "entry \(position): \(difference)"
      }
      if let difference = Self.difference(
        of: mine.attachments, to: got.attachments, hub: hub?.attachments ?? [],
        erasable: mayBeErased ? nil : hub == nil ? knownLabels : [])
      {
        return "entry \(position), attachment \(difference)"
      }
    }
    guard answers == parted.answers else { return "answers \(answers), not \(parted.answers)" }
    return differenceBesideEntries(to: parted, hub: hub, start: start, isFork: isFork)
  }

  private func differenceBesideEntries(
    to parted: PartedReading, hub: PartedReading?, start: Int, isFork: Bool
  ) -> String? {
    let loose = attachments.filter { $0.position == nil }
    if let difference = Self.difference(
      of: loose, to: parted.attachments.filter { $0.position == nil },
      hub: hub?.attachments ?? [], erasable: hub == nil ? nil : [])
    {
      return "attachment \(difference)"
    }
    for run in parted.runs where !runs.contains(where: { $0.id == run.id }) {
      return "a run \(run.name) from nowhere"
    }
    for run in runs {
      let got = parted.runs.first { $0.id == run.id }
      // A fork does not list the runs of what it shares.
      if got == nil, isFork, hub?.runs.contains(where: { $0.id == run.id }) ?? false { continue }
      guard let got, got.name == run.name, got.outcome == run.outcome, got.call == run.call,
        got.turn == run.turn
      else { return "run \(run.name): \(run), not \(String(describing: got))" }
      let theirs = hub?.runs.first { $0.id == run.id }
      let mayBeErased =
        hub == nil || theirs.map { $0.output == nil || $0.description.arguments == nil } ?? false
        || run.call.map { parted.entries[$0.position].isErased } ?? false
        || parted.entries.contains { $0.kind == .toolOutput && $0.isErased }
      if !mayBeErased, got.output != run.output || got.description != run.description {
        return "run \(run.name) says something else"
      }
    }
    let details = hub == nil
    // A turn that is shared with a third session reads as that one goes on with it.
    let shared = Set(entries.prefix(start).compactMap(\.turn))
    for (mine, got) in zip(turns, parted.turns)
    where !shared.contains(mine.number)
      && (mine.number != got.number || mine.outcome != got.outcome || mine.lane != got.lane
        || mine.attempts != got.attempts || mine.detail != got.detail && !details)
    {
      return "turn \(mine), not \(got)"
    }
    guard turns.count == parted.turns.count else { return "\(parted.turns.count) turns" }
    if hub == nil { return nil }
    guard summary.title == parted.summary.title, summary.tags == parted.summary.tags,
      summary.origin == parted.summary.origin,
      !Self.showsSame(zip(entries, parted.entries).prefix(start))
        || summary.attachments == parted.summary.attachments,
      summary.model == parted.summary.model
    else { return "\(summary), not \(parted.summary)" }
    let mine = metadata?.members?.filter { $0.key != Parting.originKey } ?? []
    let got = parted.metadata?.members?.filter { $0.key != Parting.originKey } ?? []
    guard mine.elementsEqual(got, by: { $0.key == $1.key && $0.value == $1.value }) else {
      return "metadata"
    }
    return nil
  }

  /// Tells whether two stores show the same attachments of entries, and show the same entries and attachments as erased.
  ///
  /// Two stores may show shared entries differently, because one store alone changed the session that the entries are shared from.
  static func showsSame(_ entries: some Sequence<(Entry, Entry)>) -> Bool {
    entries.allSatisfy { mine, other in
      mine.isErased == other.isErased
        && mine.attachments.map(\.state) == other.attachments.map(\.state)
    }
  }

  /// Compares attachments by their labels. The hub may have erased some, and what it did to those that are shared shows. An attachment may
  /// stand elsewhere at the hub, because it was recorded before it was bound to an entry.
  ///
  /// - Parameter erasable: The labels of those that may be erased wherever they stand at the hub; nil for all.
  private static func difference(
    of mine: [Entry.Attachment], to got: [Entry.Attachment], hub: [Entry.Attachment],
    erasable: Set<String>?
  ) -> String? {
    for attachment in mine {
      guard let other = got.first(where: { $0.label == attachment.label }) else {
        return "'\(attachment.label)' is missing"
      }
      if attachment.isSame(as: other) { continue }
      let theirs = hub.first {
        $0.label == attachment.label && $0.created == attachment.created
      }
      if theirs?.isSame(as: other) ?? false { continue }
      let isErasable = erasable?.contains(attachment.label) ?? true
      if other.state == .erased, isErasable || theirs?.state == .erased { continue }
      return "'\(attachment.label)' is \(other), not \(attachment)"
    }
    return got.count == mine.count ? nil : "\(got.count), not \(mine.count)"
  }
}

extension Entry {
  fileprivate func difference(to other: Entry, isShared: Bool) -> String? {
    guard id == other.id, kind == other.kind, created == other.created, turn == other.turn,
      visibility == other.visibility, status == other.status, isErased == other.isErased
    else { return "\(other), not \(self)" }
    guard hasSameContent(as: other), model == other.model, tags == other.tags else {
      return "'\(other.text)', not '\(text)'"
    }
    // Where only the hub's app gave it a key, the fork shows that.
    return key == other.key || isShared && key == nil ? nil : "key \(other.key ?? "nil")"
  }
}

extension Entry.Attachment {
  fileprivate func isSame(as other: Entry.Attachment) -> Bool {
    state == other.state && artifact?.id == other.artifact?.id && captions == other.captions
      && fileName == other.fileName && mediaType == other.mediaType && reference == other.reference
      && inputs == other.inputs && call == other.call && tool == other.tool
      && segment == other.segment && place == other.place && position == other.position
      && direction == other.direction && invocation == other.invocation && turn == other.turn
  }
}
