import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/gallery`: all artifacts, the newest first.
struct GalleryRoute: Route {
  let endpoint = Endpoint(.get, "/gallery", "All artifacts, the newest first", answer: .page)

  private static let page = 60

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let type = request.text("type")
    let page = try await server.store.artifacts(
      ofType: type, limit: Self.page, after: try request.cursor("after", as: Artifact.Cursor.self))
    let more = page.next.map {
      Address.with("/gallery", [("type", type), ("after", $0.description)])
    }
    if request.text("part") != nil { return Shell.part { Self.list(page, more, to: &$0) } }
    return Shell(
      title: "Gallery", place: .gallery, layout: "wide", script: "/assets/list.js"
    ).answer { html in
      html.markup("<h1>Gallery</h1><nav class=\"branches\" aria-label=\"Kinds\">")
      for (name, value) in Self.kinds {
        html.element(
          "a",
          [
            "href": Address.with("/gallery", [("type", value)]),
            "aria-current": type == value ? "true" : nil,
          ], text: name)
      }
      html.markup("</nav>")
      Self.list(page, more, to: &html)
    }
  }

  private static let kinds: KeyValuePairs<String, String?> = [
    "All": nil, "Images": "image", "Sound": "audio", "Video": "video", "PDF": "application/pdf",
  ]

  private static func list(_ page: Artifact.Page, _ more: String?, to html: inout HTML) {
    html.markup("<ul class=\"gallery rows\">")
    for artifact in page.artifacts { item(artifact, to: &html) }
    html.markup("</ul>")
    if page.artifacts.isEmpty { html.markup("<p class=\"empty\">There is none.</p>") }
    html.begin("p", ["class": "more"])
    if let more { html.element("a", ["class": "button", "href": more], text: "Earlier ones") }
    html.end("p")
  }

  private static func item(_ artifact: Artifact.Summary, to html: inout HTML) {
    let type = artifact.sniffedType.essence
    html.markup("<li><figure>")
    html.element("a", ["class": "frame", "href": Address.story(artifact.id)]) { html in
      if type.hasPrefix("image/"), type != "image/svg+xml", artifact.state == .present {
        html.begin(
          "img",
          [
            "src": Address.bytes(artifact.id), "loading": "lazy", "decoding": "async",
            "alt": "\(type), \(artifact.tool.map { "made by \($0)" } ?? "given")",
          ])
      } else {
        html.text(type)
      }
    }
    html.begin("figcaption")
    let facts = [
      artifact.pixelSize?.description, Phrase.size(artifact.size),
      artifact.uses == 1 ? nil : Phrase.count(artifact.uses, "use"),
    ].compactMap { $0 }
    html.text(facts.joined(separator: " · "))
    if let tool = artifact.tool {
      html.markup("<br>")
      html.element("bdi", text: Phrase.excerpt(tool, limit: 60))
    }
    html.markup("</figcaption></figure></li>\n")
  }
}
