#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A conversation of one program, which is healed when it is read.
protocol RescuedConversation: Sendable {
  static var format: String { get }
  static var program: String { get }
  static var usualLimits: RescueLimits { get }
  /// Returns whether a file whose format can't be detected is a file of this program.
  static func recognises(_ head: FileHead) -> Bool

  init(_ file: ForeignFile, options: RescueOptions, limits: RescueLimits) throws

  var report: RescueReport { get set }

  // The members below are used while healing.

  /// The number of a line in the file, counted from 1.
  func number(_ line: Int) -> Int
  /// The numbers of the lines around which zero bytes stand.
  var padded: [Int] { get }
  mutating func extent() throws -> RescueReport.Extent
  /// The failure of the last request, with its line; nil where the last request did not fail.
  func complaint() throws -> (line: Int, text: String)?
  /// The next remedies: those of the first kind of fault that occurs.
  ///
  /// Faults are looked for in a fixed order, because later kinds can be judged only after earlier ones are healed.
  mutating func remedies() throws -> [Remedy]
  mutating func change(_ round: RemedyRound) throws
  /// All faults, including those without a remedy.
  mutating func faults() throws -> [RescueReport.Finding]

  // The members below write the healed file.

  func fileName(_ id: UUID, at time: Date) -> String
  func id(inFileName name: String) -> UUID?
  func resuming(_ id: UUID) -> String
  /// The folder that may lie beside a file; nil where the program keeps none.
  func sideFolder(of path: String) -> String?
  func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws
}

extension RescuedConversation {
  static func recognises(_ head: FileHead) -> Bool { false }

  func sideFolder(of path: String) -> String? { nil }

  /// The limit of rounds. Each round heals something, and few faults hide others.
  private static var rounds: Int { 100 }

  /// Looks for faults, applies remedies, and looks again, until no fault is left that can be healed.
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
