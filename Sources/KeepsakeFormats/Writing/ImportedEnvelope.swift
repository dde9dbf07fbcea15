import Keepsake

/// What stood around the entries in a file that was imported.
struct ImportedEnvelope {
  let prefix: [UInt8]
  let suffix: [UInt8]
  let json: JSON

  /// Nil where a part of it is gone.
  init?(_ sheet: SourceSheet) throws {
    let around = sheet.pieces.filter { $0.positions == nil }
    guard let first = around.first, around.allSatisfy(\.isCurrent) else { return nil }
    var prefix: [UInt8] = []
    var suffix: [UInt8] = []
    try sheet.replay(first) { prefix += $0 }
    for piece in around.dropFirst() { try sheet.replay(piece) { suffix += $0 } }
    self.prefix = prefix
    self.suffix = suffix
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = prefix.starts(with: mark) ? 3 : 0
    let end = suffix.count - suffix.reversed().prefix { $0 == 0 }.count
    do { json = try JSON(validating: Array(prefix[start...] + suffix[..<end])) } catch {
      return nil
    }
  }
}
