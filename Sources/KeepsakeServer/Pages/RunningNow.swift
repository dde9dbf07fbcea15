#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The end of a session's page, below its entries: attachments of no entry, open turns, drafts that stream, and tools that run.
struct RunningNow {
  private let drafts: [[UInt8]]
  private let runs: [Invocation]
  private let turns: [Turn]
  /// The attachments that no entry has, or not yet, as they are drawn.
  private let unbound: [UInt8]

  init(of session: Session) async throws {
    let place = EntryRange.place(of: session)
    drafts = try await session.drafts().map { session.drawing(of: $0, in: place) }
    runs = try await session.invocations(running: true)
    turns = try await session.turns(open: true)
    let attachments = try await session.mentionIndex().attachments.filter { $0.position == nil }
    var fragment = EntryFragment(FragmentContext(mentions: MentionIndex([]), place: place))
    if !attachments.isEmpty { fragment.unbound(attachments) }
    unbound = fragment.bytes
  }

  func write(to html: inout HTML) {
    html.drawn(unbound)
    for turn in turns {
      html.begin("p", ["class": "turn"])
      html.text("Turn \(turn.number) is open")
      if let lane = turn.lane {
        html.markup(" in lane ")
        html.element("bdi", text: Phrase.excerpt(lane, limit: 60))
      }
      if let opened = turn.opened {
        html.markup(", since ")
        html.element(
          "time", ["datetime": Phrase.machine(opened), "title": Phrase.time(opened)],
          text: Phrase.minute(opened))
      }
      html.end("p")
    }
    for run in runs {
      html.markup("<div class=\"run\">")
      html.element("bdi", ["class": "tool"], text: Phrase.excerpt(run.name, limit: 80))
      html.begin(
        "progress",
        ["id": "run-\(run.id.text)", "max": "1", "aria-label": "Progress"])
      html.end("progress")
      html.markup("<span class=\"note\"></span></div>")
    }
    for draft in drafts { html.drawn(draft) }
  }
}
