import Keepsake

/// A table with a row for each attachment: the artifact, its maker, the maker's arguments, and the prompt.
struct MakersTable {
  private let report: Audit.SessionReport
  private let state: FragmentState
  /// The label that each artifact got when it was first recorded.
  private let labels: [Artifact.ID: String]

  init(report: Audit.SessionReport, state: FragmentState) {
    self.report = report
    self.state = state
    labels = Dictionary(
      report.attachments.lazy.compactMap { each in each.artifact.map { ($0, each.label) } },
      uniquingKeysWith: { first, _ in first })
  }

  var html: HTML {
    var html = HTML()
    if report.attachments.isEmpty { return html }
    html.markup(
      """
      <section id="makers"><h2>What made what</h2>
      <div class="table" role="group" aria-label="What made what" tabindex="0"><table>
      <thead><tr><th scope="col">Artifact</th><th scope="col">Made by</th><th scope="col">From</th>\
      <th scope="col">For</th><th scope="col">How it is known</th></tr></thead>
      <tbody>

      """)
    for occurrence in report.attachments where occurrence.direction != .content {
      row(occurrence, &html)
    }
    html.markup("</tbody></table></div>\n</section>\n")
    return html
  }

  private func row(_ occurrence: Audit.Occurrence, _ html: inout HTML) {
    html.markup("<tr><td>")
    if let anchor = occurrence.artifact.flatMap({ state.shown[$0] }) {
      html.element("a", ["href": "#\(anchor)"]) {
        $0.element("bdi", text: occurrence.label)
      }
    } else {
      html.element("bdi", text: occurrence.label)
      html.text(" (\(occurrence.state.rawValue))")
    }
    if let type = occurrence.mediaType ?? occurrence.sniffedType {
      html.markup("<br>")
      html.element("small", text: Phrase.excerpt(type.description, limit: 60))
    }
    html.markup("</td><td>")
    maker(of: occurrence, &html)
    html.markup("</td><td>")
    if let arguments = occurrence.arguments {
      html.element("code", text: Phrase.excerpt(arguments, limit: 200))
    }
    for input in occurrence.inputs {
      html.markup(" ")
      self.input(input, &html)
    }
    html.markup("</td><td>")
    if let prompt = occurrence.prompt {
      html.element("a", ["href": "#entry-\(prompt.position)"]) {
        $0.element("bdi", text: Phrase.excerpt(prompt.text, limit: 160))
      }
    }
    html.markup("</td><td>")
    html.element("span", ["class": "mark"], text: occurrence.basis.rawValue)
    html.markup(" ")
    html.element("small", text: occurrence.basisReason)
    html.markup("</td></tr>\n")
  }

  private func maker(of occurrence: Audit.Occurrence, _ html: inout HTML) {
    let kind =
      switch occurrence.maker.kind {
      case .toolCall: "tool"
      case .step: "step of the app"
      case .response: "the model"
      case .user: "the user"
      case .source: "an import"
      }
    if let name = occurrence.tool ?? occurrence.maker.name {
      html.element("bdi", ["class": "tool"], text: Phrase.excerpt(name, limit: 80))
      html.markup(" ")
      html.element("small", text: kind)
    } else {
      html.text(kind)
    }
    if let position = occurrence.call?.position ?? occurrence.position {
      html.markup(" ")
      html.element("a", ["href": "#entry-\(position)"], text: "entry \(position)")
    }
    if let model = occurrence.maker.model {
      html.markup("<br>")
      html.element("small") { $0.element("bdi", text: Phrase.excerpt(model, limit: 80)) }
    }
  }

  private func input(_ input: Entry.Attachment.Input, _ html: inout HTML) {
    switch input {
    case .artifact(let artifact):
      let name = labels[artifact] ?? String(artifact.description.prefix(19))
      if let anchor = state.shown[artifact] {
        html.element("a", ["href": "#\(anchor)"]) {
          $0.element("bdi", text: name)
        }
      } else {
        html.element("bdi", text: name)
      }
    case .entry(let position):
      html.element("a", ["href": "#entry-\(position)"], text: "entry \(position)")
    }
  }
}
