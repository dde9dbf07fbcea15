package import Keepsake

extension EntryFragment {
  /// An output that is shown together with its call.
  package struct Output: Sendable {
    /// The index of the answered call among the entry's calls.
    let ordinal: Int
    let entry: Entry

    package init(ordinal: Int, entry: Entry) {
      self.ordinal = ordinal
      self.entry = entry
    }
  }

  /// Writes tool calls with their outputs, folded until a reader opens them. What the tools made stays visible.
  mutating func calls(of entry: Entry, outputs: [Output]) {
    let answered = Dictionary(grouping: outputs, by: \.ordinal)
    for (ordinal, call) in entry.toolCalls.enumerated() {
      let answers = (answered[ordinal] ?? []).map(\.entry)
      html.begin("details", ["class": "fold call"])
      html.element("summary") { html in
        html.element("bdi", ["class": "tool"], text: call.tool)
        html.markup(" ")
        html.element(
          "bdi", ["class": "detail"], text: Phrase.arguments(call.arguments, limit: 120))
        if answers.isEmpty {
          html.markup(" ")
          html.element("span", ["class": "mark"], text: "no output here")
        }
      }
      html.element("h4", text: "Arguments")
      plain(call.arguments)
      for answer in answers {
        // The section has the output's own anchor, so that links to the output lead here.
        html.begin("section", ["id": answer.position.map { "entry-\($0)" }, "class": "output"])
        html.element("h4") { html in
          html.markup("Output ")
          html.minute(of: answer.created)
          if answer.status != .complete {
            html.markup(" ")
            html.element("span", ["class": "mark"], text: answer.status.rawValue)
          }
        }
        if answer.isErased {
          html.element("p", ["class": "note"], text: "The content of this output was erased.")
        } else {
          body(of: answer)
        }
        html.end("section")
      }
      html.end("details")
      for answer in answers { attachments(of: answer) }
    }
  }
}
