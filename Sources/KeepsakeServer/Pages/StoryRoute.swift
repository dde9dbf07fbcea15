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
      html.markup("<h2>Where it comes from, and where it is</h2><ol class=\"story\">")
      for input in trail.madeFrom { Self.madeFrom(input, to: &html) }
      for place in trail.attachments { Self.place(place, to: &html) }
      for product in trail.madeInto { Self.madeInto(product, to: &html) }
      html.markup("</ol>")
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
    html.markup("<div class=\"table\"><table class=\"facts-table\"><tbody>")
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

  // MARK: - The story

  private static func madeFrom(_ input: Audit.Input, to html: inout HTML) {
    html.markup("<li><h3>Made from</h3>")
    if let artifact = input.artifact {
      html.element("a", ["href": Address.story(artifact)]) {
        $0.element("code", text: String(artifact.description.prefix(19)))
      }
    } else {
      html.element(
        "a", ["href": Address.session(input.session, at: input.position)], text: "an entry")
    }
    html.markup("</li>")
  }

  private static func place(_ place: Audit.Occurrence, to html: inout HTML) {
    html.begin("li")
    let deed = place.direction == .made ? "Made" : "Given"
    html.element("h3") { html in
      html.text(deed)
      if let tool = place.tool {
        html.markup(" by ")
        html.element("bdi", ["class": "tool"], text: Phrase.excerpt(tool, limit: 80))
      }
      html.markup(" in ")
      html.element(
        "a",
        ["href": Address.session(place.session, at: place.position), "dir": "auto"],
        text: Phrase.excerpt(place.title ?? "a conversation without a title", limit: 120))
    }
    if let prompt = place.prompt {
      html.element("blockquote", ["dir": "auto"]) {
        $0.element("p", text: Phrase.excerpt(prompt.text, limit: 400))
      }
    }
    if let arguments = place.arguments {
      html.markup(
        "<details class=\"fold\"><summary><span class=\"session-title\">Arguments</span></summary><pre class=\"plain\">"
      )
      html.text(arguments.utf8.count > 20_000 ? Phrase.excerpt(arguments, limit: 5_000) : arguments)
      html.markup("</pre></details>")
    }
    if let caption = place.caption {
      html.element("p", ["dir": "auto"], text: Phrase.excerpt(caption, limit: 500))
    }
    html.element("p", ["class": "basis"]) { html in
      html.text("\(place.label), \(place.basis.rawValue): \(place.basisReason)")
      html.markup(" · ")
      html.element(
        "time", ["datetime": Phrase.machine(place.created)], text: Phrase.time(place.created))
      html.text(" · change \(place.link.change) of \(place.link.changes) of its chain")
      if place.state != .present { html.text(" · \(place.state.rawValue)") }
    }
    html.markup("</li>")
  }

  private static func madeInto(_ product: Audit.Product, to html: inout HTML) {
    html.markup("<li><h3>Made into ")
    if let artifact = product.artifact {
      html.element("a", ["href": Address.story(artifact)], text: product.label)
    } else {
      html.text(product.label)
    }
    html.markup("</h3><p class=\"basis\">")
    html.text([product.tool, product.basis.rawValue].compactMap { $0 }.joined(separator: ", "))
    html.markup("</p></li>")
  }
}
