#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeFormats
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/s/{session}/export`, and the file in the format that is chosen there.
struct ExportRoute: Route {
  let endpoint = Endpoint(
    .get, "/s/{session}/export", "A conversation in the format of another program", answer: .file)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let summary = try await session.summary()
    guard let name = request.text("format") else { return Self.page(summary) }
    guard let format = Format(named: name), format.canWrite else {
      throw Problem.invalid("There is no format of that name to export to.")
    }
    var options = ExportOptions()
    if let fit = request.text("fit") {
      guard format.resumes, let tokens = Int(fit), (1...100_000_000).contains(tokens) else {
        throw Problem.invalid(
          "'fit' is a number of tokens, for a format that a model goes on from.")
      }
      options.resumption = .init(budget: .tokens(tokens))
    }
    return try await Self.file(session, summary, format, options)
  }

  /// The export as a file that the browser saves.
  ///
  /// It goes into a file without a name first, so that a failure is told as one, and a slow reader keeps nothing of
  /// the store open.
  private static func file(
    _ session: Session, _ summary: Session.Summary, _ format: Format, _ options: ExportOptions
  ) async throws -> HTTPResponse {
    let folder = try Directory.create(
      path: FileManager.default.temporaryDirectory
        .appending(path: "keepsake-exports-\(UUID().text)").path)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let output = try folder.openFile("export", for: .creating(exclusive: true))
    let size = Locked<Int64>(0)
    let sink = OpenOutput(output)
    do {
      _ = try await session.export(as: format.name, options: options) { piece in
        try sink.write(piece)
        size.withLock { $0 += Int64(piece.count) }
      }
    } catch let error as FormatError {
      throw Problem(status: 422, code: "not-exported", detail: error.message)
    }
    let ending = format.fileExtensions.first ?? "txt"
    let length = size.withLock { $0 }
    return HTTPResponse(
      .ok,
      [
        "Content-Type": "application/octet-stream",
        "Content-Security-Policy": SecurityFields.artifactPolicy,
        "Content-Disposition": ContentDisposition.attachment(
          fileName: "\(Phrase.excerpt(summary.name ?? "conversation", limit: 60)).\(ending)"),
      ], body: .file(HTTPFile(try folder.openFile("export")), 0..<length))
  }

  private static func page(_ summary: Session.Summary) -> HTTPResponse {
    let path = "\(Address.session(summary.id))/export"
    return Shell(title: "Export").answer { html in
      html.element(
        "h1", ["dir": "auto"], text: "Export \(Phrase.excerpt(summary.name ?? "", limit: 120))")
      html.begin("form", ["class": "filters", "action": path])
      html.markup("<label><span>Format</span><select name=\"format\">")
      for format in Format.all where format.canWrite {
        html.element("option", ["value": format.name], text: "\(format.title) (\(format.name))")
      }
      html.markup(
        """
        </select></label><label><span>Fit into a window of so many tokens</span>
        <input type="text" name="fit" inputmode="numeric" pattern="[0-9]*" placeholder="all of it"></label>
        <button class="main">Save the file</button></form>
        <p class="note">Keepsake's own JSON has all that is stored. <code>keepsake formats</code> says what others leave out.</p>
        """)
      html.element("p") { $0.element("a", ["href": Address.session(summary.id)], text: "Back") }
    }
  }
}

/// An open file that an export writes to, piece by piece, from whatever thread it runs on.
private final class OpenOutput: Sendable {
  private let file: FileDescriptor

  init(_ file: consuming FileDescriptor) { self.file = file }

  func write(_ piece: [UInt8]) throws { try file.write(all: piece) }
}
