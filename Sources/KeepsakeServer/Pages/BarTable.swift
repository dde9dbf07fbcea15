import KeepsakeViewer

/// A table whose rows have a bar each, so that one sees at a glance which is the largest.
struct BarTable {
  /// A row of the table.
  struct Row {
    let name: String
    var address: String?
    let values: [String]
    /// The length of the bar, in the unit of all rows.
    let share: Double
  }

  let headings: [String]
  let rows: [Row]

  func write(to html: inout HTML) {
    let most = max(rows.map(\.share).max() ?? 0, .leastNonzeroMagnitude)
    html.markup("<div class=\"table\"><table class=\"bars\"><thead><tr>")
    for (index, heading) in headings.enumerated() {
      html.element("th", ["scope": "col", "class": index == 0 ? nil : "number"], text: heading)
    }
    html.markup("<td></td></tr></thead><tbody>")
    for row in rows {
      html.markup("<tr>")
      html.element("th", ["scope": "row"]) { html in
        let name = Phrase.excerpt(row.name, limit: 80)
        if let address = row.address {
          html.element("a", ["href": address, "dir": "auto"], text: name)
        } else {
          html.element("bdi", text: name)
        }
      }
      for value in row.values { html.element("td", ["class": "number"], text: value) }
      html.markup(
        "<td class=\"bar-cell\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      )
      html.begin(
        "rect", ["width": Self.rounded(row.share / most * 100), "height": "10", "rx": "1"])
      html.end("rect")
      html.markup("</svg></td></tr>")
    }
    html.markup("</tbody></table></div>")
  }

  /// A number with one digit behind the point.
  static func rounded(_ number: Double) -> String {
    "\((number * 10).rounded() / 10)"
  }
}
