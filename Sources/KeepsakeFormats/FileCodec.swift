import Keepsake

/// A codec of a foreign format that is read from a file's beginning to its end, as a rule with one session in each
/// file.
protocol FileCodec: ForeignCodec {
  /// Begins to read a file from its start.
  static func read(_ file: ForeignFile) throws -> any SourceReading

  /// Whether the files of the format hold the id of their session.
  static var namesSession: Bool { get }

  /// Imports a file that holds one session.
  static func takeWhole(_ file: ForeignFile, _ store: Store, _ session: Session?) async throws
    -> ImportReport
}

extension FileCodec {
  static var namesSession: Bool { false }

  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    try await takeWhole(file, store, session)
  }

  static func takeWhole(_ file: ForeignFile, _ store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    try await store.importing(source(of: file, into: session), into: session)
  }

  /// Returns a file that holds one session, in the form in which a store takes it in.
  static func source(of file: ForeignFile, into session: Session? = nil) -> ForeignSource {
    let count = ReadingCount(file)
    var source = ForeignSource(
      format: format.name, name: file.lastName, identity: identity, namesSession: namesSession,
      standing: session == nil ? file.standing : nil,
      growth: growth(of: file, count)
    ) { try count.reading(read(file)) }
    source.isGrowing = file.isGrowing
    source.followed = file.followed
    return source
  }

  private static func growth(of file: ForeignFile, _ count: ReadingCount) -> ForeignSource.Growth? {
    guard let codec = self as? any GrowingCodec.Type else { return nil }
    return .init(size: file.size, bytes: file.read) { bookmark in
      try codec.read(file, from: bookmark).map(count.reading)
    }
  }

  static func requireReadable(_ file: ForeignFile) throws { try requireWholeReadable(file) }

  static func requireWholeReadable(_ file: ForeignFile) throws {
    var reading = try read(file)
    while try reading.next() != nil { try Task.checkCancellation() }
  }
}
