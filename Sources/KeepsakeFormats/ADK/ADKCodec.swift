import Keepsake

/// Reads a session of Google's Agent Development Kit that an app wrote to JSON: its ids, its state, and its events.
enum ADKCodec: ReadOnlyCodec {
  static let name = "adk"

  static let format = Format(
    name: name, title: "session of Google's ADK", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "a list of events beside appName")

  static func recognises(_ head: FileHead) -> Bool {
    head.document.kind(at: "/events") == .array
      && (head.document.has("/appName") || head.document.has("/app_name"))
  }

  static let identity = RecordIdentity.json()
  static let namesSession = true

  private static let paths = [["events"]]

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let envelope = try JSONDocument.envelope(of: file, arrayAt: paths)
    let session = ADKSession(
      app: envelope?["appName"]?.stringValue ?? envelope?["app_name"]?.stringValue ?? "",
      user: envelope?["userId"]?.stringValue ?? envelope?["user_id"]?.stringValue ?? "",
      id: envelope?["id"]?.stringValue ?? "")
    return DocumentReading(file, arrayAt: paths, ADKDecoder(session, file.assets))
  }
}
