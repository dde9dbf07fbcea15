#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads a record as one entry, independently of other records.
protocol EntryReading: Sendable {
  init(_ bytes: [UInt8])

  var record: RecordReader { get }

  /// - Parameters:
  ///   - range: The range of the record's value in the bytes.
  ///   - created: The time of the entry, where the record states none.
  mutating func entry(_ range: Range<Int>, created: Date?) -> SourceEntry

  static var format: String { get }
}
