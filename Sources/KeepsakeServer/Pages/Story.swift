import Keepsake
import KeepsakeFiles
import KeepsakeViewer

/// The story of an artifact as a picture: what it was made from, each place where it is, and what was made of it.
///
/// A place is a row of steps that lead to the artifact: the prompt, the call, and the attachment with its basis.
struct Story {
  private let trail: Audit.Trail

  init(_ trail: Audit.Trail) { self.trail = trail }

  func write(to html: inout HTML) {
    html.markup("<h2>Where it comes from, and where it is</h2><ol class=\"story\">")
    if !trail.madeFrom.isEmpty { madeFrom(&html) }
    for place in trail.attachments { Self.place(place, to: &html) }
    if !trail.madeInto.isEmpty { madeInto(&html) }
    html.markup("</ol>")
  }

  private static func place(_ place: Audit.Occurrence, to html: inout HTML) {
    html.markup("<li>")
    html.element("h3") { html in
      html.text(place.direction == .made ? "Made in " : "Given in ")
      html.element(
        "a", ["href": Address.session(place.session, at: place.position), "dir": "auto"],
        text: Phrase.excerpt(place.title ?? "a conversation without a title", limit: 120))
    }
    html.markup("<ol class=\"flow\">")
    if let prompt = place.prompt {
      step("Prompt", Address.session(place.session, at: prompt.position), &html) { html in
        html.element("p", ["dir": "auto"], text: Phrase.excerpt(prompt.text, limit: 400))
      }
    }
    if place.tool != nil || place.maker.name != nil || place.arguments != nil {
      maker(place, &html)
    }
    attachment(place, &html)
    html.markup("</ol></li>")
  }

  private static func maker(_ place: Audit.Occurrence, _ html: inout HTML) {
    let address = place.call.map { Address.session(place.session, at: $0.position) }
    step(place.call == nil ? "Maker" : "Call", address, &html) { html in
      html.element(
        "p", ["class": "tool"],
        text: Phrase.excerpt(place.tool ?? place.maker.name ?? "unknown", limit: 80))
      let facts = [place.maker.implementation, place.maker.version, place.maker.model].compactMap {
        $0
      }
      if !facts.isEmpty {
        html.element(
          "p", ["class": "note"], text: Phrase.excerpt(facts.joined(separator: " · "), limit: 160))
      }
      guard let arguments = place.arguments else { return }
      html.markup(
        "<details class=\"fold\"><summary><span class=\"title\">Arguments</span></summary><pre class=\"plain\" dir=\"ltr\">"
      )
      html.text(arguments.utf8.count > 20_000 ? Phrase.excerpt(arguments, limit: 5_000) : arguments)
      html.markup("</pre></details>")
    }
  }

  private static func attachment(_ place: Audit.Occurrence, _ html: inout HTML) {
    let address = place.position.map { Address.session(place.session, at: $0) }
    step("Artifact", address, &html) { html in
      html.element("p", ["class": "tool"], text: place.label)
      if let caption = place.caption {
        html.element("p", ["dir": "auto"], text: Phrase.excerpt(caption, limit: 500))
      }
      html.element("p", ["class": "basis"]) { html in
        html.element("span", ["class": "mark"], text: place.basis.rawValue)
        html.text(" \(place.basisReason)")
      }
      html.element("p", ["class": "basis"]) { html in
        html.element(
          "time", ["datetime": Phrase.machine(place.created)], text: Phrase.time(place.created))
        html.text(" · change \(place.link.change) of \(place.link.changes) of its chain")
        if place.state != .present { html.text(" · \(place.state.rawValue)") }
      }
    }
  }

  /// Writes a step on the way to the artifact, with a link to where it stands.
  private static func step(
    _ kind: String, _ address: String?, _ html: inout HTML, _ content: (inout HTML) -> Void
  ) {
    html.begin("li", ["class": "step"])
    if let address {
      html.element("a", ["class": "kind", "href": address], text: kind)
    } else {
      html.element("span", ["class": "kind"], text: kind)
    }
    content(&html)
    html.end("li")
  }

  private func madeFrom(_ html: inout HTML) {
    html.markup("<li><h3>Made from</h3><ul class=\"flow\">")
    for input in trail.madeFrom {
      html.begin("li", ["class": "step"])
      if let artifact = input.artifact {
        html.element("a", ["href": Address.story(artifact)]) {
          $0.element("code", text: String(artifact.description.prefix(19)))
        }
      } else {
        html.element(
          "a", ["href": Address.session(input.session, at: input.position)], text: "an entry")
      }
      html.end("li")
    }
    html.markup("</ul></li>")
  }

  private func madeInto(_ html: inout HTML) {
    html.markup("<li><h3>Made of it</h3><ul class=\"flow\">")
    for product in trail.madeInto {
      html.begin("li", ["class": "step"])
      if let artifact = product.artifact {
        html.element("a", ["href": Address.story(artifact)], text: product.label)
      } else {
        html.element("p", text: product.label)
      }
      html.element(
        "p", ["class": "basis"],
        text: [product.tool, product.basis.rawValue].compactMap { $0 }.joined(separator: ", "))
      html.end("li")
    }
    html.markup("</ul></li>")
  }
}
