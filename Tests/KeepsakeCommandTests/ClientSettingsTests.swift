import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

/// How an entry is set in a client's settings, and taken out of them, with all other bytes as they were.
@Suite struct ClientSettingsTests {
  private static let entry = [
    (name: "command", value: #""/bin/k""#), (name: "args", value: #"["mcp"]"#),
  ]

  private static func set(_ text: String) throws -> (text: String, edit: SettingsEdit) {
    let edit = try JSONSettings(Array(text.utf8), group: "mcpServers", name: "keepsake")
      .setting(entry)
    return (String(decoding: edit.text, as: UTF8.self), edit)
  }

  @Test func `settings that are not there, or empty, get the entry alone`() throws {
    for text in ["", " \n", "{}", "{ }\n"] {
      let (result, edit) = try Self.set(text)
      let json = try JSON(validating: result)
      #expect(json == json && json.names == ["mcpServers"], "\(result)")
      #expect(json["mcpServers"]?["keepsake"]?["args"]?[0] == "mcp")
      #expect(edit.old == nil)
    }
    #expect(
      try Self.set("").text == """
        {
          "mcpServers": {
            "keepsake": {
              "command": "/bin/k",
              "args": ["mcp"]
            }
          }
        }

        """)
  }

  @Test(
    arguments: [
      "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"}\n  },\n  \"z\": [1,  2]\n}\n",
      "{\"mcpServers\":{\"x\":{}},\"k\":\"\\u00e9\"}", "{\"mcpServers\":{}}",
      "{\"mcpServers\": {\n}\n}",
      "{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}", "{\"a\":1}",
      "{\n    \"a\": {\"mcpServers\": {}}\n}\n",
      "  {\r\n  \"a\": 1\r\n}\r\n", "{\"mcpServers\":{\"x\":\"keepsake\",\"y\":{\"keepsake\":1}}}",
    ]) func `everything else stays as it was, to the byte, and goes back to it`(text: String) throws
  {
    let (result, edit) = try Self.set(text)
    let json = try JSON(validating: result)
    #expect(json["mcpServers"]?["keepsake"]?["command"] == "/bin/k", "\(result)")
    #expect(edit.old == nil)
    // What was there stands before and behind what was added.
    let added = result.utf8.count - text.utf8.count
    let common = zip(text.utf8, result.utf8).prefix { $0 == $1 }.count
    #expect(Array(result.utf8.dropFirst(common + added)) == Array(text.utf8.dropFirst(common)))
    let again = try Self.set(result)
    #expect(again.text == result && again.edit.old == again.edit.new)
    let removed = try #require(
      try JSONSettings(edit.text, group: "mcpServers", name: "keepsake").removing())
    let back = try JSON(validating: removed.text)
    #expect(back["mcpServers"]?["keepsake"] == nil)
    let members = try JSON(validating: text)["mcpServers"]?.members?.map(\.key) ?? []
    #expect(back["mcpServers"]?.names == members)
    if !members.isEmpty { #expect(String(decoding: removed.text, as: UTF8.self) == text) }
  }

  @Test func `an entry that is there is replaced alone, and shown`() throws {
    let text = #"{"mcpServers": {"a": 1, "keepsake": {"command": "old"}, "b": 2}}"#
    let (result, edit) = try Self.set(text)
    #expect(edit.old == #"{"command": "old"}"#)
    #expect(result.hasPrefix(#"{"mcpServers": {"a": 1, "keepsake": {"#))
    #expect(result.hasSuffix(#"}, "b": 2}}"#))
    for (given, left) in [
      (#"{"mcpServers": {"keepsake": 1}}"#, #"{"mcpServers": {}}"#),
      (#"{"mcpServers": {"keepsake": 1, "b": 2}}"#, #"{"mcpServers": {"b": 2}}"#),
      (#"{"mcpServers": {"a": 1, "keepsake": 1, "b": 2}}"#, #"{"mcpServers": {"a": 1, "b": 2}}"#),
      (#"{"mcpServers": {"a": 1, "keepsake": 1 }}"#, #"{"mcpServers": {"a": 1 }}"#),
    ] {
      let removed = try JSONSettings(Array(given.utf8), group: "mcpServers", name: "keepsake")
        .removing()
      #expect(removed.map { String(decoding: $0.text, as: UTF8.self) } == left)
    }
  }

  @Test(
    arguments: [
      "// a comment\n{}", "{\"a\":1,}", "[]", "{\"mcpServers\":[]}", "{\"mcpServers\":null}", "x",
    ]) func `settings that are not plain JSON are left to a person`(text: String)
  {
    #expect(throws: SettingsEdit.Refusal.self) { try Self.set(text) }
  }

  private static func table(_ text: String) throws -> TOMLSettings {
    try TOMLSettings(Array(text.utf8), group: "mcp_servers", name: "keepsake")
  }

  @Test(
    arguments: [
      "", "model = \"x\"\n", "model = \"x\"",
      "# mine\r\n[mcp_servers.other]\r\ncommand = \"y\"\r\n",
      "a = \"\"\"\n[not.a.table]\n\"\"\"\n", "[profiles.\"a b\"]\nx = 1\n\n# end\n",
    ]) func `a table is put behind everything else, and taken away again`(text: String) throws
  {
    let edit = try Self.table(text).setting(Self.entry)
    let result = String(decoding: edit.text, as: UTF8.self)
    #expect(result.hasPrefix(text))
    #expect(result.hasSuffix("[mcp_servers.keepsake]\ncommand = \"/bin/k\"\nargs = [\"mcp\"]\n"))
    #expect(try Self.table(result).setting(Self.entry).text == edit.text)
    let removed = try #require(try Self.table(result).removing())
    let back = String(decoding: removed.text, as: UTF8.self)
    #expect(back == text || back == text + "\n")
    #expect(try Self.table(text).removing() == nil)
  }

  @Test func `a table that is there is replaced with the tables inside of it`() throws {
    let text = """
      a = 1

      [mcp_servers."keepsake"]
      command = "old"

      [mcp_servers.keepsake.env]
      X = "1"

      # of the next one
      [mcp_servers.other]
      command = "y"

      """
    let edit = try Self.table(text).setting(Self.entry)
    #expect(
      String(decoding: edit.text, as: UTF8.self) == """
        a = 1

        [mcp_servers.keepsake]
        command = "/bin/k"
        args = ["mcp"]

        # of the next one
        [mcp_servers.other]
        command = "y"

        """)
    #expect(edit.old?.contains("X = \"1\"") == true)
    let removed = try #require(try Self.table(text).removing())
    #expect(!String(decoding: removed.text, as: UTF8.self).contains("keepsake"))
  }

  @Test(
    arguments: [
      "mcp_servers = {keepsake = {command = \"x\"}}\n", "mcp_servers.keepsake.command = \"x\"\n",
      "[mcp_servers.keepsake]\nx = \"\"\"\n[a]\n\"\"\"\n",
      "[mcp_servers.keepsake]\na = 1\n[b]\n[mcp_servers.keepsake]\n",
    ]) func `a table in another form is left to a person`(text: String)
  {
    #expect(throws: SettingsEdit.Refusal.self) { try Self.table(text).setting(Self.entry) }
  }
}
