import Keepsake

/// Reads and writes one format.
protocol Codec: Sendable {
  static var format: Format { get }

  /// Whether a file with this beginning is of the format.
  ///
  /// Keys may come in any order, and the file may be larger than the beginning, so the beginning alone must be
  /// enough.
  static func recognises(_ head: FileHead) -> Bool

  /// Imports a file into a store.
  /// - Parameters:
  ///   - file: The file.
  ///   - store: The store that takes the file's sessions.
  ///   - session: The session that the file is aligned with; nil to find out whether the file continues one.
  /// - Returns: What was imported.
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport

  /// Writes a session, piece by piece.
  /// - Parameters:
  ///   - session: The session that is written.
  ///   - name: The name that the format was asked for by; some formats write another version under another name.
  ///   - options: How the session is written; all of them are options that the format supports.
  ///   - output: Takes the bytes of the file, and the files that are put beside it.
  /// - Returns: A count of what the format could not express.
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses

  /// Refuses a file that cannot be imported, and reads only as much of the file as that takes.
  static func requireReadable(_ file: ForeignFile) throws
}

extension Codec {
  static func requireReadable(_ file: ForeignFile) throws {}
}

/// A codec of a format that is not Keepsake's own. It never touches the store: it hands over records.
protocol ForeignCodec: Codec {
  /// The members of a record that tell it from other records.
  ///
  /// A file whose records begin with those of a stored file continues that file. So the identity leaves out what the
  /// foreign program writes anew with every file, and nothing else.
  static var identity: RecordIdentity { get }
}

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
    let count = ReadingCount(file)
    var source = ForeignSource(
      format: format.name, name: file.lastName, identity: identity, namesSession: namesSession,
      standing: session == nil ? file.standing : nil,
      growth: growth(of: file, count)
    ) { try count.reading(read(file)) }
    source.isGrowing = file.isGrowing
    source.followed = file.followed
    return try await store.importing(source, into: session)
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

/// A codec of a format whose files grow while a conversation goes on.
protocol GrowingCodec: FileCodec {
  /// Begins to read a file where an earlier reading ended; nil where the file has to be read from its start.
  static func read(_ file: ForeignFile, from bookmark: SourceBookmark) throws
    -> (any SourceReading)?
}

/// A codec of a format whose files hold any number of sessions.
protocol CollectionCodec: Codec {
  /// Writes several sessions into one file.
  static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses
}

extension CollectionCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    try await write([session], as: name, options, into: output)
  }
}

/// All codecs. To add a format, add a folder for its codec and a line to `formats`.
enum Codecs {
  /// The codecs in the order in which a file is compared with them.
  ///
  /// Formats with the clearer signs stand first, and a container stands before the wire format inside of it.
  static let formats: [any Codec.Type] = [
    TranscriptCodec.self, BundleCodec.self, LLMCodec.self, OpenAIAgentsCodec.self,
    ADKDatabaseCodec.self, ADKCodec.self, AppleCodec.self,
    AnyLanguageModelCodec.self,
    ClaudeCodeCodec.self, CodexCodec.self, GeminiCLICodec.self, ChatGPTCodec.self,
    ClaudeAICodec.self,
    AIStudioCodec.self, AISDKCodec.self, LangChainCodec.self, GeminiInteractionsCodec.self,
    GeminiCodec.self, OpenAIResponsesCodec.self, MCPCodec.self, AnthropicCodec.self,
    OpenAIChatCodec.self, MarkdownCodec.self, HTMLCodec.self,
    ATIFCodec.self, OTelCodec.self, PROVCodec.self, ROCrateCodec.self,
  ]

  /// The codec of a file with this beginning; nil where it shows the sign of no known format.
  static func format(of head: FileHead) -> (any Codec.Type)? {
    // A tar archive that is no bundle is refused, because the lines of the files in it would pass for the lines of
    // one file.
    if head.isTar { return BundleCodec.recognises(head) ? BundleCodec.self : nil }
    return formats.first { $0.recognises(head) }
  }

  /// The record identity of a foreign format; nil where no foreign format has the name.
  @Sendable
  static func identity(of format: String) -> RecordIdentity? {
    let codec = formats.first { $0.format.name == format } as? any ForeignCodec.Type
    return codec?.identity
  }

  /// The codec of a format with this name.
  /// - Throws: ``FormatError`` where no format has the name.
  static func named(_ name: String) throws -> any Codec.Type {
    if let codec = formats.first(where: {
      $0.format.name == name || $0.format.otherNames.contains(name)
    }) {
      return codec
    }
    let names = formats.flatMap { [$0.format.name] + $0.format.otherNames }.joined(separator: ", ")
    throw FormatError(
      .unknownFormat, "There is no format '\(name)'. The formats are: \(names).")
  }

  /// The codec of a file, found by the file's content.
  /// - Throws: ``FormatError`` where the file can't be read, or is of no known format.
  static func recognised(_ file: ForeignFile) throws -> any Codec.Type {
    let head = try FileHead(file)
    if let codec = format(of: head) { return codec }
    let reason =
      if file.size == 0 {
        "it is empty"
      } else if head.isEmpty {
        "there is nothing but blanks or zero bytes in it"
      } else if head.isTar {
        "it is a tar archive; unpack it, and import what is in it"
      } else if head.bytes.starts(with: [0xFF, 0xFE]) || head.bytes.starts(with: [0xFE, 0xFF]) {
        "it is UTF-16; convert it to UTF-8"
      } else {
        "its content is of no format that is known here. If you know which it is, name the format"
      }
    throw FormatError(.unrecognised, "Can't import '\(file.name)': \(reason).", file: file.name)
  }
}
