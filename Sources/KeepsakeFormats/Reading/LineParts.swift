import Keepsake

/// Cuts a file into lines, each of which is a session.
struct LineParts: PartsReading {
  private let name: String
  private var lines: LineScanner
  private var end: Int64 = 0

  init(_ file: ForeignFile) {
    name = file.lastName
    lines = LineScanner(file)
  }

  mutating func next() throws -> FilePart? {
    while let line = try lines.next() {
      end += Int64(line.bytes.count)
      if line.content.isEmpty { continue }
      return FilePart(
        file: ForeignFile(Array(line.bytes[line.content]), name: name), number: line.number,
        end: end)
    }
    return nil
  }
}
