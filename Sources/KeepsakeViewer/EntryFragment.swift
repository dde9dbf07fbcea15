#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake

/// Writes entries as HTML, for a page and for anything else that shows a session.
///
/// Writing needs no access to the store: a slot marks the place of an artifact's bytes, and is filled when the HTML
/// is output. Where artifacts are served there are no slots, and ``bytes`` is all. ``Keepsake/Session/drawing(of:in:)``
/// draws the entries of a session; a fragment draws what a caller has in hand.
package struct EntryFragment {
  let context: FragmentContext
  var state: FragmentState
  var html = HTML()
  /// The position of the entry that is being written. An output that is shown with its call counts as the call's
  /// entry.
  var position: Int?
  /// Attachments that a text named inside of a link, where they can't be shown.
  var postponed: [Entry.Attachment] = []

  /// Creates an empty fragment.
  package init(_ context: FragmentContext) {
    self.context = context
    state = FragmentState()
  }

  /// The fragment as UTF-8, without the bytes of artifacts that stand in a page.
  package var bytes: [UInt8] { html.bytes }

  /// Writes an entry. Outputs that are shown with their calls are given as well.
  package mutating func entry(_ entry: Entry, outputs: [Output] = []) {
    position = entry.position
    html.begin(
      "article",
      [
        "class": entry.kind.cssClass, "id": entry.position.map { "entry-\($0)" },
        "data-for": entry.visibility == .everyone ? nil : entry.visibility.rawValue,
      ])
    head(of: entry)
    if entry.isErased {
      html.element(
        "p", ["class": "note"],
        text: "The content of this entry was erased. It keeps its place and its digest.")
    } else {
      switch entry.kind {
      case .toolCalls:
        calls(of: entry, outputs: outputs)
        body(of: entry)
      case .reasoning:
        fold("", Phrase.excerpt(entry.text, limit: 160)) { $0.body(of: entry) }
      case .toolOutput:
        fold("Output", Phrase.excerpt(entry.text, limit: 120)) { $0.body(of: entry) }
      default: body(of: entry)
      }
    }
    attachments(of: entry)
    html.end("article")
  }

  /// Writes an entry that is still streaming, or that a crash interrupted.
  package mutating func draft(_ draft: Draft.Snapshot) {
    position = nil
    var entry = Entry(draft.kind, segments: [.text(draft.text)], created: draft.created)
    entry.status = draft.isInterrupted ? .interrupted : .complete
    html.begin("article", ["class": "\(draft.kind.cssClass) draft"])
    head(of: entry, isDraft: true)
    body(of: entry)
    html.end("article")
  }

  // MARK: - Head

  /// Writes the heading of an entry, with its author and time, outside of the entry's own content.
  private mutating func head(of entry: Entry, isDraft: Bool = false) {
    html.begin("header")
    html.element("h3") { html in
      html.element("span", ["class": "role"], text: Self.heading(of: entry))
      let name = entry.author ?? (entry.kind == .response ? entry.model : nil)
      if let name {
        html.markup(" ")
        html.element("bdi", ["class": "who"], text: name)
      }
    }
    for mark in Self.marks(of: entry, isDraft: isDraft) {
      html.element("span", ["class": "mark"], text: mark)
    }
    if let position = entry.position, let count = context.revisions[position] {
      let url = context.place.revisionsURL?(position)
      let attributes: HTML.Attributes = [
        "class": "mark", "title": "The store keeps what it said before.", "href": url,
      ]
      html.element(
        url == nil ? "span" : "a", attributes,
        text: "revised \(count == 1 ? "once" : "\(count) times")")
    }
    if context.place.showsTurns, entry.kind == .prompt, let turn = entry.turn {
      html.element("span", ["class": "mark turn"], text: "turn \(turn)")
    }
    if let lane = entry.lane {
      html.element("span", ["class": "mark"]) {
        $0.markup("lane ")
        $0.element("bdi", text: lane)
      }
    }
    for tag in entry.tags { html.element("bdi", ["class": "mark tag"], text: tag) }
    html.minute(of: entry.created)
    if let position = entry.position {
      html.element(
        "a",
        [
          "class": "position", "href": context.place.entryURL(position),
          "aria-label": "Entry \(position), link to it",
        ], text: String(position))
    }
    html.end("header")
  }

  private static func heading(of entry: Entry) -> String {
    entry.kind == .toolCalls && entry.toolCalls.count == 1 ? "Tool call" : entry.kind.heading
  }

  private static func marks(of entry: Entry, isDraft: Bool) -> [String] {
    var marks: [String] = []
    if isDraft { marks.append(entry.status == .interrupted ? "draft" : "still streaming") }
    if let continuation = entry.continuation { marks.append(continuation) }
    if entry.isErased { marks.append("erased") }
    if entry.status != .complete { marks.append(entry.status.rawValue) }
    switch entry.visibility {
    case .everyone: break
    case .person: marks.append("for the person alone")
    case .model: marks.append("for the model alone")
    }
    return marks
  }

  /// Writes content that is folded until a reader opens it.
  mutating func fold(
    _ title: String, _ detail: String, class name: String = "fold",
    _ body: (inout EntryFragment) -> Void
  ) {
    html.begin("details", ["class": name])
    html.element("summary") { html in
      if !title.isEmpty { html.element("span", ["class": "title"], text: title) }
      if !detail.isEmpty {
        html.markup(" ")
        html.element("bdi", ["class": "detail"], text: detail)
      }
    }
    body(&self)
    html.end("details")
  }
}
