import Keepsake

/// A codec of a foreign format whose files may hold several sessions.
protocol PartedCodec: FileCodec {
  /// Cuts a file into its sessions; nil where the file holds one session.
  static func parts(of file: ForeignFile) throws -> (any PartsReading)?
}

/// Cuts a file into parts, each of which is a session that is read as a file of its own.
protocol PartsReading {
  /// The next part; nil after the last.
  mutating func next() throws -> FilePart?
}

/// A session in a file that holds several.
struct FilePart {
  let file: ForeignFile
  /// The number of the part's line or element in the file, counted from 1.
  let number: Int
  /// The number of bytes of the file up to the end of the part.
  let end: Int64
}

extension PartedCodec {
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    guard var parts = try parts(of: file) else { return try await takeWhole(file, store, session) }
    guard session == nil else {
      throw FormatError(
        .unsupported,
        "Can't take '\(file.name)' into a session: it may hold several. Import it without naming one.",
        file: file.name)
    }
    var report = ImportReport()
    while let part = try parts.next() {
      try Task.checkCancellation()
      do {
        var one = try await takeWhole(part.file, store, nil)
        one.skipped = one.skipped.map {
          .init(path: $0.path, line: part.number, reason: $0.reason, isKept: $0.isKept)
        }
        report.add(one)
      } catch let error as FormatError where error.isOfContent {
        report.skipped.append(
          .init(path: file.lastName, line: part.number, reason: error.message))
      }
      file.progress?(Double(part.end) / Double(max(1, file.size)))
    }
    return report
  }

  static func requireReadable(_ file: ForeignFile) throws {
    guard var parts = try parts(of: file) else { return try requireWholeReadable(file) }
    var first: FormatError?
    while let part = try parts.next() {
      do {
        return try requireWholeReadable(part.file)
      } catch let error as FormatError where error.isOfContent {
        first = first ?? error
      }
    }
    if let first { throw first }
  }
}

extension FormatError {
  /// Whether the error is a fault in the content of a file, and not a failure to read the file.
  fileprivate var isOfContent: Bool { code == .malformed || code == .tooLarge }
}

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

/// Cuts a JSON array into its elements, each of which is a session.
struct ElementParts: PartsReading {
  private let name: String
  private let assets: AssetFolder?
  private var document: JSONDocument
  private var end: Int64 = 0

  /// - Parameters:
  ///   - file: The document.
  ///   - paths: The places where the array may stand, each as the keys that lead to it.
  init(_ file: ForeignFile, arrayAt paths: [[String]]) {
    name = file.lastName
    assets = file.assets
    document = JSONDocument(file, arrayAt: paths)
  }

  mutating func next() throws -> FilePart? {
    while let piece = try document.next() {
      switch piece {
      case .envelope(let bytes, _): end += Int64(bytes.count)
      case .element(let element):
        end += Int64(element.bytes.count)
        return FilePart(
          file: ForeignFile(Array(element.bytes[element.value]), name: name, assets: assets),
          number: element.number, end: end)
      }
    }
    return nil
  }
}
