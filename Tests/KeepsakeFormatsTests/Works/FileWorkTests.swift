import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("What calls of agents do to files")
struct FileWorkTests {
  private static func works(_ tool: String, _ arguments: String) -> [FileWork] {
    FileWork.works(of: Entry.ToolCall(id: "c", tool: tool, arguments: arguments))
  }

  @Test(arguments: [
    ("Write", #"{"file_path":"/a/b.txt","content":"x"}"#),
    ("write_file", #"{"file_path":"/a/b.txt","content":"x"}"#),
    ("mcp__files__write_file", #"{"path":"/a/b.txt","content":"x"}"#),
    ("str_replace_based_edit_tool", #"{"command":"create","path":"/a/b.txt","file_text":"x"}"#),
    ("Edit", #"{"file_path":"/a/b.txt","old_string":"","new_string":"x"}"#),
  ])
  func `a tool that is given the whole text writes it`(_ tool: String, _ arguments: String) {
    #expect(Self.works(tool, arguments) == [FileWork(path: "/a/b.txt", deed: .write("x"))])
  }

  @Test func `edits are taken in their order`() {
    let edits =
      #"[{"old_string":"a","new_string":"b"},{"old_string":"b","new_string":"c","replace_all":true}]"#
    #expect(
      Self.works("MultiEdit", #"{"file_path":"/x","edits":\#(edits)}"#) == [
        FileWork(
          path: "/x",
          deed: .edit([
            .init(old: "a", new: "b"), .init(old: "b", new: "c", isEverywhere: true),
          ]))
      ])
    #expect(
      Self.works("replace", #"{"file_path":"/x","old_string":"a","new_string":"b"}"#)
        == [FileWork(path: "/x", deed: .edit([.init(old: "a", new: "b")]))])
    // One edit that can't be read makes all of it unknown.
    #expect(
      Self.works("MultiEdit", #"{"file_path":"/x","edits":[{"old_string":"a"}]}"#)
        == [FileWork(path: "/x", deed: .change)])
  }

  @Test func `a patch adds, changes, moves and removes`() {
    let patch = """
      *** Begin Patch
      *** Add File: new.txt
      +one
      +two
      *** Update File: src/a.py
      @@ def main():
       a
      -b
      +c
      @@
      -d
      *** Update File: old.md
      *** Move to: notes/old.md
      *** Delete File: gone
      *** End Patch
      """
    let expected = [
      FileWork(path: "new.txt", deed: .write("one\ntwo\n")),
      FileWork(
        path: "src/a.py",
        deed: .edit([.init(old: "a\nb\n", new: "a\nc\n"), .init(old: "d\n", new: "")])),
      FileWork(path: "old.md", deed: .remove), FileWork(path: "notes/old.md", deed: .change),
      FileWork(path: "gone", deed: .remove),
    ]
    #expect(Self.works("apply_patch", patch) == expected)
    let json = JSON.object([("input", .string(patch))]).text
    #expect(Self.works("apply_patch", json) == expected)
    let shell = JSON.object([
      (
        "command",
        .array([.string("bash"), .string("-lc"), .string("apply_patch <<'EOF'\n\(patch)\nEOF")])
      )
    ]).text
    #expect(Self.works("shell", shell) == expected)
  }

  @Test func `lines of Windows in a patch keep their ends`() {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\r\n+two\r\n*** End Patch\n"
    #expect(
      Self.works("apply_patch", patch) == [FileWork(path: "a.txt", deed: .write("one\r\ntwo\r\n"))])
    let all =
      "*** Begin Patch\r\n*** Update File: a.txt\r\n*** Move to: b.txt\r\n-a\r\n+b\r\n*** End Patch\r\n"
    #expect(
      Self.works("apply_patch", all) == [
        FileWork(path: "a.txt", deed: .remove), FileWork(path: "b.txt", deed: .change),
      ])
  }

  @Test(arguments: [
    ("convert in.jpg -resize 50% 'my logo.png'", ["in.jpg", "my logo.png"]),
    ("python3 -c \"plt.savefig('out/plot.svg')\"", ["out/plot.svg"]),
    ("echo hi > notes.txt 2>&1; ls >> /dev/null", ["notes.txt"]),
    ("cc -O2 main.c -o build/app && ./build/app", ["build/app"]),
    ("curl https://example.org/a.png -o a.bin", ["a.bin"]),
    ("ls *.png; rm $HOME/a.png; echo --x.png", []),
    ("say -o ./hello.wav hello", ["hello.wav"]),
    ("cat README.md", []),
  ])
  func `a command names what it redirects to, and media`(_ command: String, _ files: [String]) {
    let arguments = JSON.object([("command", .string(command))]).text
    let works = Self.works("Bash", arguments)
    #expect(works.map(\.path) == files)
    #expect(works.allSatisfy { $0.deed == .name })
  }

  @Test func `a command's folder stands before what is not absolute`() {
    let arguments = #"{"command":["convert","a.png","/b/c.png"],"workdir":"/home/alice"}"#
    #expect(Self.works("shell", arguments).map(\.path) == ["/home/alice/a.png", "/b/c.png"])
  }

  @Test(arguments: [
    ("Read", #"{"file_path":"/a"}"#), ("Write", "no JSON"), ("Write", #"{"file_path":5}"#),
    ("Write", #"{"file_path":""}"#), ("Edit", "[]"), ("Bash", "7"), ("Bash", #"{"command":{}}"#),
    ("apply_patch", "{}"), ("apply_patch", "*** Begin Patch"), ("", "{}"), ("__", "{}"),
  ])
  func `what names no file is no work`(_ tool: String, _ arguments: String) {
    #expect(Self.works(tool, arguments).isEmpty)
  }
}

@Suite("The texts that files hold after calls")
struct FileTextsTests {
  private static func text(_ works: [FileWork]) -> String? {
    var texts = FileTexts()
    var last: [UInt8]?
    for work in works { last = texts.text(after: work) }
    return last.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func edit(_ old: String, _ new: String, everywhere: Bool = false) -> FileWork {
    FileWork(path: "/a", deed: .edit([.init(old: old, new: new, isEverywhere: everywhere)]))
  }

  private static let write = FileWork(path: "/a", deed: .write("one two one"))

  @Test func `follow from what was written and edited`() {
    #expect(Self.text([Self.write]) == "one two one")
    #expect(Self.text([Self.write, Self.edit("two", "2")]) == "one 2 one")
    #expect(Self.text([Self.write, Self.edit("one", "1", everywhere: true)]) == "1 two 1")
    #expect(Self.text([Self.write, FileWork(path: "/a", deed: .name)]) == "one two one")
  }

  @Test func `are unknown where the calls don't say them`() {
    #expect(Self.text([Self.edit("two", "2")]) == nil)
    #expect(Self.text([Self.write, Self.edit("one", "1")]) == nil, "which of the two is not said")
    #expect(Self.text([Self.write, Self.edit("three", "3")]) == nil)
    #expect(Self.text([Self.write, Self.edit("", "x")]) == nil)
    #expect(
      Self.text([Self.write, FileWork(path: "/a", deed: .change), Self.edit("two", "2")]) == nil)
    #expect(Self.text([Self.write, FileWork(path: "/b", deed: .edit([]))]) == nil)
  }

  @Test func `compare by bytes, not by what looks alike`() {
    let composed = FileWork(path: "/a", deed: .write("caf\u{E9}"))
    #expect(Self.text([composed, Self.edit("cafe\u{301}", "x")]) == nil)
    let lines = FileWork(path: "/a", deed: .write("a\r\nb"))
    #expect(Self.text([lines, Self.edit("\n", "\n\n")]) == "a\r\n\nb")
  }
}
