import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

#if os(Linux)
  @Suite("keepsake open")
  struct OpenCommandTests {
    /// Stands in for the desktop: writes down what it was given, and ends with a code.
    private func desktop(_ fruit: FruitStore, code: Int = 0) throws -> [String: String] {
      let program = fruit.folder.path("xdg-open")
      let script = """
        #!/bin/bash
        printf '%s\\n' "$#" "$@" > '\(fruit.folder.path("opened"))'
        exit \(code)
        """
      try Data(script.utf8).write(to: URL(filePath: program))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      return [
        "PATH": "\(fruit.folder.url.path):/usr/bin:/bin", "DISPLAY": ":0",
        "KEEPSAKE_STORE": fruit.path,
      ]
    }

    private func opened(_ fruit: FruitStore) throws -> [String] {
      try String(contentsOfFile: fruit.folder.path("opened"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }

    @Test func `the desktop gets one real file with the exact bytes, by label or digest`()
      async throws
    {
      let fruit = try await FruitStore()
      let environment = try desktop(fruit)
      for name in ["last/image_1", Words.short(fruit.image)] {
        let run = await CommandRun(list: ["open", name], environment: environment)
        #expect(run.code == .done, "\(run.error)")
        let given = try opened(fruit)
        #expect(given.count == 2 && given[0] == "1")
        #expect(given[1].hasSuffix("/image_1.png"))
        #expect(FileManager.default.contents(atPath: given[1]) == Data(fruit.png))
        #expect(run.error == "\(given[1])\n")
        try FileManager.default.removeItem(atPath: fruit.folder.path("opened"))
      }
    }

    @Test(arguments: [
      ("#!/bin/sh\nrm -rf /\n", "run.sh", "text/plain"),
      ("[Desktop Entry]\nExec=rm\n", "photo.desktop", "text/plain"),
      ("<html><script>1</script></html>", "page.html", "text/plain"),
      ("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "x.svg", "image/png"),
      ("plain text", "x.txt", "text/html"), ("plain text", "x.py", "text/plain"),
      ("\u{7F}ELF\u{2}\u{1}\u{1}", "tool", "image/png"), ("\u{0}\u{1}\u{2}", "data", ""),
    ])
    func `what may run is opened only when that is asked for`(
      content: String, fileName: String, type: String
    ) async throws {
      let fruit = try await FruitStore()
      try await fruit.change { store in
        try await store.session(fruit.session).attach(
          .init(
            .data(Data(content.utf8)), mediaType: type.isEmpty ? nil : MediaType(type),
            fileName: fileName, label: "evil"))
      }
      let environment = try desktop(fruit)
      let refused = await CommandRun(list: ["open", "last/evil"], environment: environment)
      #expect(refused.code == .failed)
      #expect(refused.error.contains("open it with --force"), "\(refused.error)")
      #expect(!FileManager.default.fileExists(atPath: fruit.folder.path("opened")))
      let forced = await CommandRun(
        list: ["open", "last/evil", "--force"], environment: environment)
      #expect(forced.code == .done, "\(forced.error)")
      #expect(try opened(fruit).count == 2)
    }

    @Test func `names are arguments and nothing else`() async throws {
      let fruit = try await FruitStore()
      let name = "-e $(touch ran); ' \"\n*.txt"
      try await fruit.change { store in
        try await store.session(fruit.session).attach(
          .init(.data(Data("plain text\n".utf8)), fileName: name, label: "note"))
      }
      let run = await CommandRun(list: ["open", "last/note"], environment: try desktop(fruit))
      #expect(run.code == .done, "\(run.error)")
      #expect(try opened(fruit).count == 2)
      #expect(try opened(fruit)[1].hasPrefix("/"))
      #expect(!FileManager.default.fileExists(atPath: "ran"))
    }

    @Test func `without a desktop, or when that can't, it says what to do`() async throws {
      let fruit = try await FruitStore()
      let environment = try desktop(fruit, code: 3)
      let failing = await CommandRun(list: ["open", "last/image_1"], environment: environment)
      #expect(failing.code == .failed)
      #expect(failing.error.contains("(code 3)") && failing.error.contains("-o FILE"))
      for (without, reason) in [("DISPLAY", "no desktop here"), ("PATH", "install xdg-utils")] {
        var less = environment
        less[without] = without == "PATH" ? "/nowhere" : nil
        let run = await CommandRun(list: ["open", "last/image_1"], environment: less)
        #expect(run.code == .failed)
        #expect(
          run.error.contains(reason) && run.error.contains("'keepsake get last/image_1 -o FILE'"))
      }
      let reading = await CommandRun(
        list: ["open", "last/image_1", "--read-only"], environment: environment)
      #expect(reading.code == .usage)
    }
  }
#endif
