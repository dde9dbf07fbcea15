import Keepsake

/// Follows a conversation through the lines of a session, and notices when a person went back to an earlier place.
///
/// Each line names its parent, which is not always the newest line. Where a model called several tools at the same
/// time, each result follows the line of its call. Lines that the program adds for the person or the model stand
/// beside messages that go on without them. So lines are gathered in steps: a prompt, or a message of the model with
/// the results of its calls, each with the lines beside it. A line whose parent is in the newest step goes on. A line
/// whose parent is in an earlier step goes back to the end of that step.
struct ClaudeCodeChain: Sendable {
  /// A step to which further lines may belong.
  private struct OpenStep: Codable {
    /// The id of the model's message in the step.
    var message: String?
    /// The ids of the calls that no result has answered yet.
    var calls: Set<String> = []
  }

  /// The number of the step that stands before the first message.
  private static let root = 0

  /// The steps of the lines, by the line's uuid; nil for lines that no other line can follow.
  private var lines = NumberedIDs()
  /// The index of each step's last entry in the file, by step.
  private var ends = PackedIntegers([LivePath.beginning])
  /// The newest step, and earlier steps that still wait for results.
  private var open: [Int: OpenStep] = [:]
  private var newest = root
  /// Whether any line named a parent that the file has before it.
  private var isLinked = false

  /// Notes a line that is outside the conversation's chain, or whose place is not known.
  /// - Returns: Whether the line is new.
  mutating func insert(_ uuid: String) -> Bool { lines.insert(uuid, nil) }

  /// Adds a line to the chain.
  /// - Parameters:
  ///   - line: The place that the line claims.
  ///   - entries: The entries of the line.
  ///   - count: The number of entries that the file has before the line.
  /// - Returns: Where the line goes back, the index of the entry after which the conversation goes on, else nil. The
  ///   event that records the going back is one more entry, before those of the line.
  mutating func add(_ line: ClaudeCodePlace, saying entries: [SourceEntry], after count: Int)
    -> Int?
  {
    guard line.isInChain, let uuid = line.uuid else { return nil }
    let before = line.parent.flatMap { lines[$0] }
    // A line without a parent begins the conversation anew only in a file whose other lines name their parents.
    let isBeginning = isLinked && line.parent == nil && line.mayBeLast && !line.isSummary
    if before != nil { isLinked = true }
    // A line whose parent is not in the file is taken to follow the newest step.
    var step = isBeginning ? Self.root : before ?? newest
    guard line.mayBeLast, !line.isSummary, !entries.isEmpty else {
      lines[uuid] = step
      if step == newest, !entries.isEmpty { ends[step] = count + entries.count - 1 }
      return nil
    }
    let target = step == newest ? nil : isBeginning ? LivePath.beginning : ends[step]
    let answers = entries.compactMap(\.entry.callID)
    let belongs =
      open[step].map { open in
        line.isPart(ofMessage: open.message) || answers.contains(where: open.calls.contains)
      } ?? false
    if !belongs {
      step = ends.count
      ends.append(count)
    }
    ends[step] = count + (target == nil ? 0 : 1) + entries.count - 1
    if step != newest, open[newest]?.calls.isEmpty ?? false { open[newest] = nil }
    newest = step
    var now = open[step] ?? OpenStep()
    if line.type == "assistant" { now.message = line.message }
    now.calls.formUnion(entries.flatMap(\.entry.toolCalls).map(\.id))
    now.calls.subtract(answers)
    open[step] = now
    lines[uuid] = step
    return target
  }
}

extension ClaudeCodeChain: Codable {
  /// Whether all steps that the chain names exist. It may have been read from a database, which may be damaged.
  var isPlausible: Bool {
    let steps = 0..<ends.count
    return steps.contains(newest) && open.keys.allSatisfy(steps.contains) && lines.areAll(in: steps)
      && steps.allSatisfy { ends[$0] < EntryCount.range.upperBound }
  }
}
