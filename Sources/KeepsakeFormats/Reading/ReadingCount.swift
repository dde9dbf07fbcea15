import KeepsakeFiles
import Keepsake

/// Counts how much of a file an import has read, and tells whoever asked how far it is.
///
/// An import reads twice: first to the end, then again to write. Where another writer is in its way it begins anew, and
/// what is told does not go back.
struct ReadingCount {
  private let file: ForeignFile
  private let state = Locked(State())

  private struct State {
    var readings = 0
    var told = 0
  }

  /// What is told is a multiple of one part of so many.
  private static let steps = 100

  init(_ file: ForeignFile) { self.file = file }

  /// The same reading, counted.
  func reading(_ reading: any SourceReading) -> any SourceReading {
    guard file.progress != nil, file.size > 0 else { return reading }
    let isFirst = state.withLock { state in
      state.readings += 1
      return state.readings % 2 == 1
    }
    return Counted(reading: reading, count: self, half: isFirst ? 0 : 1)
  }

  private func tell(_ bytes: Int64, half: Int) {
    let share = (Double(half) + min(1, Double(bytes) / Double(file.size))) / 2
    let step = Int(share * Double(Self.steps))
    let isNew = state.withLock { state in
      guard step > state.told else { return false }
      state.told = step
      return true
    }
    if isNew { file.progress?(Double(step) / Double(Self.steps)) }
  }

  private struct Counted: SourceReading {
    var reading: any SourceReading
    let count: ReadingCount
    let half: Int
    var bytes: Int64 = 0

    var facts: SourceFacts { reading.facts }

    mutating func next() throws -> SourceRecord? {
      guard let record = try reading.next() else { return nil }
      bytes += Int64(record.bytes.count)
      count.tell(bytes, half: half)
      return record
    }
  }
}
