#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The layout of the demonstration's output.
struct DemoPage: Sendable {
  let terminal: Terminal
  private let steps = Locked(0)

  init(terminal: Terminal) { self.terminal = terminal }

  /// Begins a step with a title and the calls that the step makes.
  func step(_ title: String, @CallsBuilder calls: () -> [String]) throws {
    let number = steps.withLock { number in
      number += 1
      return number
    }
    if number > 1 { try terminal.line() }
    try terminal.line(terminal.styled("\(number). \(title)", .heading))
    for call in calls() {
      try terminal.line("   \(terminal.styled(Terminal.printable(call), .code))")
    }
  }

  /// Collects the calls of a step, one on each line.
  @resultBuilder
  enum CallsBuilder {
    static func buildBlock(_ calls: String...) -> [String] { calls }
  }

  func say(_ text: String) throws { try terminal.line("   \(Terminal.printable(text))") }

  func fact(_ name: String, _ value: String) throws {
    try terminal.line("   \(terminal.styled(name, .strong))  \(Terminal.printable(value))")
  }

  func verdict(_ isGood: Bool, _ text: String) throws {
    try terminal.line("   \(terminal.styled(isGood ? "✓" : "✗", isGood ? .good : .bad)) \(text)")
  }

  /// Prints an entry on one line, with its position, kind and text.
  func entry(_ entry: Entry) throws {
    let text =
      entry.kind == .toolCalls
      ? entry.toolCalls.map { "\($0.tool) \($0.arguments)" }.joined(separator: ", ") : entry.text
    let position = entry.position.map(String.init) ?? "-"
    let kind = entry.kind.name
    let gap = String(repeating: " ", count: max(1, 13 - kind.count))
    try terminal.line(
      "   \(terminal.styled(position, .faint))  \(terminal.styled(kind, .strong))\(gap)\(Terminal.printable(text))"
    )
  }

  /// Prints a reloaded image, with its label, type, pixels and size, and a file to open.
  func card(_ attachment: Entry.Attachment, file: URL) throws {
    let artifact = attachment.artifact
    let facts = [
      artifact?.sniffedType.description, artifact?.pixelSize?.description,
      artifact.map { "\($0.size) bytes" }, attachment.caption,
    ].compactMap { $0 }
    let margin = String(repeating: " ", count: 19)
    try terminal.line(
      "\(margin)\(terminal.styled(attachment.label, .good))  \(Terminal.printable(facts.joined(separator: ", ")))"
    )
    try terminal.line(
      "\(margin)\(terminal.styled(Terminal.printable(file.absoluteString), .faint))")
  }

  /// Prints the chain from an artifact back to the prompt of a person.
  func chain(_ place: Audit.Occurrence) throws {
    let name = place.artifact?.description ?? place.label
    try say("\(name.prefix(19))…  (\(place.label))")
    try say("  ← \(place.tool ?? place.maker.kind.rawValue) \(place.arguments ?? "")")
    try terminal.line(
      "       \(terminal.styled("\(place.basis.rawValue): \(place.basisReason)", .faint))")
    if let prompt = place.prompt { try say("  ← “\(prompt.text)”  (turn \(place.turn ?? 0))") }
    try say("  ← session “\(place.title ?? place.session.text)”")
  }

  /// This terminal with a margin, for a report inside of a step.
  var indented: Terminal { terminal.indented(by: "   ") }

  func end(path: String) throws {
    try terminal.line()
    try terminal.line("The store is at \(Terminal.printable(path))")
  }
}
