#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Session {
  /// The result of saving a list of entries.
  public struct SaveResult: Sendable, Hashable {
    /// The session that holds the list now. This is a fork if the list diverged and a fork was asked for.
    public let session: Session
    /// The positions of the entries that were added.
    public let appended: Range<Int>
    /// The positions of entries whose content was replaced, or that got artifacts. Earlier contents stay as revisions.
    public let revised: [Int]
    /// The runs of tools in these turns for which no call was found. Their artifacts are kept, and listed with the
    /// turn.
    public let unbound: [Invocation]
  }

  /// The ways to treat a list that diverges from what is stored.
  public enum Divergence: String, Sendable, Hashable, Codable, CaseIterable {
    /// Throw `diverged`, and write nothing.
    case fail
    /// Keep what is stored, and save the list as a fork from the position where the two diverge.
    case fork
  }

  /// Saves a transcript that the app holds whole: adds the new entries at its end, and revises those that changed.
  ///
  /// This is for apps whose framework keeps the conversation and gives all of it after each turn. Saving the same list
  /// again writes nothing. A list that begins with the list that was saved last costs only what is new. A list whose
  /// front was trimmed removes nothing. What was stored while the turn ran, such as a prompt, runs of tools and their
  /// artifacts, is recognised: an entry of equal content takes the list's key, and a call is bound to the run that gave
  /// its output.
  ///
  /// Instructions at the beginning of the list never make it diverge, because they only say what the model is told now.
  /// If the lane has other instructions, the new ones become a revision. If the lane has none, or a fork shares them
  /// with its parent, they become an entry of their own before the new entries.
  ///
  /// The list diverges where it changes an entry that this session can't revise: one that it shares as a fork, or one that
  /// becomes another kind of entry or has other tool calls under the same key. A fork leaves the original as it is: it begins
  /// before the first entry that the list changes.
  ///
  /// Artifacts of the list's entries that were read from another session are attached where the stored entries lack
  /// them. What was erased stays erased, even if the list still has it.
  /// - Parameters:
  ///   - list: The transcript.
  ///   - divergence: The way to treat a list that diverges from what is stored.
  /// - Returns: The session that holds the list, with the positions that changed.
  /// - Throws: ``KeepsakeError``: `diverged` if the list diverges and `divergence` is `fail`.
  @concurrent @discardableResult
  public func save(_ list: [Entry], ifDiverging divergence: Divergence = .fail) async throws
    -> SaveResult
  {
    try await save(list.map { SourceEntry($0) }, ifDiverging: divergence)
  }

  /// Saves a transcript whose entries come with artifacts of their source, which are taken in if they are new.
  /// - Parameters:
  ///   - list: The transcript.
  ///   - divergence: The way to treat a list that diverges from what is stored.
  ///   - prompt: The position of the list's first entry, for a list that holds one turn alone. Such a list is not
  ///     compared with what stands before, may lack what others stored after, and never diverges.
  ///   - draft: The draft of an entry of the list. It ends in the same transaction.
  ///   - isCancellable: Whether the caller's cancellation stops the save.
  @concurrent @discardableResult
  package func save(
    _ list: [SourceEntry], ifDiverging divergence: Divergence = .fail, turnAt prompt: Int? = nil,
    ending draft: Draft? = nil, isCancellable: Bool = true
  ) async throws -> SaveResult {
    try handle.requireWriter()
    try draft?.beginEnd()
    do {
      return try await save(list, turnAt: prompt, draft, isCancellable: isCancellable)
    } catch let parting as Diverged where divergence == .fork {
      draft?.takeEndBack()
      let saved = try await save(list, asForkAt: parting, isCancellable: isCancellable)
      try await draft?.withdraw()
      return saved
    } catch let error as Diverged {
      draft?.takeEndBack()
      throw KeepsakeError(
        .diverged,
        """
        The saved list parts ways with session \(id) at position \(error.position). \
        Nothing was changed; save it as a fork (ifDiverging: .fork) to keep both.
        """, object: id.uuidString, cause: error)
    } catch {
      draft?.takeEndBack()
      throw error
    }
  }

  /// Saves a list into a new fork that shares what stands before the place where the list parts ways with this session.
  private func save(
    _ list: [SourceEntry], asForkAt parting: Diverged, isCancellable: Bool
  ) async throws -> SaveResult {
    var parting = parting
    while true {
      let fork = try await fork(before: parting.position)
      do {
        // The fork does not have the entry with which the conversation went back.
        if let target = parting.target { try await fork.append(.goingBack(to: target)) }
        let saved = try await fork.save(list, isCancellable: isCancellable)
        return SaveResult(
          session: fork, appended: saved.appended, revised: [], unbound: saved.unbound)
      } catch {
        // The first error is the one to report.
        _ = try? await handle.delete([fork.id])
        // The list may also change what the fork shares.
        guard let earlier = (error as? KeepsakeError)?.cause as? Diverged,
          earlier.position < parting.position
        else { throw error }
        parting = earlier
      }
    }
  }

  private func save(
    _ list: [SourceEntry], turnAt prompt: Int?, _ draft: Draft?, isCancellable: Bool
  ) async throws -> SaveResult {
    let session = self
    var known = prompt == nil ? try handle.read { db in try db.saved.list(of: number) } : nil
    while true {
      var saving = try await Saving(list, in: self, turnAt: prompt, known: known, ending: draft)
      try await handle.takeIn(&saving, isCancellable: isCancellable)
      do {
        return try await handle.write(
          saving, in: id, bytes: saving.bytes, isCancellable: isCancellable
        ) {
          saving, change in
          try session.save(saving, in: change)
        }
      } catch is Outdated {
        known = nil
      }
    }
  }
}

/// The error for a save that has to be prepared anew, because another save ran between its preparation and its
/// transaction.
private struct Outdated: Error {}

extension Session {
  private func save(_ saving: Saving, in change: Change) throws -> SaveResult {
    var row = try SessionRow(self, in: change.db)
    let first = row.entries
    let alignment = try align(saving, row: row, in: change.db)
    var revised: [Int] = []
    for (index, position) in alignment.matched {
      if try update(position, from: saving, index, row: &row, in: change) {
        revised.append(position)
      }
    }
    for index in alignment.new {
      try saving.list[index].validate()
      let item = PreparedAppend(
        try PreparedEntry(saving.list[index], salt: saving.salt(index)),
        attachments: saving.attachments(index), texts: saving.texts(index))
      _ = try insert(item, row: &row, in: change)
    }
    let added = try EntryReader(self, in: change.db).entries(first..<row.entries)
    let unbound = try bindRuns(to: added, row: &row, in: change).unbound
    let isAnswered = alignment.new.last.map { $0 == saving.list.count - 1 } ?? false
    let last = isAnswered ? row.entries - 1 : alignment.last
    if !alignment.isPart { try remember(saving, position: last, in: change.db) }
    if let draft = saving.draft {
      let answer = saving.list.isEmpty ? nil : last
      try change.locally { [id] change in
        try change.db.drafts.delete(draft.number)
        change.publish(.draftEnded(session: id, draft: draft.id, position: answer))
      }
    }
    if row.entries > first {
      try enqueueForSearch(from: first, in: change.db)
      change.publish(.appended(session: id, positions: first..<row.entries))
    }
    try row.save(in: change.db)
    return SaveResult(
      session: self, appended: first..<row.entries, revised: revised,
      unbound: unbound.map { $0.value(session: id) })
  }

  /// The result of comparing a list with what is stored.
  private struct Alignment {
    /// The entries of the list that are stored, with their positions, except for those that must not be changed.
    var matched: [(index: Int, position: Int)] = []
    /// The indices of the new entries in the list.
    var new: [Int] = []
    /// The position of the last stored entry of the list.
    var last: Int
    /// Tells whether the list lacks a part of the conversation, so that the next list may have more between the same entries.
    var isPart = false
  }

  private func align(_ saving: Saving, row: SessionRow, in db: Tables) throws -> Alignment {
    if let prompt = saving.prompt { return try alignTurn(saving, from: prompt, row: row, in: db) }
    let lanes = Set(saving.list.map(\.lane))
    var known = try savedPrefix(of: saving, row: row, in: db)
    var stored = try storedItems(from: known.position, for: lanes, row: row, in: db)
    if stored.contains(where: { $0.continuesAfter ?? .max < known.position - 1 }) {
      // The conversation went back to before the end of the list that was saved last: the lists are compared from the
      // start.
      known = (0, 0)
      stored = try storedItems(from: 0, for: lanes, row: row, in: db)
    }
    guard known.count >= saving.skipped else { throw Outdated() }
    stored = stored.live(from: known.position)
    for index in stored.indices where stored[index].item.isInstructions {
      stored[index].item.isOptional = true
    }
    let head =
      known.count > 0 ? known.count : saving.list.prefix { $0.kind == .instructions }.count
    let list = saving.list[head...].map {
      SaveAlignment.Item(key: $0.key, fingerprint: $0.fingerprint)
    }
    let matched: [Int]
    switch SaveAlignment.align(list, with: stored.map(\.item)) {
    case .extends(let found): matched = found
    case .diverges(let index, let found):
      for (index, match) in found.enumerated()
      where list[index].fingerprint != stored[match].item.fingerprint {
        let position = stored[match].position
        let entry = try EntryReader(self, in: db).entries(position..<(position + 1))[0]
        if !entry.isErased, saving.list[head + index].differs(from: entry) {
          throw Diverged(position: position, target: nil)
        }
      }
      // A fork shares the instructions before which they part.
      let parting = stored[index...].first { !$0.item.isInstructions }
      throw Diverged(position: parting?.position ?? row.entries, target: parting?.continuesAfter)
    }
    var alignment = Alignment(
      last: matched.last.map { stored[$0].position } ?? known.position - 1)
    let told = try places(
      of: saving.list[known.count..<max(head, known.count)],
      among: stored.filter(\.item.isInstructions).map(\.position), in: db)
    for (index, place) in told.enumerated() {
      switch place {
      case .stored(let position): alignment.matched.append((index, position))
      case .shared: break
      case .new: alignment.new.append(index)
      }
    }
    for (index, match) in matched.enumerated() {
      alignment.matched.append((head + index, stored[match].position))
    }
    alignment.new += saving.list.indices.dropFirst(head + matched.count)
    alignment.isPart = list.isEmpty && known.count == 0
    return alignment
  }

  /// Compares a list that holds one turn alone with what is stored from the turn's prompt on.
  private func alignTurn(
    _ saving: Saving, from prompt: Int, row: SessionRow, in db: Tables
  ) throws -> Alignment {
    let lanes = Set(saving.list.map(\.lane))
    let stored = try storedItems(from: prompt, for: lanes, row: row, in: db)
    let items = saving.list.map { SaveAlignment.Item(key: $0.key, fingerprint: $0.fingerprint) }
    let matched = SaveAlignment.alignTurn(items, with: stored.map(\.item))
    var alignment = Alignment(last: matched.last.map { stored[$0].position } ?? prompt)
    alignment.isPart = true
    for (index, match) in matched.enumerated() {
      alignment.matched.append((index, stored[match].position))
    }
    alignment.new = Array(saving.list.indices.dropFirst(matched.count))
    return alignment
  }

  /// Returns how many entries at the list's beginning are stored, because they were saved last time, and the last
  /// position.
  private func savedPrefix(of saving: Saving, row: SessionRow, in db: Tables) throws -> (
    count: Int, position: Int
  ) {
    guard let position = try db.saved.position(of: number, list: saving.known),
      let known = saving.known
    else { return (0, 0) }
    return position < row.entries ? (known.count, position + 1) : (0, 0)
  }

  private func remember(_ saving: Saving, position: Int, in db: Tables) throws {
    guard position >= 0 else { return }
    try db.saved.store(
      saving.list.count, digest: saving.digest, position: position, of: number)
  }

  /// Returns the stored entries that a list of some lanes is compared with.
  ///
  /// A list does not have the entries of other lanes, so those are left out.
  func storedItems(
    from start: Int, for lanes: Set<String?>?, row: SessionRow, in db: Tables
  ) throws -> [StoredItem] {
    // The app's transcript may lack the entries of turns that ended without an answer.
    let failed = try db.turns.failed(of: number)
    var items: [StoredItem] = []
    items.reserveCapacity(min(row.entries - start, 1 << 16))
    var position = start
    while position < row.entries {
      let end = min(position + Entries.page, row.entries)
      for entry in try EntryReader(self, in: db).entries(position..<end) {
        let isOptional =
          entry.status != .complete || entry.kind == .event || entry.visibility == .person
          || entry.turn.map(failed.contains) ?? false
          || (entry.lane != nil && lanes.map { !$0.contains(entry.lane) } ?? false)
        items.append(
          StoredItem(
            position: entry.position ?? position,
            item: .init(
              key: entry.key, fingerprint: entry.fingerprint, isOptional: isOptional,
              isInstructions: entry.kind == .instructions),
            hasErased: entry.isErased || entry.attachments.contains { $0.state == .erased },
            continuesAfter: entry.continuesAfter))
      }
      position = end
    }
    return items
  }

  /// Updates a stored entry from the list; returns whether its content or its artifacts changed.
  private func update(
    _ position: Int, from saving: Saving, _ index: Int, row: inout SessionRow, in change: Change
  ) throws -> Bool {
    let entry = saving.list[index]
    let stored = try EntryReader(self, in: change.db).entries(position..<(position + 1))[0]
    // It was erased though the app still has it, so that it is gone here.
    if stored.isErased { return false }
    var isChanged = false
    if entry.differs(from: stored) {
      // A list that holds one turn alone never diverges.
      let isOwn = lineage.owner(of: position).session == number
      guard saving.prompt != nil || isOwn && stored.revised(to: entry) != nil else {
        throw Diverged(position: position, target: nil)
      }
      isChanged = try revise(
        position, to: entry, texts: saving.texts(index), salt: saving.salt(index), at: handle.now(),
        row: &row, in: change
      ).isChanged
    }
    if stored.key == nil, entry.key != nil, lineage.owner(of: position).session == number {
      try adopt(entry, at: position, salt: saving.salt(index), row: &row, in: change)
    }
    for attachment in saving.attachments(index) where !stored.has(attachment) {
      let attached = try SearchIndex.changing(lineage.id(of: position), in: change.db) {
        try attach(attachment, position: position, row: &row, in: change)
      }
      change.publish(.attached(session: id, attached))
      isChanged = true
    }
    return isChanged
  }
}

extension Entry {
  /// Tells whether the entry of a list says something else than the stored one. What it leaves open, such as the lane, is the
  /// stored one's.
  fileprivate func differs(from stored: Entry) -> Bool {
    !stored.hasSameContent(as: self) && !stored.isUnchanged(by: self)
  }

  /// Returns whether the entry has an attachment of the same artifact, or had one until it was erased.
  fileprivate func has(_ attachment: PreparedAttachment) -> Bool {
    attachments.contains { known in
      if let artifact = known.artifact { return artifact.id.digest == attachment.artifact?.digest }
      return known.state == .erased
        && [known.label, known.declaredLabel].contains(attachment.new.label)
    }
  }
}
