import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page of one tool: what it made.
struct ToolRoute: Route {
  let endpoint = Endpoint(.get, "/tools/{tool}", "What a tool made", answer: .page)

  private static let page = 60

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let tool = request.names["tool"] ?? ""
    let page = try await server.store.audit(
      tool: tool, limit: Self.page, after: try request.cursor("after", as: Audit.Cursor.self))
    let more = page.next.map {
      Address.with("/tools/\(Address.escaped(tool))", [("after", $0.description)])
    }
    if request.text("part") != nil { return Shell.part { Self.list(page, more, to: &$0) } }
    return Shell(title: tool, place: .tools, layout: "wide", script: "/assets/list.js").answer {
      html in
      html.element("h1") { $0.element("bdi", text: Phrase.excerpt(tool, limit: 120)) }
      Self.list(page, more, to: &html)
    }
  }

  private static func list(_ page: Audit.Page, _ more: String?, to html: inout HTML) {
    html.markup("<ul class=\"gallery rows\">")
    for product in page.products {
      html.markup("<li><figure>")
      let address =
        product.artifact.map(Address.story)
        ?? Address.session(product.session, at: product.position)
      html.element("a", ["class": "frame", "href": address]) { html in
        let type = product.mediaType?.essence ?? "no bytes"
        if type.hasPrefix("image/"), type != "image/svg+xml", let artifact = product.artifact {
          html.begin(
            "img",
            [
              "src": Address.bytes(artifact), "alt": product.label, "loading": "lazy",
              "decoding": "async",
            ])
        } else {
          html.text(type)
        }
      }
      html.begin("figcaption")
      html.element(
        "a", ["href": Address.session(product.session, at: product.position)], text: product.label)
      html.text(" · \(product.basis.rawValue)")
      html.markup("</figcaption></figure></li>\n")
    }
    html.markup("</ul>")
    if page.products.isEmpty { html.markup("<p class=\"empty\">It made nothing.</p>") }
    html.begin("p", ["class": "more"])
    if let more { html.element("a", ["class": "button", "href": more], text: "Later ones") }
    html.end("p")
  }
}
