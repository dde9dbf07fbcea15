import Keepsake

/// Follows the conversation through the lines of a session as they come, and notices when a line goes on from elsewhere
/// than where the conversation stands: then a person went back.
///
/// Each line names the one before it, and that is not always the newest. Where a model called several tools at the same
/// time, each result follows the line of its call. What the program tells a person, and what it adds for the model,
/// stands beside messages that go on without it. So lines are gathered in steps: a prompt, or a message of the model
/// with the results of its calls, each with what stands beside it. A line that follows any line of the newest step goes
/// on, and one that follows an earlier step goes back to the end of that.
struct ClaudeCodeChain: Sendable {
  /// What a step may still get.
  private struct OpenStep: Codable {
    /// The id of the model's message that it is.
    var message: String?
    /// The ids of the calls that no result has answered yet.
    var calls: Set<String> = []
  }

  /// What stands before the first message.
  private static let root = 0

  /// The steps of the lines, by uuid; nil for lines that no other can follow.
  private var lines = NumberedIDs()
  /// By step: its last entry, among all of the file.
  private var ends = PackedIntegers([LivePath.beginning])
  /// The newest step, and those that wait for results.
  private var open: [Int: OpenStep] = [:]
  private var newest = root
  /// Whether any line named one that stands before it.
  private var isLinked = false

  /// Notes a line that is no part of the conversation's chain, or of which that is not known.
  /// - Returns: Whether it is new.
  mutating func insert(_ uuid: String) -> Bool { lines.insert(uuid, nil) }

  /// Goes on with a line.
  /// - Parameters:
  ///   - line: Where it says that it stands.
  ///   - entries: What it says.
  ///   - count: How many entries the file has before it.
  /// - Returns: Where the line goes back, the entry after which the conversation goes on. The event that says so is one
  ///   more entry of the file, and stands before those of the line.
  mutating func add(_ line: ClaudeCodePlace, saying entries: [SourceEntry], after count: Int)
    -> Int?
  {
    guard line.isInChain, let uuid = line.uuid else { return nil }
    let before = line.parent.flatMap { lines[$0] }
    // A line without a parent begins the conversation anew only in a file whose other lines name their parents.
    let isBeginning = isLinked && line.parent == nil && line.mayBeLast && !line.isSummary
    if before != nil { isLinked = true }
    // What names a line that is not there is taken to follow what stands before it.
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
  /// Whether all that it names is there: it may have been read from a database.
  var isPlausible: Bool {
    let steps = 0..<ends.count
    return steps.contains(newest) && open.keys.allSatisfy(steps.contains) && lines.areAll(in: steps)
      && steps.allSatisfy { ends[$0] < EntryCount.range.upperBound }
  }
}
