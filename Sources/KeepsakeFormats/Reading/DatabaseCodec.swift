import KeepsakeFiles
import Keepsake

/// A codec of a database with any number of conversations, each of which becomes a session.
///
/// The rows of a conversation are kept as JSON Lines. The database itself can't be exported again.
protocol DatabaseCodec: ForeignCodec {
  associatedtype Contents: DatabaseContents
}

extension DatabaseCodec {
  static func requireReadable(_ file: ForeignFile) throws { _ = try Contents(file) }

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

extension DatabaseCodec {
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    let contents = try Contents(file)
    let count = contents.conversations.count
    guard session == nil || count == 1 else {
      throw FormatError(
        .unsupported,
        "Can't take '\(file.name)' into a session: there are \(count) conversations in it. Import it without naming one.",
        file: file.name)
    }
    let progress = ImportProgress(file.progress)
    var report = ImportReport()
    for (index, conversation) in contents.conversations.enumerated() {
      report.add(try await take(conversation, of: contents, into: store, session))
      progress?.reach(Double(index + 1) / Double(count))
    }
    if count == 0 {
      report.skipped.append(.init(path: file.lastName, reason: "There is no conversation in it."))
    }
    return report
  }

  /// Imports one conversation. One that can't be imported is reported, and the others are imported all the same.
  private static func take(
    _ conversation: Contents.Conversation, of contents: Contents, into store: Store,
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
    } catch let error as KeepsakeError where session == nil && error.isAboutFile {
      return skipped(conversation, error.message, contents.file)
    }
  }

  /// Imports a conversation, and starts again where another program wrote to it meanwhile.
  private static func attempt(
    _ conversation: Contents.Conversation, of contents: Contents, into store: Store,
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
    _ conversation: Contents.Conversation, _ reason: String, _ file: ForeignFile
  ) -> ImportReport {
    ImportReport(
      skipped: [.init(path: file.lastName, reason: "\(conversation.description): \(reason)")])
  }
}
