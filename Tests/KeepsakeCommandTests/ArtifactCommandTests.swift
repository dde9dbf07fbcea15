import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake artifacts and keepsake get")
struct ArtifactCommandTests {
  @Test func `what is kept is listed, and has the promised shape for scripts`() async throws {
    let fruit = try await FruitStore()
    let table = await fruit.run("artifacts")
    let row = try #require(table.output.split(separator: "\n").last)
    #expect(row.hasPrefix("\(Words.short(fruit.image))  image/png"))
    #expect(row.contains("16×16"))
    #expect(row.contains("GenerateImage"))
    let artifact = try #require(try await fruit.run("artifacts", "--json").json()[0])
    #expect(
      artifact.names == [
        "artifact", "size", "mediaType", "width", "height", "uses", "tool", "state",
      ])
    #expect(artifact["size"]?.intValue == Int64(fruit.png.count))
    #expect(artifact["artifact"]?.stringValue == fruit.image.description)
    #expect(artifact["state"]?.stringValue == "present")
  }

  @Test(arguments: [("image", 1), ("image/png", 1), ("audio", 0)])
  func `24: artifacts are listed by their type`(type: String, count: Int) async throws {
    let fruit = try await FruitStore()
    let list = try await fruit.run("artifacts", "--type", type, "--json").json()
    #expect(list.arrayValue?.count == count)
  }

  @Test func `its exact bytes go to standard output, by digest, a beginning of it, or label`()
    async throws
  {
    let fruit = try await FruitStore()
    for name in [
      fruit.image.description, Words.short(fruit.image), "last/image_1",
      "\(Words.short(fruit.session))/image_1",
    ] {
      let run = await fruit.run("get", name)
      #expect(run.code == .done, "\(run.error)")
      #expect(run.bytes == fruit.png)
    }
    #expect(await fruit.run("get", "last/image_2").code == .failed)
    #expect(await fruit.run("get", "0000").code == .failed)
  }

  @Test func `binary is not spilt on a terminal, and text there does not steer it`() async throws {
    let fruit = try await FruitStore()
    let refused = await fruit.run("get", "last/image_1", width: 80)
    #expect(refused.code == .failed)
    #expect(refused.output.isEmpty)
    #expect(refused.error.contains("Write it to a file with -o FILE"))
    try await fruit.change { store in
      try await store.session(fruit.session).attach(
        .init(.data(Data("one \u{202E}two\n".utf8)), mediaType: .plainText, label: "note"))
    }
    let text = await fruit.run("get", "last/note", width: 80)
    #expect(text.output == "one <U+202E>two\n")
    #expect(await fruit.run("get", "last/note").output == "one \u{202E}two\n")
  }

  @Test func `a file that is there is not replaced unless that is asked for`() async throws {
    let fruit = try await FruitStore()
    let path = fruit.folder.path("banana.png")
    #expect(await fruit.run("get", "last/image_1", "-o", path).code == .done)
    #expect(FileManager.default.contents(atPath: path) == Data(fruit.png))
    try Data("mine".utf8).write(to: URL(filePath: path))
    let again = await fruit.run("get", "last/image_1", "-o", path)
    #expect(again.code == .failed)
    #expect(again.error.contains("--force"))
    #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    #expect(await fruit.run("get", "last/image_1", "--force", "-o", path).code == .done)
    #expect(FileManager.default.contents(atPath: path) == Data(fruit.png))
    #expect(await fruit.run("get", "last/image_1", "-o", fruit.folder.url.path).code == .done)
    #expect(
      FileManager.default.contents(atPath: fruit.folder.path("image_1.png")) == Data(fruit.png))
    #expect(await fruit.run("get", "last/image_1", "-o", "/dev/full").code == .failed)
    #expect(await fruit.run("get", "last/image_1", "-o", "\(path)s/").code == .failed)
  }

  @Test(arguments: [
    ("../../etc/passwd", MediaType.png, "etc-passwd.png"), (".bashrc", .plainText, "bashrc.txt"),
    ("-rf", .png, "rf.png"), ("a\nb\u{1B}[2J\u{202E}c.png", .png, "a-b-2J-c.png"),
    ("photo.jpeg", .jpeg, "photo.jpeg"), ("香蕉.png", .png, "香蕉.png"),
    ("///", .png, "artifact.png"), ("run.sh", .png, "run.sh.png"),
  ])
  func `the name of a file that we choose is plain`(name: String, type: MediaType, plain: String) {
    #expect(OutputPath.name(name, type: type) == plain)
  }
}
