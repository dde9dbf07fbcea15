import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeViewer

/// The page of an artifact: its bytes, and its story from the prompt to what was made of it.
struct StoryRoute: Route {
  let endpoint = Endpoint(.get, "/a/{digest}", "An artifact and its story", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let artifact = try await request.artifact(in: server.store)
    let trail = try await server.store.audit(artifact.id, limit: 100)
    let name =
      trail.attachments.first?.fileName ?? trail.attachments.first?.label
      ?? String(artifact.id.digest.hex.prefix(12))
    return Shell(title: name, place: .gallery).answer { html in
      html.element("h1", ["dir": "auto"], text: Phrase.excerpt(name, limit: 200))
      Self.bytes(artifact, name, to: &html)
      Self.facts(artifact, to: &html)
      Story(trail).write(to: &html)
      if trail.next != nil {
        html.markup("<p class=\"note\">There are more places: the JSON has all.</p>")
      }
    }
  }

  private static func bytes(_ artifact: Artifact, _ name: String, to html: inout HTML) {
    let type = artifact.sniffedType.essence
    let address = Address.bytes(artifact.id)
    html.markup("<div class=\"bytes\">")
    switch type.prefix(while: { $0 != "/" }) {
    case "image" where type != "image/svg+xml":
      html.element("a", ["class": "zoom", "href": address]) { html in
        html.begin(
          "img",
          [
            "src": address, "alt": Phrase.excerpt(name, limit: 200),
            "width": artifact.pixelSize.map { "\($0.width)" },
            "height": artifact.pixelSize.map { "\($0.height)" },
          ])
      }
    case "audio":
      html.element("audio", ["controls": "", "preload": "metadata", "src": address])
    case "video":
      html.element(
        "video", ["controls": "", "preload": "metadata", "playsinline": "", "src": address])
    default: break
    }
    html.element(
      "a",
      [
        "class": "button", "download": Phrase.excerpt(name, limit: 120),
        "href": Address.with(address, [("name", Phrase.excerpt(name, limit: 120))]),
      ], text: "Save")
    html.markup("</div>")
  }

  private static func facts(_ artifact: Artifact, to html: inout HTML) {
    let hex = artifact.id.digest.hex
    html.markup(
      "<div class=\"table\" role=\"group\" aria-label=\"Facts\" tabindex=\"0\">")
    html.markup("<table class=\"facts-table\"><tbody>")
    for (name, value) in [
      ("Name", artifact.id.description), ("Type", artifact.sniffedType.description),
      ("Size", "\(Phrase.size(artifact.size)) (\(Int(artifact.size).grouped) bytes)"),
      ("Pixels", artifact.pixelSize?.description ?? ""),
    ] where !value.isEmpty {
      html.markup("<tr>")
      html.element("th", ["scope": "row"], text: name)
      html.element("td") { $0.element("code", text: value) }
      html.markup("</tr>")
    }
    html.markup("</tbody></table></div><p class=\"actions\">")
    html.element(
      "a", ["class": "button", "href": "/api/1/artifacts/\(hex)/audit"], text: "The audit as JSON")
    html.markup("</p>")
  }
}
