import Keepsake

/// The text around the entries in an imported file.
struct ImportedEnvelope {
  let prefix: [UInt8]
  let suffix: [UInt8]
  let json: JSON
  /// The beginning of the first record.
  let first: HeadSketch

  /// Reads the envelope of an imported file; nil where a part of it is missing or was changed.
  init?(_ sheet: SourceSheet) throws {
    let around = sheet.pieces.filter { $0.positions == nil }
    guard let first = around.first, around.allSatisfy(\.isCurrent) else { return nil }
    var prefix: [UInt8] = []
    var suffix: [UInt8] = []
    try sheet.replay(first) { prefix += $0 }
    for piece in around.dropFirst() { try sheet.replay(piece) { suffix += $0 } }
    self.prefix = prefix
    self.suffix = suffix
    var record: [UInt8] = []
    if let piece = sheet.pieces.first(where: { $0.positions != nil && $0.isCurrent }) {
      try sheet.replay(piece) { if record.count < FileHead.size { record += $0 } }
    }
    self.first = HeadSketch(record.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") })
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = prefix.starts(with: mark) ? 3 : 0
    let end = suffix.count - suffix.reversed().prefix { $0 == 0 }.count
    do { json = try JSON(validating: Array(prefix[start...] + suffix[..<end])) } catch {
      return nil
    }
  }
}
