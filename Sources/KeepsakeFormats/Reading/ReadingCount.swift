import KeepsakeFiles
import Keepsake

/// Counts how much of a file an import has read, and reports the progress.
///
/// An import reads a file twice: first to the end, then again to write. Where another writer interferes, the import
/// begins anew, but the reported progress never goes back.
struct ReadingCount {
  private let size: Int64
  private let progress: ImportProgress?
  private let readings = Locked(0)

  init(_ file: ForeignFile) {
    size = file.size
    progress = ImportProgress(file.progress)
  }

  /// Returns the given reading with its bytes counted.
  func reading(_ reading: any SourceReading) -> any SourceReading {
    guard progress != nil, size > 0 else { return reading }
    let isFirst = readings.withLock { readings in
      readings += 1
      return readings % 2 == 1
    }
    return Counted(reading: reading, count: self, half: isFirst ? 0 : 1)
  }

  private func tell(_ bytes: Int64, half: Int) {
    progress?.reach((Double(half) + min(1, Double(bytes) / Double(size))) / 2)
  }

  private struct Counted: SourceReading {
    var reading: any SourceReading
    let count: ReadingCount
    let half: Int
    var bytes: Int64 = 0

    var facts: SourceFacts { reading.facts }

    var bookmark: SourceBookmark? { reading.bookmark }

    mutating func next() throws -> SourceRecord? {
      guard let record = try reading.next() else { return nil }
      bytes += Int64(record.bytes.count)
      count.tell(bytes, half: half)
      return record
    }
  }
}
