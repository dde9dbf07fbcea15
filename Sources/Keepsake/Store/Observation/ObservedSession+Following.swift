#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObservedSession {
  /// Reads everything that is shown anew.
  func load() async {
    await reading {
      show(try await session.observed(max(page, entries.count), before: nil, filter))
    }
  }

  private func show(_ stored: ObservedState) {
    show(stored.entries)
    let streaming = stored.drafts.map { draft in
      // A draft that streams in this process may be ahead of its stored text.
      let shown = self.drafts.first { $0.id == draft.id }
      guard let shown, !draft.isInterrupted else { return draft }
      return shown.text.utf8.count > draft.text.utf8.count ? shown : draft
    }
    if drafts != streaming { drafts = streaming }
    if turns != stored.turns { turns = stored.turns }
    let known = runs
    let runs = stored.runs.map { run in
      var run = run
      if let old = known.first(where: { $0.id == run.id }) {
        run.fraction = old.fraction
        run.note = old.note
      }
      return run
    }
    if runs != known { self.runs = runs }
    if title != stored.title { title = stored.title }
    if !isLoaded { isLoaded = true }
  }

  /// Shows stored entries, and changes only the shown entries that differ.
  private func show(_ stored: [Entry]) {
    guard let first = stored.first?.position else {
      window = []
      if !entries.isEmpty { entries = [] }
      if hasEarlier { hasEarlier = false }
      return
    }
    let end = first + stored.count
    // If the session became shorter, or there is a gap before the new entries, no shown entry can stay.
    if window.isEmpty || firstPosition + window.count > end || firstPosition + window.count < first
    {
      window = stored
      let shown = stored.filter(filter.shows)
      if entries != shown { entries = shown }
    } else {
      var added: [Entry] = []
      for (position, entry) in zip(first..., stored) where position >= firstPosition {
        if position - firstPosition >= window.count + added.count {
          added.append(entry)
        } else {
          replace(entry, at: position)
        }
      }
      window += added
      let shown = added.filter(filter.shows)
      if !shown.isEmpty { entries += shown }
    }
    if hasEarlier != (firstPosition > 0) { hasEarlier.toggle() }
  }

  private func replace(_ entry: Entry, at position: Int) {
    let index = position - firstPosition
    guard window.indices.contains(index), window[index] != entry else { return }
    let wasShown = filter.shows(window[index])
    window[index] = entry
    guard wasShown, filter.shows(entry) else {
      if wasShown || filter.shows(entry) { entries = window.filter(filter.shows) }
      return
    }
    if let shown = entries.firstIndex(where: { $0.position == position }) { entries[shown] = entry }
  }

  func apply(_ event: StoreEvent) async {
    switch event {
    case .appended: await readOn()
    case .revised(_, let position): await readAgain(position)
    case .attached(_, let attachment), .bound(_, let attachment):
      update(attachment)
      if let position = attachment.position { await readAgain(position) }
    case .draft(_, let draft): update(draft)
    case .draftEnded(_, let id, _): drafts.removeAll { $0.id == id }
    case .invoked(_, let invocation): update(invocation)
    case .progress(_, let id, let fraction, let note):
      guard let index = runs.firstIndex(where: { $0.id == id }) else { return }
      runs[index].fraction = fraction
      runs[index].note = note
    case .turn(_, let turn): update(turn)
    case .renamed:
      await reading {
        let title = try await session.summary().title
        if self.title != title { self.title = title }
      }
    case .deleted:
      isDeleted = true
      window = []
      entries = []
      drafts = []
      turns = []
      runs = []
      hasEarlier = false
    case .changedElsewhere: await load()
    case .created: break
    }
  }

  /// Reads the entries after the last one that was read.
  private func readOn() async {
    await reading {
      while true {
        let last = firstPosition + window.count - 1
        let new = try await session.entries(after: last, count: 256)
        if new.isEmpty { return }
        show(new)
        for entry in new {
          guard let number = entry.turn, !turns.contains(where: { $0.number == number }) else {
            continue
          }
          update(Turn(number: number, lane: entry.lane, begunAt: entry.created))
        }
        if new.count < 256 { return }
      }
    }
  }

  private func readAgain(_ position: Int) async {
    guard window.indices.contains(position - firstPosition) else { return }
    await reading { replace(try await session.entry(at: position), at: position) }
  }

  private func update(_ draft: Draft.Snapshot) {
    // The draft may have become an entry before this event arrived.
    if !filter.shows(draft) || window.contains(where: { $0.id == draft.id }) { return }
    if let index = drafts.firstIndex(where: { $0.id == draft.id }) {
      drafts[index] = draft
    } else {
      drafts.append(draft)
    }
  }

  private func update(_ turn: Turn) {
    guard filter.shows(lane: turn.lane) else { return }
    if let index = turns.firstIndex(where: { $0.number == turn.number }) {
      if turns[index] != turn { turns[index] = turn }
    } else {
      let index = turns.firstIndex { $0.number > turn.number } ?? turns.endIndex
      // A turn that is older than all turns shown is added later, when its entries are loaded.
      if index > 0 || turns.isEmpty || !hasEarlier { turns.insert(turn, at: index) }
    }
  }

  private func update(_ invocation: Invocation) {
    if let index = runs.firstIndex(where: { $0.id == invocation.id }) {
      runs[index].invocation = invocation
    } else if filter.shows(lane: turns.last { $0.number == invocation.turn }?.lane) {
      runs.append(Run(invocation: invocation, attachments: []))
    }
  }

  /// Shows an attachment with the invocation that made it, even before an entry has it.
  private func update(_ attachment: Entry.Attachment) {
    guard let index = runs.firstIndex(where: { $0.id == attachment.invocation }) else { return }
    if let old = runs[index].attachments.firstIndex(where: { $0.id == attachment.id }) {
      runs[index].attachments[old] = attachment
    } else {
      runs[index].attachments.append(attachment)
    }
  }

  func reading(_ body: () async throws -> Void) async {
    do {
      try await body()
      if error != nil { error = nil }
    } catch let failure as KeepsakeError {
      error = failure
    } catch {
      // Only a cancelled task gets here, and nobody waits for its result.
    }
  }
}
