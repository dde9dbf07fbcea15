"""The tests of tools/lib/readme. Run them by: tools/lib/readme --self-test"""

import os
import tempfile
import unittest
from pathlib import Path

SWIFT = """import Testing
@Test func `a banana is kept`() throws {
  // snippet: banana
  let a = 1

  if a == 1 {
    print("🍌")
  }
  // end snippet
  // snippet: empty
  // end snippet
}
"""
FITTING = 'let a = 1\n\nif a == 1 {\n  print("🍌")\n}'
FILE = "Tests/KeepsakeTests/ReadmeTests.swift"


def tests(readme):
    class ReadmeTests(unittest.TestCase):
        def setUp(self):
            place = tempfile.TemporaryDirectory()
            self.addCleanup(place.cleanup)
            self.root = Path(place.name)
            (self.root / FILE).parent.mkdir(parents=True)
            (self.root / FILE).write_text(SWIFT, encoding="utf-8")

        def wrong(self, text):
            """(line, first line of the message) of everything that is wrong in a document."""
            found, _, _ = readme.check_document(text, self.root, lambda: os.environ["PATH"])
            return [(each.line, str(each).split("\n")[0]) for each in found]

        def assertWrong(self, text, line, words):
            found = self.wrong(text)
            self.assertEqual([each[0] for each in found], [line], found)
            self.assertIn(words, found[0][1])

        def assertRight(self, text):
            self.assertEqual(self.wrong(text), [])

        def swift(self, code, note=f"<!-- snippet: {FILE}#banana -->"):
            return f"{note}\n```swift\n{code}\n```\n"

        def console(self, content, note=""):
            return f"{note}\n```console\n{content}\n```\n"

        # Swift

        def test_code_that_is_compiled_passes(self):
            self.assertRight(self.swift(FITTING))
            _, _, checked = readme.check_document(self.swift(FITTING), self.root, None)
            self.assertEqual(checked, 1)

        def test_code_that_differs_fails(self):
            for other in (FITTING + " ", FITTING.replace("1", "2"), FITTING + "\n", FITTING.replace("  p", "p")):
                self.assertWrong(self.swift(other), 2, "differs from")

        def test_code_without_a_comment_fails(self):
            self.assertWrong(self.swift(FITTING, ""), 2, "no comment says where")
            self.assertWrong(self.swift(FITTING, f"<!-- snippet: {FILE}#banana -->\nText."), 3, "no comment")

        def test_a_comment_counts_for_one_fence_only(self):
            self.assertWrong(self.swift(FITTING) + self.swift(FITTING, ""), 10, "no comment says where")

        def test_blank_lines_may_part_a_comment_from_its_fence(self):
            self.assertRight(self.swift(FITTING, f"<!-- snippet: {FILE}#banana -->\n"))

        def test_code_that_is_not_compiled_needs_a_reason(self):
            self.assertRight(self.swift("x", "<!-- not compiled: needs Apple's framework -->"))
            self.assertWrong(self.swift("x", "<!-- not compiled: -->"), 2, "needs a reason")

        def test_places_that_are_not_there_are_named(self):
            self.assertWrong(self.swift("", "<!-- snippet: Tests/A.swift#a -->"), 2, "no file 'Tests/A.swift'")
            self.assertWrong(self.swift("", f"<!-- snippet: {FILE}#pear -->"), 2, "It has: banana, empty.")
            self.assertWrong(self.swift("", "<!-- snippet: README.md#a -->"), 2, "not a Swift file")
            self.assertWrong(self.swift("", "<!-- snippet: Tests/../a.swift#a -->"), 2, "not a Swift file")

        def test_snippets_that_overlap_or_never_end_fail(self):
            for source in (
                "// snippet: a\n", "// end snippet\n", "// snippet: a\n// snippet: b\n",
                "// snippet: a\n// end snippet\n// snippet: a\n// end snippet\n",
            ):
                with self.assertRaises(ValueError, msg=source):
                    readme.snippets(source, "A.swift")

        def test_a_fence_in_a_list_loses_its_indentation(self):
            lines = self.swift(FITTING).splitlines()
            self.assertRight("- A list:\n\n" + "\n".join("  " + line if line else "" for line in lines))

        # Fences

        def test_a_fence_that_is_open_or_nameless_fails(self):
            self.assertWrong("a\n```swift\nb\n", 2, "never closed")
            self.assertWrong("```\nb\n```\n", 1, "names no language")

        def test_a_longer_fence_holds_a_shorter_one(self):
            self.assertRight("````markdown\n```swift\nb\n```\n````\n")

        def test_other_languages_are_left_alone(self):
            self.assertRight('```json\n{"a": 1}\n```\n~~~text\n$ false\n~~~\n')

        # Commands

        def test_commands_run_in_order_in_one_shell_and_folder(self):
            self.assertRight(
                self.console("$ mkdir a && cd a\n$ x=1; echo b > c")
                + "\nText.\n" + self.console('$ cat c; echo "$x"; basename "$PWD"\nb\n1\na'))

        def test_output_that_differs_fails_at_its_command(self):
            self.assertWrong(self.console("$ echo a\na\n$ echo b\nc"), 5, "`echo b` prints something else")
            self.assertWrong(self.console("$ echo a"), 3, "prints something else")
            self.assertWrong(self.console("$ true\na"), 3, "prints something else")

        def test_standard_error_is_seen_as_in_a_terminal(self):
            self.assertRight(self.console("$ echo a >&2; echo b\na\nb"))

        def test_a_status_must_be_zero_or_as_stated(self):
            self.assertWrong(self.console("$ false"), 3, "ends with status 1, not 0")
            self.assertRight(self.console("$ true\n$ false", "<!-- exit: 1 -->"))
            self.assertWrong(self.console("$ true", "<!-- exit: 1 -->"), 3, "ends with status 0, not 1")
            self.assertWrong(self.console("$ false\n$ false", "<!-- exit: 1 -->"), 3, "ends with status 1, not 0")

        def test_a_status_can_be_asked_for(self):
            self.assertRight(self.console("$ (exit 3)", "<!-- exit: 3 -->") + self.console("$ echo $?\n3"))

        def test_an_ellipsis_stands_for_what_changes(self):
            for expected, actual, fits in (
                (["a…c"], ["abbc"], True), (["a…c"], ["ac"], True), (["a…c"], ["ab", "c"], False),
                (["a", "…", "z"], ["a", "b", "c", "z"], True), (["…", "z"], ["z"], True), (["…"], [], True),
                (["a", "…"], ["b", "a"], False), (["a.c"], ["abc"], False), ([], ["a"], False),
                (["  …", "b"], ["  x", "b"], True), (["", "a", ""], ["a "], True), (["a", "", "b"], ["a", "b"], False),
            ):
                self.assertEqual(readme.matches(expected, actual), fits, (expected, actual))

        def test_a_command_goes_on_after_a_backslash(self):
            self.assertRight(self.console("$ echo a \\\n    b\na b"))

        def test_a_command_that_leaves_the_shell_is_reported(self):
            self.assertWrong(self.console("$ exit 0\n$ echo a\na"), 3, "never ended")

        def test_a_command_that_hangs_is_ended(self):
            command = readme.Command(1, "sleep 60 & sleep 60")
            records, folder = self.root / "records", self.root / "folder"
            records.mkdir()
            folder.mkdir()
            self.assertEqual(
                readme.run([command], folder, records, os.environ["PATH"], seconds=0.2), [None])

        def test_commands_read_no_standard_input(self):
            self.assertRight(self.console("$ cat\n$ echo a\na"))

        def test_home_is_the_folder_and_not_a_persons(self):
            self.assertRight(self.console('$ [ "$HOME" = "$PWD" ] && echo same\nsame'))

        def test_files_are_copied_in(self):
            (self.root / "a.json").write_text("{}\n", encoding="utf-8")
            self.assertRight(self.console("$ cat a.json\n{}", "<!-- files: a.json -->"))
            self.assertRight(self.console("$ cat x/y.json\n{}", "<!-- files: a.json=x/y.json -->"))
            self.assertWrong(self.console("$ cat b.json", "<!-- files: b.json -->"), 2, "no file 'b.json'")

        def test_set_up_needs_a_reason_and_is_left_out(self):
            text = "<!-- set-up only: needs root -->\n```{}\n$ exit 9\n```\n"
            for language in ("sh", "bash", "console"):
                wrong, notes, _ = readme.check_document(text.format(language), self.root, None)
                self.assertEqual((wrong, notes), ([], [(2, "not run: needs root")]))
            self.assertWrong("```sh\nls\n```\n", 1, "commands that are not run")
            self.assertWrong("<!-- set-up only: -->\n```sh\nls\n```\n", 2, "needs a reason")

        def test_a_console_without_commands_fails(self):
            self.assertWrong(self.console("a"), 3, "before the first command")
            self.assertWrong(self.console(""), 2, "no line begins with")

    return ReadmeTests
