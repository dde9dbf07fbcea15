import KeepsakeFiles
import Keepsake

/// The log database of the `llm` command, `logs.db`: a SQLite file with any number of conversations, each of which becomes a
/// session.
///
/// What is kept of a conversation is its rows, as JSON, one line for each message or response. The database itself can't be
/// given back.
enum LLMCodec: RecordCodec {
  static let name = "llm"

  static let format = Format(
    name: name, title: "log database of llm", fileExtensions: ["db"], canRead: true,
    artifacts: [.inline], holdsSeveral: true, givesBack: false)

  /// llm's own table of migrations, beside the tables of one of its generations. Where the database can't be opened, what
  /// its schema looks like on the disk counts, so that it is told what is wrong with it.
  static func recognises(_ head: FileHead) -> Bool {
    guard ForeignDatabase.isOne(head.bytes) else { return false }
    guard head.tables.isEmpty else {
      return head.tables.contains("_llm_migrations")
        && (head.tables.isSuperset(of: ["threads", "messages", "parts"])
          || head.tables.isSuperset(of: ["conversations", "responses"]))
    }
    return ["_llm_migrations", "conversations"].allSatisfy { table in
      head.bytes.firstRange(of: Array("table\(table)\(table)".utf8)) != nil
    }
  }

  /// Attachments are stored once for the whole database, under the digest of their bytes, and what was last said of one
  /// takes the place of what was said before.
  static let identity = RecordIdentity.json(leavingOut: [
    VolatileMember("parts", "*", "attachments", "*", "attachment", "path"),
    VolatileMember("parts", "*", "attachments", "*", "attachment", "type"),
    VolatileMember("prompt_attachments", "*", "attachment", "path"),
    VolatileMember("prompt_attachments", "*", "attachment", "type"),
    VolatileMember("tool_results", "*", "attachments", "*", "attachment", "path"),
    VolatileMember("tool_results", "*", "attachments", "*", "attachment", "type"),
  ])

  static func requireReadable(_ file: ForeignFile) throws { _ = try LLMContents(file) }

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    throw FormatError(
      .unsupported,
      "Can't write session \(session.id) as '\(format.name)': a \(format.title) is read here, and not written. Choose another format, such as 'json'."
    )
  }
}

// MARK: - Importing

extension LLMCodec {
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    let contents = try LLMContents(file)
    let count = contents.conversations.count
    guard session == nil || count == 1 else {
      throw FormatError(
        .unsupported,
        "Can't take '\(file.name)' into a session: there are \(count) conversations in it. Import it without naming one.",
        file: file.name)
    }
    var report = ImportReport()
    for (index, conversation) in contents.conversations.enumerated() {
      report.add(try await take(conversation, of: contents, into: store, session))
      tell(index, of: count, to: file.progress)
    }
    if count == 0 {
      report.skipped.append(.init(path: file.lastName, reason: "There is no conversation in it."))
    }
    return report
  }

  private static let steps = 100

  private static func tell(_ index: Int, of count: Int, to progress: ((Double) -> Void)?) {
    guard index * steps / count < (index + 1) * steps / count else { return }
    progress?(Double((index + 1) * steps / count) / Double(steps))
  }

  /// Takes over one conversation. One that can't be is told of, and is no reason to leave out the others.
  private static func take(
    _ conversation: LLMConversation, of contents: LLMContents, into store: Store,
    _ session: Session?
  ) async throws -> ImportReport {
    do {
      var report = try await attempt(conversation, of: contents, into: store, session)
      report.skipped = report.skipped.map { skipped in
        let record = skipped.line.map { ", record \($0)" } ?? ""
        return .init(
          path: skipped.path, reason: "\(conversation.description)\(record): \(skipped.reason)",
          isKept: skipped.isKept)
      }
      return report
    } catch let error as FormatError where session == nil {
      return skipped(conversation, error.message, contents.file)
    } catch let error as KeepsakeError where session == nil && isAboutConversation(error) {
      return skipped(conversation, error.message, contents.file)
    }
  }

  /// Reads anew where llm wrote to the conversation meanwhile.
  private static func attempt(
    _ conversation: LLMConversation, of contents: LLMContents, into store: Store,
    _ session: Session?
  ) async throws -> ImportReport {
    for _ in 0..<3 {
      do {
        let source = contents.source(of: conversation)
        return try await store.importing(source, into: session)
      } catch let error as FormatError where error.code == .changed { continue }
    }
    throw FormatError.changed(contents.file.name)
  }

  private static func skipped(
    _ conversation: LLMConversation, _ reason: String, _ file: ForeignFile
  ) -> ImportReport {
    ImportReport(
      skipped: [.init(path: file.lastName, reason: "\(conversation.description): \(reason)")])
  }

  /// Whether the next conversation may do better.
  private static func isAboutConversation(_ error: KeepsakeError) -> Bool {
    [.refused, .invalid, .tooLarge, .conflict, .outOfRange].contains(error.code)
  }
}
