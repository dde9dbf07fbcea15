import Keepsake

/// The name and version by which the server introduces itself.
struct ServerInfo: Sendable {
  let version: String

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", "keepsake")
    writer.member("title", "Keepsake")
    writer.member("version", version)
    writer.endObject()
  }
}
