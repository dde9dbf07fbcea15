import KeepsakeFiles
import Keepsake

/// The stored bytes of a stream followed by new bytes. Stored bytes are read only when they are needed and not in
/// memory.
final class JoinedBytes: Sendable {
  let size: Int64
  private let storedSize: Int64
  private let end: [UInt8]
  private let new: [UInt8]
  private let load: @Sendable () throws -> [UInt8]
  private let loaded = Locked<[UInt8]?>(nil)

  /// - Parameters:
  ///   - size: The number of stored bytes.
  ///   - end: The last stored bytes.
  ///   - new: The new bytes.
  ///   - load: Reads all stored bytes.
  init(
    size: Int64, end: [UInt8], new: [UInt8], load: @escaping @Sendable () throws -> [UInt8]
  ) {
    storedSize = size
    self.size = size + Int64(new.count)
    self.end = end
    self.new = new
    self.load = load
  }

  func read(_ range: Range<Int64>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    if range.lowerBound < storedSize {
      bytes = try stored(range.lowerBound..<min(range.upperBound, storedSize))
    }
    if range.upperBound > storedSize {
      let start = Int(max(0, range.lowerBound - storedSize))
      bytes += new[start..<Int(range.upperBound - storedSize)]
    }
    return bytes
  }

  private func stored(_ range: Range<Int64>) throws -> [UInt8] {
    let first = storedSize - Int64(end.count)
    if range.lowerBound >= first {
      return Array(end[Int(range.lowerBound - first)..<Int(range.upperBound - first)])
    }
    let all = try loaded.withLock { loaded in
      if let loaded { return loaded }
      let bytes = try load()
      // Something was erased from the stream after its state was read.
      guard bytes.count == Int(storedSize) else { throw FormatError.changed("the transcript") }
      loaded = bytes
      return bytes
    }
    return Array(all[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}
