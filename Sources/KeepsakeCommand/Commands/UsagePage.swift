import Keepsake

/// The summed-up usage of answers, as `stats --by` prints it.
struct UsagePage {
  /// The criterion by which usage is summed up.
  let by: Subject
  let shares: [Usage.Share]

  /// The choices of `--by`.
  enum Subject: String, Sendable, CaseIterable {
    case day, model, session, tool, origin

    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    func grouping(_ terminal: Terminal) -> Usage.Grouping {
      switch self {
      case .model: .model
      case .session: .session
      case .tool: .tool
      case .origin: .origin
      case .day: .day { terminal.secondsAhead?($0) ?? 0 }
      }
    }
  }

  func print(_ terminal: Terminal) throws {
    if shares.isEmpty { return try terminal.line("No answer says what it took.") }
    var table = TextTable([
      .init(heading: by.rawValue.uppercased(), gives: true),
      .init(heading: "ANSWERS", isNumber: true),
      .init(heading: "INPUT", isNumber: true), .init(heading: "CACHED", isNumber: true, leaves: 1),
      .init(heading: "OUTPUT", isNumber: true),
      .init(heading: "REASONING", isNumber: true, leaves: 2),
      .init(heading: "COST", isNumber: true),
    ])
    var all = Usage.Total()
    for share in shares {
      all.add(share.total)
      table.add([name(of: share)] + cells(share.total))
    }
    // An entry that called two tools counts for both, so it would count twice in a sum over tools.
    if shares.count > 1, by != .tool { table.add(["all"] + cells(all)) }
    if by == .day, let width = terminal.width, let line = Sparkline(shares, width: width) {
      try terminal.line(
        "\(terminal.styled(line.first, .faint)) \(line.bars) \(terminal.styled(line.last, .faint))")
    }
    try table.print(terminal)
  }

  private func name(of share: Usage.Share) -> String {
    guard let name = share.name else {
      return switch by {
      case .session: "deleted, in forks"
      case .tool: "no tool"
      default: "unknown"
      }
    }
    return by == .session ? "\(name.prefix(8))  \(share.title ?? "")" : name
  }

  private func cells(_ total: Usage.Total) -> [String] {
    let counts = [
      total.entries, total.input, total.cachedInput, total.output, total.reasoning,
    ]
    let costs = total.costs.map { "\(Words.money($0.amount)) \($0.currency)" }
    return counts.map { $0 == 0 ? "" : $0.grouped } + [costs.joined(separator: ", ")]
  }
}

extension JSONWriter {
  mutating func write(_ page: UsagePage) {
    beginObject()
    fixed("by", page.by.rawValue)
    key("usage")
    array(page.shares) { $1.write($0) }
    endObject()
  }
}
