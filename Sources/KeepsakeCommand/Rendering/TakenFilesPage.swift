import Keepsake
import KeepsakeFormats

/// The files that an import took in because calls name them, as text for people.
struct TakenFilesPage {
  let terminal: Terminal

  func print(_ files: TakenFiles) throws {
    if !files.files.isEmpty {
      var table = TextTable([
        .init(heading: "FILE", gives: true), .init(heading: "SIZE", isNumber: true),
        .init(heading: "SESSION", style: .code), .init(heading: "ENTRY", isNumber: true, leaves: 1),
        .init(heading: "MADE BY", leaves: 2), .init(heading: "BASIS", leaves: 3),
      ])
      for file in files.files {
        table.add([
          file.path, Words.size(file.size), Words.short(file.session), "\(file.position)",
          file.tool, file.basis.rawValue,
        ])
      }
      try terminal.line()
      try table.print(terminal)
    }
    for refused in files.refused {
      let lines = Terminal.oneLine(refused.reason).folded(to: terminal.width.map { $0 - 9 })
      try terminal.note("skipped  \(lines.joined(separator: "\n         "))")
    }
    try terminal.line(
      "\(Words.count(files.files.count, "file")) taken in, \(files.known) known; "
        + "\(files.gone) gone, \(files.changed) changed since.")
  }
}
