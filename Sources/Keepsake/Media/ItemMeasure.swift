/// Finds the size of a HEIC or AVIF image in the `ispe` property of its primary item.
struct ItemMeasure {
  let bytes: SparseBytes

  init(_ bytes: SparseBytes) {
    self.bytes = bytes
  }

  /// A box of the file, with the range of its content.
  private struct Box {
    let type: String
    let start: Int64
    let end: Int64
  }

  func pixelSize() throws(SparseBytes.Missing) -> PixelSize? {
    var primary: Int64?
    var sizes: [(index: Int, size: PixelSize)] = []
    var offset: Int64 = 0
    var meta: Box?
    for _ in 0..<ImageMeasure.stepLimit where meta == nil {
      guard let box = try box(at: offset, within: .max) else { return nil }
      offset = box.end
      if box.type == "meta" { meta = box }
      // Metadata after the images is not worth the search.
      if box.type == "mdat" || box.end == .max { break }
    }
    guard let meta else { return nil }
    // A version and flags precede the boxes inside.
    var inner = meta.start + 4
    for _ in 0..<ImageMeasure.stepLimit {
      guard let box = try box(at: inner, within: meta.end) else { break }
      inner = box.end
      switch box.type {
      case "pitm":
        let isShort = try bytes.bigEndian(at: box.start, count: 1) == 0
        primary = try bytes.bigEndian(at: box.start + 4, count: isShort ? 2 : 4)
      case "iprp":
        var part = box.start
        for _ in 0..<ImageMeasure.stepLimit {
          guard let child = try self.box(at: part, within: box.end) else { break }
          part = child.end
          if child.type == "ipco" { sizes = try extents(in: child) }
          guard child.type == "ipma", let primary else { continue }
          let properties = try properties(of: primary, in: child)
          if let own = sizes.first(where: { properties.contains($0.index) }) { return own.size }
        }
      default: break
      }
    }
    return sizes.map(\.size).max { $0.area < $1.area }
  }

  private func box(at offset: Int64, within end: Int64) throws(SparseBytes.Missing) -> Box? {
    guard offset >= 0, offset <= end - 8 else { return nil }
    var length = try bytes.bigEndian(at: offset, count: 4)
    let type = String(decoding: try bytes.bytes(at: offset + 4, count: 4), as: UTF8.self)
    var start = offset + 8
    if length == 1 {
      let high = try bytes.bigEndian(at: start, count: 4)
      guard high < 1 << 30 else { return nil }
      length = high << 32 | (try bytes.bigEndian(at: start + 4, count: 4))
      start += 8
    }
    // A length of zero means that the box extends to the end of the enclosing box.
    guard length != 0 else { return Box(type: type, start: start, end: end) }
    let (boxEnd, isTooLarge) = offset.addingReportingOverflow(length)
    guard !isTooLarge, boxEnd >= start, boxEnd <= end else { return nil }
    return Box(type: type, start: start, end: boxEnd)
  }

  /// Returns the sizes among the properties, with their indexes, which count from 1.
  private func extents(
    in container: Box
  ) throws(SparseBytes.Missing) -> [(index: Int, size: PixelSize)] {
    var extents: [(index: Int, size: PixelSize)] = []
    var index = 0
    var offset = container.start
    while index < ImageMeasure.stepLimit, let box = try box(at: offset, within: container.end) {
      offset = box.end
      index += 1
      guard box.type == "ispe" else { continue }
      let width = Int(exactly: try bytes.bigEndian(at: box.start + 4, count: 4))
      let height = Int(exactly: try bytes.bigEndian(at: box.start + 8, count: 4))
      guard let width, let height, let size = PixelSize(width: width, height: height) else {
        continue
      }
      extents.append((index, size))
    }
    return extents
  }

  /// Returns the indexes of an item's properties.
  private func properties(
    of item: Int64, in box: Box
  ) throws(SparseBytes.Missing) -> Set<Int> {
    let flags = try bytes.bigEndian(at: box.start, count: 4)
    let isShort = flags >> 24 == 0
    let indexLength = flags & 1 == 0 ? 1 : 2
    let count = try bytes.bigEndian(at: box.start + 4, count: 4)
    var offset = box.start + 8
    var entry: Int64 = 0
    while entry < min(count, Int64(ImageMeasure.stepLimit)), offset < box.end {
      entry += 1
      let identifier = try bytes.bigEndian(at: offset, count: isShort ? 2 : 4)
      offset += isShort ? 2 : 4
      let properties = Int(try bytes.bigEndian(at: offset, count: 1))
      offset += 1
      guard identifier == item else {
        offset += Int64(properties * indexLength)
        continue
      }
      var indexes: Set<Int> = []
      for number in 0..<properties {
        let place = offset + Int64(number * indexLength)
        let value = Int(try bytes.bigEndian(at: place, count: indexLength))
        // The uppermost bit marks an essential property.
        indexes.insert(indexLength == 1 ? value & 0x7F : value & 0x7FFF)
      }
      return indexes
    }
    return []
  }
}

extension PixelSize {
  /// The number of pixels, which can't overflow because both sides are below 2^31.
  fileprivate var area: Int64 { Int64(width) * Int64(height) }
}
