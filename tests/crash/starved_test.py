"""A disk that is full, read-only or capped: one clear line, a defined exit, nothing lost, and the run can go on."""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import unittest

from scene import Scene, config_text, theta_of

KIB = 1024
NEW_MOUNT_NAMESPACE = 0x00020000


def mounts_are_ours():
    """Whether this process may mount; what it mounts then vanishes with it."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_MOUNT_NAMESPACE) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True).returncode == 0


MAY_MOUNT = mounts_are_ours()


class Starved(Scene):
    def setUp(self):
        super().setUp()
        self.config = self.write("config.toml", config_text(delay=1))
        self.expected = self.uninterrupted(self.config)
        self.paid = len(self.evaluated())
        self.forget_ledger()

    def small_disk(self, size):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk

    def one_line(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def goes_on(self, run):
        """Resume gives the draws of a run that was never disturbed and repeats nothing that the store held."""
        held, seen = {theta_of(row) for row in self.stored(run)}, len(self.evaluated())
        begun = os.path.exists(os.path.join(run, "resolved.toml"))
        command = ["resume", run] if begun else ["run", self.config, "--out", run]
        self.assertEqual(self.finished(self.hunch(*command, "--json", "--quiet")), self.expected)
        again = self.evaluated()[seen:]
        self.assertFalse(held & set(again), "what the store held was evaluated again")
        self.assertEqual(len(held) + len(again), self.paid)
        self.no_worker_is_left()


@unittest.skipUnless(MAY_MOUNT, "only root may mount a small disk")
class FullDisk(Starved):
    def setUp(self):
        super().setUp()
        self.disk = self.small_disk(1024 * KIB)
        self.run_folder = os.path.join(self.disk, "run")
        self.ballast = os.path.join(self.disk, "ballast")

    def run_with_free(self, kib):
        with open(self.ballast, "wb") as file:
            file.write(bytes((1024 - kib) * KIB))
        done = self.hunch("run", self.config, "--out", self.run_folder, "--workers", "2", "--json", "--quiet")
        self.no_worker_is_left()
        return done

    def clear(self):
        os.remove(self.ballast)
        shutil.rmtree(self.run_folder, ignore_errors=True)
        self.forget_ledger()

    def stops(self):
        """What the program says with more and more room, until there is enough."""
        for free in range(0, 1024, 8):
            done = self.run_with_free(free)
            if done.returncode == 3:
                self.assertEqual(self.finished(done), self.expected)
                return
            yield done
            self.clear()
        self.fail("it never had enough room")

    def test_wherever_the_disk_fills_the_run_stops_in_one_line_and_can_go_on(self):
        met = set()
        for done in self.stops():
            with self.subTest(done.stderr):
                self.assertEqual(done.returncode, 1)
                self.one_line(done, done.returncode, self.run_folder)
                self.assertRegex(done.stderr, "No space left on device|disk is full")
                met |= {words for words in ("resolved.toml", "cannot record", "draws.csv") if words in done.stderr}
                os.truncate(self.ballast, 0)
                self.goes_on(self.run_folder)
        self.assertEqual(met, {"resolved.toml", "cannot record", "draws.csv"}, "the disk did not fill everywhere")

    def test_a_full_disk_is_a_failed_run_and_no_mistake_of_the_user(self):
        self.assertEqual({done.returncode for done in self.stops()}, {1})


class CappedFiles(Starved):
    def test_a_limit_on_file_size_is_a_full_disk(self):
        """No privilege needed: the store's file may not grow any further."""
        run = os.path.join(self.folder, "run")

        def capped():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (24 * KIB, 24 * KIB))

        done = self.hunch("run", self.config, "--out", run, "--workers", "2", "--json", "--quiet", preexec_fn=capped,
                          restore_signals=False)
        self.one_line(done, 1, "cannot record", "nothing that was acknowledged is lost", "resume")
        self.assertGreater(len(self.stored(run)), 0)
        self.no_worker_is_left()
        self.goes_on(run)


class ReadOnly(Starved):
    def test_a_directory_that_cannot_be_made_is_refused(self):
        blocked = self.write("a-file", "")
        run = os.path.join(blocked, "run")
        self.refused(self.hunch("run", self.config, "--out", run, "--quiet"), 2, run, "Not a directory")
        self.assertEqual(self.evaluated(), [])

    @unittest.skipUnless(MAY_MOUNT, "only root may mount a read-only disk")
    def test_a_read_only_disk_is_refused_and_nothing_is_paid_for(self):
        disk = self.small_disk(4096 * KIB)
        run = os.path.join(disk, "run")
        process = self.start("run", self.config, "--out", run, "--workers", "2", "--quiet")
        self.wait_for_evaluations(process, 20)
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)
        before = len(self.evaluated())
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        self.refused(self.hunch("resume", run, "--quiet"), 2, run, "Read-only file system")
        fresh = os.path.join(disk, "fresh")
        self.refused(self.hunch("run", self.config, "--out", fresh, "--quiet"), 2, fresh, "Read-only file system")
        self.assertEqual(len(self.evaluated()), before, "it evaluated what it could not record")
        self.no_worker_is_left()
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        self.goes_on(run)


if __name__ == "__main__":
    unittest.main(verbosity=2)
