#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// An audit as text for people, from the artifact step by step back to the prompt.
struct AuditPage {
  let terminal: Terminal

  func trail(_ trail: Audit.Trail) throws {
    let facts = [
      trail.sniffedType.description, trail.pixelSize?.description, Words.size(trail.size),
      Words.count(trail.attachments.count, "attachment"),
    ].compactMap { $0 }
    try terminal.line(terminal.styled(trail.artifact.description, .heading))
    try say(facts.joined(separator: ", "), indent: 0, style: .faint)
    for place in trail.attachments {
      try terminal.line()
      try occurrence(place)
    }
    if !trail.madeFrom.isEmpty {
      try terminal.line()
      try terminal.line(terminal.styled("Made from", .strong))
      for input in trail.madeFrom {
        try say(
          input.artifact?.description
            ?? "entry \(input.position ?? 0) of session \(input.session.text)",
          indent: 2)
      }
    }
    if !trail.madeInto.isEmpty {
      try terminal.line()
      try terminal.line(terminal.styled("Made into", .strong))
      for product in trail.madeInto {
        try say(
          [product.artifact?.description ?? product.state.rawValue, product.tool, product.label]
            .compactMap { $0 }.joined(separator: "  "), indent: 2)
      }
    }
  }

  func report(_ report: Audit.SessionReport) throws {
    try say(report.title ?? "A session without a title", indent: 0, style: .heading)
    try say(
      "\(report.session.text) · \(Words.count(report.attachments.count, "attachment"))",
      indent: 0, style: .faint)
    try say(
      "head \(report.head) after \(Words.count(report.changes, "change"))", indent: 0, style: .faint
    )
    for place in report.attachments {
      try terminal.line()
      try occurrence(place)
    }
    var missing: [(what: String, of: String)] = []
    for call in report.callsWithoutOutput {
      missing.append(
        ("no output", "\(call.tool) \(call.arguments ?? "") (entry \(call.position))"))
    }
    for run in report.unendedInvocations {
      missing.append(("never ended", "\(run.name) \(run.description.arguments ?? "")"))
    }
    for run in report.unboundInvocations {
      missing.append(("call unknown", "\(run.name) \(run.description.arguments ?? "")"))
    }
    if !missing.isEmpty { try terminal.line() }
    for (what, subject) in missing {
      let text = Terminal.oneLine(subject)
      let room = terminal.width.map { max(12, $0 - what.count - 2) }
      try terminal.line(
        "\(terminal.styled(what, .bad))  \(room.map { text.fitting($0) } ?? text)")
    }
  }

  static let productColumns: [TextTable.Column] = [
    .init(heading: "ARTIFACT", style: .code), .init(heading: "TYPE", leaves: 2),
    .init(heading: "SIZE", isNumber: true, leaves: 3), .init(heading: "SESSION", style: .code),
    .init(heading: "ENTRY", isNumber: true, leaves: 1), .init(heading: "LABEL", gives: true),
    .init(heading: "CALL", leaves: 5), .init(heading: "BASIS", leaves: 4),
    .init(heading: "AGE", isNumber: true, leaves: 6, style: .faint),
    .init(heading: "STATE", leaves: 1),
  ]

  static func row(_ product: Audit.Product, now: Date) -> [String] {
    [
      product.artifact.map { Words.short($0) } ?? "", product.mediaType?.description ?? "",
      product.size.map { Words.size($0) } ?? "", Words.short(product.session),
      product.position.map(String.init) ?? "", product.label,
      product.callID.map { String($0.prefix(8)) } ?? "", product.basis.rawValue,
      Words.age(of: product.created, at: now),
      product.state == .present ? "" : product.state.rawValue,
    ]
  }

  // MARK: - One place

  private func occurrence(_ place: Audit.Occurrence) throws {
    let title = Terminal.oneLine(place.title ?? "a session without a title")
    let facts = [
      place.position.map { "entry \($0)" }, place.turn.map { "turn \($0)" },
      place.lane.map { "lane \($0)" }, place.state == .present ? nil : place.state.rawValue,
      Words.time(place.created, terminal),
    ].compactMap { $0 }.joined(separator: ", ")
    let label = Terminal.oneLine(place.label)
    let room = terminal.width.map { max(12, $0 - label.columns - 2) }
    let rest = room.map { Terminal.oneLine(facts).fitting($0) } ?? Terminal.oneLine(facts)
    try terminal.line(
      "\(terminal.styled(label, .good))  \(terminal.styled(rest, .faint))")
    if let caption = place.caption { try say("“\(caption)”", indent: 2) }
    let maker = [
      place.maker.name ?? place.tool, place.maker.implementation, place.maker.version,
      place.maker.model, place.maker.parameters, place.arguments,
    ].compactMap { $0 }
    let kind = place.maker.kind
    try say("← \(maker.isEmpty ? Self.name(of: kind) : maker.joined(separator: " "))", indent: 2)
    try say("\(place.basis.rawValue): \(place.basisReason)", indent: 4, style: .faint)
    if let call = place.callID ?? place.call?.id {
      try say("call \(call)", indent: 4, style: .faint)
    }
    if let reference = place.reference { try say("it said \(reference)", indent: 4, style: .faint) }
    for input in place.inputs {
      switch input {
      case .artifact(let id): try say("← made from \(id)", indent: 2)
      case .entry(let position): try say("← made from entry \(position)", indent: 2)
      }
    }
    if let prompt = place.prompt {
      try say("← “\(prompt.text)” (entry \(prompt.position))", indent: 2)
    }
    try say("← session “\(title)” \(place.session.text)", indent: 2)
    let source = [place.recordedBy.file, place.recordedBy.digest.map { "sha256:\($0)" }]
      .compactMap { $0 }
    if !source.isEmpty {
      try say("imported from \(source.joined(separator: ", "))", indent: 4, style: .faint)
    }
    try say(
      "change \(place.link.change) of \(place.link.changes), \(place.link.digest)", indent: 4,
      style: .faint)
  }

  private static func name(of maker: Entry.Attachment.Maker) -> String {
    switch maker {
    case .toolCall: "a tool call"
    case .step: "a step of the app"
    case .response: "the model's response"
    case .user: "given by the user"
    case .source: "an import"
    }
  }

  /// Prints a text, folded to the terminal's width and indented.
  func say(_ text: String, indent: Int, style: Terminal.Style? = nil) throws {
    let margin = String(repeating: " ", count: indent)
    for line in Terminal.oneLine(text).folded(to: terminal.width.map { $0 - indent }) {
      try terminal.line(margin + (style.map { terminal.styled(line, $0) } ?? line))
    }
  }
}
