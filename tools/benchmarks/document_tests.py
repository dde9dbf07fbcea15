"""What tools/bench makes of its figures; run by `tools/bench render --self-test`."""

import sys
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "peers")]
import document  # noqa: E402
import figures  # noqa: E402


def row(name, value, goal="<= 1.5x", met=True, ratio=1.0):
    return {"name": name, "value": value, "yardstick": value, "ratio": ratio, "unit": "µs", "goal": goal, "met": met}


class PeersTests(unittest.TestCase):
    def rows(self, theirs, reasons=None, measure="append", ours=100.0):
        found = {"keepsake": {measure: {"value": ours, "unit": "µs"}}, "other": theirs}
        return figures.rows(found, reasons or {})

    def test_the_faster_one_is_ahead_unless_it_is_a_tie(self):
        for value, met in ((50.0, False), (94.0, False), (96.0, True), (100.0, True), (200.0, True)):
            found = self.rows({"append": {"value": value, "unit": "µs"}})
            self.assertEqual([each["met"] for each in found], [met], value)

    def test_of_a_rate_more_is_better(self):
        for value, met in ((200.0, False), (100.0, True), (50.0, True)):
            found = self.rows({"bulk": {"value": value, "unit": "MB/s"}}, measure="bulk")
            self.assertEqual([each["met"] for each in found], [met], value)

    def test_a_keeper_of_files_has_to_be_far_behind_with_large_ones(self):
        for value, met, is_behind in ((300.0, False, False), (200.0, True, False), (1100.0, False, True)):
            found = {
                "keepsake": {"bulk": {"value": 1000.0, "unit": "MB/s"}}, "git": {"bulk": {"value": value, "unit": "MB/s"}}}
            [row_] = figures.rows(found, {})
            self.assertEqual((row_["met"], row_["is_behind"]), (met, is_behind), value)

    def test_what_one_can_not_do_is_no_row(self):
        self.assertEqual(self.rows({"append": {"cannot": "no"}}), [])

    def test_who_waits_for_no_disk_is_ahead_for_that_reason(self):
        slower, faster = {"value": 1, "unit": "syncs"}, {"value": 0, "unit": "syncs"}
        append = {"value": 50.0, "unit": "µs"}
        self.assertIsNone(self.rows({"append": append, "syncs": slower})[0]["reason"])
        self.assertIn("does not wait", self.rows({"append": append, "syncs": faster})[0]["reason"])
        # Reading needs no disk: that is no excuse there.
        reload = self.rows({"reload": append, "syncs": faster}, measure="reload")
        self.assertIsNone(reload[0]["reason"])

    def test_nothing_lost_is_a_tie_and_a_loss_of_ours_is_not(self):
        for ours, theirs, met in ((0, 0, True), (0, 3, True), (2, 0, False)):
            found = self.rows({"kill": {"value": theirs, "unit": "missing"}}, measure="kill", ours=ours)
            self.assertEqual([each["met"] for each in found], [met])

    def test_a_program_is_compared_with_the_command_where_that_can_do_it(self):
        found = {
            "keepsake": {"list": {"value": 50.0, "unit": "µs"}, "disk": {"value": 1.1, "unit": "x"}},
            "keepsake command": {"list": {"value": 9000.0, "unit": "µs"}},
            "git": {"list": {"value": 3000.0, "unit": "µs"}, "disk": {"value": 1.2, "unit": "x"}}}
        self.assertEqual([each["met"] for each in figures.rows(found, {})], [False, True])

    def test_growth_is_a_tie_until_it_differs_by_a_quarter(self):
        for ours, value, met in ((1.2, 1.0, True), (1.3, 1.0, False), (1.3, 1.2, True), (1.0, 0.5, True)):
            for entries, rows in ((100, [met]), (99, [])):
                found = {
                    "keepsake": {"long": {"value": ours, "unit": "x", "entries": 3000}},
                    "other": {"long": {"value": value, "unit": "x", "entries": entries}}}
                self.assertEqual([each["met"] for each in figures.rows(found, {})], rows, value)

    def test_what_is_left_on_the_disk_says_how_much_of_it_is_the_log(self):
        found = {
            "keepsake": {"disk": {"value": 1.86, "unit": "x", "of which log": 0.75}},
            "other": {"disk": {"value": 1.1, "unit": "x"}}}
        self.assertIn("0.75 of Keepsake's 1.86", figures.rows(found, {})[0]["reason"])

    def test_a_cell_says_what_was_not_reached_and_what_was_refused(self):
        for measure, figure, text in (
            ("long", {"value": 1.5, "first": 100.0, "last": 150.0, "entries": 2999}, "100 µs → 150 µs (2,999)"),
            ("long", {"value": 1.5, "first": 100.0, "last": 150.0, "entries": 3000}, "100 µs → 150 µs"),
            ("processes", {"value": 3, "acknowledged": 7, "present": 9, "rejected": 2, "unfinished": 1},
             "7 acknowledged, 9 present, 2 refused, 1 not done in time"),
            ("kill", {"value": 0, "acknowledged": 7, "kills": 5, "why": None}, "7 acknowledged, 0 missing"),
            ("kill", {"value": 1, "acknowledged": 7, "kills": 2, "why": "locked"},
             "7 acknowledged, 1 missing, no more after kill 2"),
            ("bulk", {"value": 75, "unit": "MB/s", "files": 20}, "75 MB/s (20)"),
            ("reload", {"cannot": "> 30 s"}, "> 30 s"),
        ):
            self.assertEqual(figures.cell(measure, figure), text)

    def test_the_table_marks_who_is_ahead_and_says_why(self):
        found = {
            "keepsake": {"append": {"value": 100.0, "unit": "µs"}},
            "other": {"append": {"value": 1500.0, "unit": "µs"}, "search": {"cannot": "no search"}},
            "quick": {"append": {"value": 10.0, "unit": "µs"}}}
        tables = figures.tables(found, dict.fromkeys(found, "1.0"), {("quick", "append"): "It cheats."})
        self.assertIn("| other 1.0 ", tables[0])
        self.assertIn("1.5 ms", tables[0])
        self.assertIn("no search", tables[0])
        self.assertIn("10 µs [1]", tables[0])
        self.assertEqual(tables[2], "[1] It cheats.")


class DocumentTests(unittest.TestCase):
    def page(self, **records):
        with mock.patch.object(document, "load", records.get):
            files, unexplained = document.render()
        return files[document.PAGE], unexplained

    def test_what_was_not_recorded_has_no_section(self):
        self.assertNotIn("## On a hub", self.page()[0])

    def test_a_hub_has_a_section_with_or_without_its_lists(self):
        hub = {"rows": [row("append", 1.0)], "isQuick": False, "date": "2026-01-01", "machine": ["a machine"]}
        lists = {**hub, "rows": [row("page", 1.0, met=False)], "machine": ["hubs of 10 and 20 sessions"]}
        for records, rows in (({"hub": hub}, 1), ({"hub-lists": lists}, 1), ({"hub": hub, "hub-lists": lists}, 2)):
            page, unexplained = self.page(**records)
            self.assertEqual(page.count("## On a hub"), 1)
            self.assertEqual(page.count("Measured in full"), rows)
            self.assertEqual(unexplained, ["page"] if "hub-lists" in records else [])

    def test_a_missed_goal_without_a_reason_is_told(self):
        text, unexplained = document.missed([row("a", 1.0), row("b", 2.0, met=False)])
        self.assertEqual(unexplained, ["b"])
        self.assertIn("**b**", text)
        self.assertEqual(document.missed([row("a", 1.0)]), ("Every goal is met.\n", []))

    def test_a_reason_that_a_row_has_comes_before_those_of_names(self):
        missed = {**row("batch of 1000", 1.0, met=False), "reason": "It is slow."}
        self.assertEqual(document.missed([missed]), ("Missed:\n\n- **batch of 1000**: It is slow.\n", []))

    def test_growth_has_a_line_for_each_work_and_a_column_for_each_size(self):
        rows = [row("append, of 10000", 50.0), row("append, of 100000", 100.0, met=False, ratio=2.0)]
        lines = document.growth_table(rows).splitlines()
        self.assertEqual([cell.strip() for cell in lines[0].split("|")][2:4], ["10,000", "100,000"])
        self.assertEqual(
            [cell.strip() for cell in lines[2].split("|")][1:-1],
            ["append", "50.0", "100", "µs", "2.00", "<= 1.5x", "**missed**"])

    def test_the_plot_is_flat_where_nothing_grows(self):
        plot = document.plot([row("a, of 10000", 5.0), row("a, of 1000000", 5.0), row("b, of 10000", 900.0)])
        points = plot.split('<polyline points="')[1].split('"')[0].split()
        self.assertEqual(len({point.split(",")[1] for point in points}), 1)
        self.assertLess(float(points[0].split(",")[0]), float(points[1].split(",")[0]))


def run():
    # Of this module, whoever is the program.
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    return unittest.TextTestRunner(verbosity=0).run(suite).wasSuccessful()
