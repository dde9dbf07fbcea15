import KeepsakeFiles
import Keepsake

/// A session that is followed, as text for people; drafts and running invocations are redrawn at the bottom.
struct TextFollowingPage: FollowingPage {
  private let page: TextEntryPage
  private let terminal: Terminal
  /// The lines at the bottom that are redrawn.
  private var drawn: [String] = []

  init(page: TextEntryPage) {
    self.page = page
    terminal = page.terminal
  }

  mutating func begin(_ session: Session.Summary) throws { try page.begin(session) }

  mutating func entry(_ entry: Entry) async throws {
    try clear()
    try await page.entry(entry, isFirst: false)
  }

  mutating func revised(_ entry: Entry) async throws {
    try clear()
    try page.text(entry, mark: entry.isErased ? "erased" : "revised")
    for attachment in entry.attachments where attachment.direction != .content {
      try await page.card(attachment)
    }
  }

  mutating func attached(_ attachment: Entry.Attachment) async throws {
    try clear()
    if let position = attachment.position {
      try terminal.line()
      try terminal.line(
        "\(TextEntryPage.margin)\(terminal.styled("attached to entry \(position)", .faint))")
    }
    try await page.card(attachment)
  }

  mutating func ended(_ invocation: Invocation) throws {
    // The output of a finished invocation is an entry, but a failure may be told nowhere else.
    guard let outcome = invocation.outcome, outcome != .finished else { return }
    try clear()
    let text = [outcome.rawValue, invocation.detail].compactMap { $0 }.joined(separator: ": ")
    try terminal.line()
    try terminal.line(line("× \(invocation.name)", text, .bad))
  }

  mutating func deleted() throws {
    try clear()
    try terminal.note("The session was deleted.")
  }

  mutating func live(_ state: LiveState) throws {
    guard let height = terminal.height else { return }
    let lines = try lines(of: state)
    // The newest lines are shown if there are too many. Two lines are left for the text above and for the cursor.
    let shown = Array(lines.suffix(max(1, height - 2)))
    if shown == drawn { return }
    let text = erasing + shown.map { "\($0)\n" }.joined()
    try terminal.output(Array(text.utf8))
    drawn = shown
  }

  // MARK: - At the bottom

  private var erasing: String { drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)A\r\u{1B}[J" }

  private mutating func clear() throws {
    guard !drawn.isEmpty else { return }
    try terminal.output(Array(erasing.utf8))
    drawn = []
  }

  private func lines(of state: LiveState) throws -> [String] {
    var lines: [String] = []
    for draft in state.drafts {
      var entry = Entry(draft.kind, segments: [], id: draft.id, created: draft.created)
      // Text that does not fit the screen need not be laid out.
      let most = (terminal.width ?? 80) * (terminal.height ?? 24)
      entry.segments = [.text(String(draft.text.suffix(most)))]
      if draft.isInterrupted { entry.status = .interrupted }
      let written = Locked<[UInt8]>([])
      var page = TextEntryPage(
        terminal: terminal.writing { bytes in written.withLock { $0 += bytes } }, showsAll: true)
      page.isRaw = self.page.isRaw
      try page.text(entry, mark: draft.isInterrupted ? nil : "streaming")
      let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    }
    if !state.runs.isEmpty { lines.append("") }
    for run in state.runs {
      let share = run.fraction.map { "\(Int((min(1, max(0, $0)) * 100).rounded())) %" }
      let text = [share, run.note].compactMap { $0 }.joined(separator: " ")
      lines.append(line("⋯ \(run.invocation.name)", text, .code))
    }
    return lines
  }

  private func line(_ name: String, _ text: String, _ style: Terminal.Style) -> String {
    let room = terminal.width.map { max(12, $0 - TextEntryPage.margin.count) } ?? .max
    let name = Terminal.oneLine(name).fitting(room)
    let rest = Terminal.oneLine(text).fitting(max(1, room == .max ? room : room - name.columns - 1))
    return "\(TextEntryPage.margin)\(terminal.styled(name, style)) \(rest)"
  }
}
