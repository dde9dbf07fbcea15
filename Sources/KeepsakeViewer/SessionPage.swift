#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake

/// Writes the page of a session: the frame, the entries, and the table of makers.
struct SessionPage {
  let session: Session
  let summary: Session.Summary
  let report: Audit.SessionReport
  let plan: PagePlan
  let context: FragmentContext
  let generator: String
  private var state = FragmentState()
  private var output: PageOutput

  init(of session: Session, _ options: PageOptions, output: PageOutput) async throws {
    self.session = session
    self.output = output
    summary = try await session.summary()
    report = try await session.audit()
    let mentions = try await session.mentionIndex()
    plan = try await PagePlan(of: session, mentions: mentions)
    generator = options.generator
    context = FragmentContext(
      mentions: mentions, place: FragmentPlace(options), homes: plan.homes,
      revisions: try await session.revisionCounts())
  }

  mutating func write() async throws {
    try await output.write(PageFrame.head(title: title, runsScript: context.place.runsScript))
    try await output.write(
      PageFrame.header(
        summary, title: title, hasTimes: try await session.hasTimes()))
    try await output.write(plan.outline.html)
    try await output.write(PageFrame.beginning)
    try await conversation()
    try await remainder()
    try await output.write(MakersTable(report: report, state: state).html)
    try await output.write(PageFrame.footer(report, summary, generator: generator))
    try output.flush()
  }

  private var title: String { summary.title ?? summary.preview ?? "A session without a title" }

  // MARK: - Entries

  private mutating func conversation() async throws {
    try await write {
      $0.html.markup("<section id=\"conversation\" aria-label=\"Conversation\">\n")
    }
    var waiting = context.mentions.attachments.filter { $0.position == nil }[...]
    var day: String?
    for try await entry in session.entries {
      guard let position = entry.position, position < plan.entries else { break }
      if plan.folded.contains(position) { continue }
      // An attachment that a turn made and that no entry has is shown at the end of its turn.
      while let first = waiting.first, (first.turn ?? 0) < (entry.turn ?? 0) {
        waiting.removeFirst()
        try await write { $0.unbound([first]) }
      }
      let today = entry.created.map(Phrase.day)
      if today != day || position == 0 {
        day = today
        try await write { $0.html.day(today) }
      }
      var outputs: [EntryFragment.Output] = []
      for (ordinal, position) in plan.outputs[position] ?? [] {
        outputs.append(.init(ordinal: ordinal, entry: try await session.entry(at: position)))
      }
      try await write { $0.entry(entry, outputs: outputs) }
    }
    if plan.entries == 0 {
      try await write { $0.html.markup("<p class=\"note\">This session has no entries.</p>\n") }
    }
    for attachment in waiting { try await write { $0.unbound([attachment]) } }
    for draft in try await session.drafts() { try await write { $0.draft(draft) } }
    try await write { $0.html.markup("</section>\n") }
  }

  /// Writes the attachments that were not shown with any entry.
  private mutating func remainder() async throws {
    let rest = context.mentions.attachments.filter { !state.used.contains($0.recording) }
    if rest.isEmpty { return }
    try await write { $0.html.markup("<section class=\"remainder\"><h2>Also attached</h2>\n") }
    for attachment in rest { try await write { $0.loose([attachment]) } }
    try await write { $0.html.markup("</section>\n") }
  }

  /// Writes a fragment. If the bytes of artifacts in it can't be read, the fragment is written again without them.
  private mutating func write(_ body: (inout EntryFragment) -> Void) async throws {
    while true {
      var fragment = EntryFragment(context)
      swap(&fragment.state, &state)
      body(&fragment)
      swap(&fragment.state, &state)
      let unreadable = try await unreadable(in: fragment.html)
      guard unreadable.isEmpty else {
        state.takeBack()
        state.unreadable.merge(unreadable) { _, new in new }
        continue
      }
      state.keep()
      fragment.html.markup("\n")
      return try await output.write(fragment.html)
    }
  }

  /// All artifacts in a fragment whose bytes can't be read, with reasons, so that the fragment is written again only
  /// once.
  private func unreadable(in html: HTML) async throws -> [Artifact.ID: String] {
    var found: [Artifact.ID: String] = [:]
    for slot in html.slots {
      do {
        _ = try await slot.artifact.data(in: 0..<max(0, min(1, slot.artifact.size)))
      } catch let error as KeepsakeError
        where error.code == .artifactMissing || error.code == .artifactDamaged
      {
        found[slot.artifact.id] = error.message
      }
    }
    return found
  }
}

extension EntryFragment {
  /// Writes attachments that belong to no entry.
  package mutating func unbound(_ attachments: [Entry.Attachment]) {
    html.begin("article", ["class": "entry unbound"])
    html.markup("<header><h3><span class=\"role\">Attached, in no entry</span></h3>")
    if let turn = attachments.first?.turn {
      html.element("span", ["class": "mark"], text: "turn \(turn)")
    }
    html.markup("</header>")
    loose(attachments)
    html.end("article")
  }
}
