#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The conversation of one program, which is healed when it is read.
protocol RescuedConversation: Sendable {
  static var format: String { get }
  static var program: String { get }
  static var usualLimits: RescueLimits { get }
  /// Whether a file whose format can't be told is one of its own all the same.
  static func recognises(_ head: FileHead) -> Bool

  init(_ file: ForeignFile, options: RescueOptions, limits: RescueLimits) throws

  var report: RescueReport { get set }

  // What it takes to be healed.

  /// The number of a line of the file.
  func number(_ line: Int) -> Int
  /// The numbers of the lines around which zero bytes stand.
  var padded: [Int] { get }
  mutating func extent() throws -> RescueReport.Extent
  /// The request that failed at the end, where nothing has come since.
  func complaint() throws -> (line: Int, text: String)?
  /// What is to be done next: of the kinds of things that go wrong the first of which there is something, as what comes
  /// later can only be told once what comes before is healed.
  mutating func remedies() throws -> [Remedy]
  mutating func change(_ round: RemedyRound) throws
  /// What is wrong, whether or not there is a remedy.
  mutating func faults() throws -> [RescueReport.Finding]

  // The healed file.

  func fileName(_ id: UUID, at time: Date) -> String
  func id(inFileName name: String) -> UUID?
  func resuming(_ id: UUID) -> String
  /// The folder that lies beside a file, where there may be one.
  func sideFolder(of path: String) -> String?
  func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws
}

extension RescuedConversation {
  static func recognises(_ head: FileHead) -> Bool { false }

  func sideFolder(of path: String) -> String? { nil }

  /// Each round heals something, and few things hide others behind them.
  private static var rounds: Int { 100 }

  /// Looks for what is wrong, changes that, and looks again, until there is nothing left that can be healed.
  mutating func heal() throws {
    report.before = try extent()
    report.complaint = try complaint().map { (number($0.line), $0.text) }
    report.note(padded: padded)
    for _ in 0..<Self.rounds {
      let remedies = try remedies()
      guard !remedies.isEmpty else { break }
      let round = RemedyRound(remedies)
      for remedy in round.accepted { report.note(remedy, number: number) }
      try change(round)
    }
    report.unhealed = try faults()
    report.findings += report.unhealed
    report.sort()
    report.after = try extent()
  }
}

/// The numbers of the images and documents that are still there, by their lines: they stay what they are when others become
/// labels.
struct MediaNumbers: Sendable {
  private var numbers: [Int: [Int]] = [:]
  private var counts = (images: 0, documents: 0)

  /// Numbers the next one, in the order in which they are sent.
  mutating func add(isImage: Bool, line: Int) {
    if isImage { counts.images += 1 } else { counts.documents += 1 }
    numbers[line, default: []].append(isImage ? counts.images : counts.documents)
  }

  subscript(line: Int, index: Int) -> Int {
    let known = numbers[line] ?? []
    return known.indices.contains(index) ? known[index] : 0
  }

  /// Forgets those that became labels.
  mutating func remove(in round: RemedyRound) {
    // From the last one of a line on, as each moves those behind it.
    for (line, index, _) in round.accepted.compactMap(\.label).sorted(by: { $0.index > $1.index }) {
      if numbers[line]?.indices.contains(index) ?? false { numbers[line]?.remove(at: index) }
    }
  }
}
