/// Parts a stream of bytes into messages: one a line, in UTF-8.
///
/// Blank lines and a carriage return before the line end are tolerated. A line above the limit is told of once, and skipped to
/// its end, whatever its size.
struct MessageLines {
  /// A line, or the notice that one was too long.
  enum Line: Equatable {
    case message([UInt8])
    case tooLong
  }

  private let limit: Int
  private var pending: [UInt8] = []
  private var isSkipping = false

  init(limit: Int = ClientLimits.message) { self.limit = limit }

  /// Takes the next bytes, and passes on the lines that they complete.
  mutating func take(_ bytes: [UInt8], _ body: (Line) -> Void) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      add(rest[..<end], body)
      rest = rest[(end + 1)...]
      if !isSkipping { pass(pending, body) }
      isSkipping = false
      pending.removeAll(keepingCapacity: pending.capacity <= 1 << 16)
    }
    add(rest, body)
  }

  /// Passes on the last line if no line end follows it.
  mutating func finish(_ body: (Line) -> Void) {
    if !isSkipping { pass(pending, body) }
    pending = []
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, _ body: (Line) -> Void) {
    guard !isSkipping else { return }
    guard pending.count + bytes.count <= limit else {
      isSkipping = true
      pending = []
      return body(.tooLong)
    }
    pending += bytes
  }

  private func pass(_ line: [UInt8], _ body: (Line) -> Void) {
    var line = line[...]
    if line.last == 0x0D { line.removeLast() }
    guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return }
    body(.message(Array(line)))
  }
}
