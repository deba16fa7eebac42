"""The live table, as somebody at a terminal sees it: a terminal of its own, and what its screen shows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unittest

from scene import PROGRAM, Scene


class Screen:
    """Just enough of a terminal: printable text, CR, LF, cursor up, and clearing. Text past the last column folds."""

    SEQUENCE = re.compile(r"\x1b\[(\d*)([AJK])")
    UP = re.compile(r"\x1b\[(\d+)A")

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines, self.scrolled = [""] * rows, []
        self.row = self.column = 0
        self.folds = 0

    def line_feed(self):
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.scrolled.append(self.lines.pop(0))
            self.lines.append("")

    def put(self, character):
        if self.column == self.columns:
            self.folds += 1
            self.column = 0
            self.line_feed()
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def feed(self, text):
        at = 0
        while at < len(text):
            found = self.SEQUENCE.match(text, at)
            if found:
                if found[2] == "A":
                    self.row = max(0, self.row - int(found[1] or 1))
                else:
                    self.lines[self.row] = self.lines[self.row][:self.column]
                    if found[2] == "J":
                        self.lines[self.row + 1:] = [""] * (self.rows - self.row - 1)
                at = found.end()
                continue
            if text[at] == "\r":
                self.column = 0
            elif text[at] == "\n":
                self.line_feed()
            elif text[at] >= " ":
                self.put(text[at])
            else:
                raise AssertionError(f"the terminal was sent {text[at:at + 8]!r}")
            at += 1

    def text(self):
        return "\n".join([*self.scrolled, *self.lines]).rstrip("\n")


class LiveTable(Scene):
    def at_a_terminal(self, *arguments, columns=100, rows=30, term="xterm", resize=None, keys=None):
        """Runs the program with a terminal as its standard error; returns all it wrote there, and when."""
        ours, theirs = pty.openpty()

        def size(new_columns, new_rows):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", new_rows, new_columns, 0, 0))

        size(columns, rows)
        null = os.open(os.devnull, os.O_RDWR)
        process = os.posix_spawn(PROGRAM, [PROGRAM, *arguments], {**os.environ, "TERM": term},
                                 file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1),
                                               (os.POSIX_SPAWN_DUP2, theirs, 2)])
        written, begun, ended = [], time.monotonic(), None
        while True:
            ready, _, _ = select.select([ours], [], [], 0.1)
            if ready:
                written.append((time.monotonic() - begun, os.read(ours, 65536).decode()))
                if resize and len(written) == resize[0]:
                    size(*resize[1:])
                if keys and len(written) == keys:
                    os.kill(process, signal.SIGINT)
            elif ended is not None:
                break
            else:
                pid, ended_with = os.waitpid(process, os.WNOHANG)
                ended = os.waitstatus_to_exitcode(ended_with) if pid else None
            self.assertLess(time.monotonic() - begun, 120, "it never ended")
        for descriptor in (ours, theirs, null):
            os.close(descriptor)
        return written, ended

    def run_at_a_terminal(self, columns=100, rows=30, delay=0.01, chains=2, **options):
        self.config(delay=delay, chains=chains)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, os.path.dirname(self.folder))
        written, ended = self.at_a_terminal("run", "run.toml", columns=columns, rows=rows, **options)
        screen = Screen(columns, rows)
        # The verdict after the table is ordinary text, which may fold.
        screen.feed("".join(text for _, text in written).split("not converged")[0])
        return written, screen, ended

    def test_last_table_stays_on_the_screen_once_with_a_row_for_each_chain(self):
        _, screen, _ = self.run_at_a_terminal(chains=3)
        lines = screen.text().split("\n")
        self.assertEqual(sum(line.startswith("chain") for line in lines), 1, screen.text())
        header = next(i for i, line in enumerate(lines) if line.startswith("chain"))
        for chain in range(3):
            self.assertRegex(lines[header + 1 + chain], rf"^ +{chain + 1}  sampling +50 of 50 +100 % +\d+ % +50 +0 %$")
        # Plain MH pays for every iteration, and for the three starts.
        self.assertRegex(lines[header + 4], r"^ +all +150 of 150 +100 % +\d+ % +153 +-$")
        self.assertRegex(lines[header + 5], r"^R-hat [\d.]+ at worst; ESS at least \d+ bulk, \d+ tail$")
        self.assertRegex(lines[header + 6], r"^[\d.]+ evaluations/s; 0:\d\d taken, about 0:00 left$")
        self.assertEqual(screen.folds, 0)

    def test_table_moves_while_it_runs_but_not_too_often(self):
        written, _, _ = self.run_at_a_terminal(delay=0.03)
        text = "".join(text for _, text in written)
        redrawn = text.count("\x1b[J")
        self.assertGreater(redrawn, 3)
        self.assertLess(redrawn, 3 + 5.5 * written[-1][0])
        self.assertIn("burn-in", text)
        self.assertIn("sampling", text)

    def test_narrow_window_cuts_lines_and_never_folds_them(self):
        for columns in (20, 41):
            _, screen, _ = self.run_at_a_terminal(columns=columns)
            self.assertEqual(screen.folds, 0)
            self.assertEqual(sum(line.startswith("chain") for line in screen.text().split("\n")), 1)
            os.rename(os.path.join(self.folder, "run.run"), os.path.join(self.folder, f"run-{columns}"))

    def test_window_made_narrower_does_not_leave_pieces_of_the_old_table(self):
        self.config(delay=0.03)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, os.path.dirname(self.folder))
        written, _ = self.at_a_terminal("run", "run.toml", columns=100, resize=(3, 30, 30))
        text = "".join(text for _, text in written).split("not converged")[0]
        moves = [int(up) for up in Screen.UP.findall(text)]
        # Six lines, of which the five long ones are folded into two or three rows once.
        self.assertIn(6, moves)
        self.assertEqual(moves[-1], 6)
        folded = [up for up in moves if up != 6]
        self.assertEqual(len(folded), 1, moves)
        self.assertGreater(folded[0], 12)

    def test_few_rows_leave_one_live_line(self):
        _, screen, _ = self.run_at_a_terminal(rows=5)
        self.assertNotIn("chain", screen.text())
        lines = [line for line in screen.text().split("\n") if "iterations" in line]
        self.assertEqual(len(lines), 1, screen.text())
        self.assertEqual(screen.folds, 0)
        self.assertTrue(lines[0].startswith("100 of 100 iterations, sampling"), lines)

    def test_dumb_terminal_gets_plain_lines(self):
        written, _, _ = self.run_at_a_terminal(term="dumb")
        text = "".join(text for _, text in written)
        self.assertNotIn("\x1b", text)
        self.assertIn("100 of 100 iterations", text)

    def test_quiet_says_nothing_of_progress(self):
        self.config()
        self.assertNotIn("iterations", self.hunch("run", "run.toml", "--quiet", "--out", "q").stderr)

    def test_pipe_gets_plain_lines(self):
        self.config()
        done = self.hunch("run", "run.toml")
        self.assertNotIn("\x1b", done.stderr)
        self.assertIn("100 of 100 iterations", done.stderr)

    def test_ctrl_c_leaves_one_table_and_says_how_to_go_on(self):
        _, screen, ended = self.run_at_a_terminal(delay=0.05, keys=4)
        self.assertEqual(ended, 130)
        self.assertEqual(sum(line.startswith("chain") for line in screen.text().split("\n")), 1, screen.text())
        self.assertIn("hunch resume run.run", screen.text())


if __name__ == "__main__":
    sys.exit(unittest.main())
