"""Plants each kind of violation in a small tree and sees scripts/check-rooms name it, file, line and rule."""
import pathlib
import runpy
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "check-rooms"


check_rooms = types.SimpleNamespace(**runpy.run_path(str(SCRIPT)))


def run_script(root):
    done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
    if done.stderr:
        raise AssertionError(done.stderr)
    return done.returncode, done.stdout.splitlines()


def header(body=""):
    return "// Says what it knows.\n#pragma once\n" + body  # a body starts at line 3


class PlantedTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.plant("core/types.hpp", header())

    def plant(self, path, text):
        file = self.root / "src" / "hunch" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_clean(self):
        self.assertEqual(check_rooms.report(self.root), [])

    def assert_caught(self, place, *words):
        """Exactly one violation, at that place, with these words in its rule."""
        lines = check_rooms.report(self.root)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"src/hunch/{place}: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])


class Includes(PlantedTree):
    def test_allowed_include_is_silent(self):
        self.plant("target/prior.hpp", header('#include <vector>\n#include "hunch/core/types.hpp"\n'))
        self.assert_clean()

    def test_room_that_may_not_be_included(self):
        self.plant("model/model.hpp", header())
        self.plant("sampler/step.hpp", header('#include "hunch/core/types.hpp"\n#include "hunch/model/model.hpp"\n'))
        self.assert_caught("sampler/step.hpp:4", "sampler may include core", "not model")

    def test_core_includes_nobody(self):
        self.plant("draws/draws.hpp", header())
        self.plant("core/loop.cpp", '#include "hunch/draws/draws.hpp"\n')
        self.assert_caught("core/loop.cpp:1", "core may include no other room")

    def test_run_knows_no_report_and_no_cli(self):
        for room in ("report", "cli"):
            with self.subTest(room=room):
                self.plant("run/run.cpp", f'#include "hunch/{room}/page.hpp"\n')
                self.assert_caught("run/run.cpp:1", f"not {room}")

    def test_include_in_a_comment_or_string_is_none(self):
        self.plant("core/a.cpp", '// #include "hunch/run/run.hpp"\n/*\n#include "hunch/run/run.hpp"\n*/\n'
                                 'const char* s = R"(\n#include)";\n')
        self.assert_clean()

    def test_unknown_room_included(self):
        self.plant("core/a.cpp", '#include "hunch/elsewhere/a.hpp"\n')
        self.assert_caught("core/a.cpp:1", "unknown room elsewhere")

    def test_include_without_its_room(self):
        for wrong in ('"types.hpp"', '"../core/types.hpp"', '<hunch/core/types.hpp>', '"hunch/hunch.hpp"'):
            with self.subTest(wrong=wrong):
                self.plant("core/a.cpp", f"#include {wrong}\n")
                self.assert_caught("core/a.cpp:1", '"hunch/<room>/<file>.hpp"')

    def test_own_header_left_out(self):
        self.plant("core/a.hpp", header())
        self.plant("core/a.cpp", '#include "hunch/core/types.hpp"\n')
        self.assert_caught("core/a.cpp:1", "its own header", "hunch/core/a.hpp")

    def test_circle_of_files(self):
        self.plant("core/a.hpp", header('#include "hunch/core/b.hpp"\n'))
        self.plant("core/b.hpp", header('#include "hunch/core/a.hpp"\n'))
        self.assert_caught("core/b.hpp:3", "files include each other in a circle", "core/a.hpp -> hunch/core/b.hpp")

    def test_circle_of_rooms(self):
        self.plant("model/model.hpp", header('#include "hunch/evaluation/store.hpp"\n'))
        self.plant("evaluation/store.hpp", header('#include "hunch/model/model.hpp"\n'))
        lines = check_rooms.report(self.root)
        self.assertTrue(any("rooms include each other in a circle" in line for line in lines), lines)

    def test_build_links_what_includes_may_not(self):
        (self.root / "CMakeLists.txt").write_text("hunch_room(core)\nhunch_room(sampler USES core model LINKS fmt)\n")
        self.assertEqual(check_rooms.report(self.root), ["CMakeLists.txt:2: sampler may not link model"])


class Names(PlantedTree):
    def test_unknown_room(self):
        self.plant("attic/a.hpp", header())
        self.assert_caught("attic:1", "attic is unknown")

    def test_room_that_says_nothing(self):
        for room in ("utils", "common", "manager"):
            with self.subTest(room=room):
                self.plant(f"{room}/a.hpp", header())
                lines = check_rooms.report(self.root)
                self.assertTrue(any(line.startswith(f"src/hunch/{room}:1: ") and "says nothing" in line
                                    for line in lines), lines)

    def test_file_outside_all_rooms(self):
        self.plant("hunch.hpp", header())
        self.assert_clean()
        self.plant("stray.cpp", "")
        self.assert_caught("stray.cpp:1", "belongs to no room")

    def test_room_within_a_room(self):
        self.plant("core/deep/a.hpp", header())
        self.assert_caught("core/deep/a.hpp:1", "no rooms inside")

    def test_other_file_endings_would_escape_the_check(self):
        self.plant("core/a.h", "")
        self.assert_caught("core/a.h:1", ".hpp")


class Headers(PlantedTree):
    def test_without_pragma_once(self):
        self.plant("core/a.hpp", "// Knows a. #pragma once\n")
        self.assert_caught("core/a.hpp:1", "#pragma once")

    def test_without_opening_comment(self):
        self.plant("core/a.hpp", "#pragma once\n// too late\n")
        self.assert_caught("core/a.hpp:1", "opens with a comment")


# rule, code that breaks it, a room where it is wrong, a room where it is right (None: nowhere)
TOKENS = [
    ("printing", "std::cout << 1;", "run", "cli"),
    ("printing", "std::cerr << 1;", "model", "cli"),
    ("printing", 'printf("1");', "core", "cli"),
    ("printing", 'std::fprintf(stderr, "1");', "core", "cli"),
    ("printing", 'fmt::print("1");', "study", "cli"),
    ("printing", 'std::puts("1");', "draws", "cli"),
    ("printing", "#include <iostream>", "draws", "cli"),
    ("processes", "int p = fork();", "evaluation", "model"),
    ("processes", "::execve(a, b, c);", "run", "model"),
    ("processes", "if (posix_spawn(&a, b)) return;", "cli", "model"),
    ("sockets", "int s = socket(1, 2, 3);", "evaluation", "model"),
    ("sockets", "int s = ::accept4(a, b, c, d);", "run", "cli"),
    ("HTTP libraries", "httplib::Client c;", "evaluation", "model"),
    ("sockets", "#include <sys/socket.h>", "evaluation", "cli"),
    ("HTTP libraries", "#include <httplib.h>", "cli", "model"),
    ("SQL", "sqlite3* db;", "run", "evaluation"),
    ("SQL", "#include <sqlite3.h>", "draws", "evaluation"),
    ("SQL", 'auto q = "SELECT theta FROM paid";', "run", "evaluation"),
    ("SQL", 'auto q = R"(CREATE TABLE paid (x))";', "run", "evaluation"),
    ("TOML and JSON", "nlohmann::json j;", "run", "model"),
    ("TOML and JSON", "nlohmann::json j;", "diagnostics", "cli"),
    ("TOML and JSON", "toml::table t;", "target", "config"),
    ("TOML and JSON", "#include <nlohmann/json.hpp>", "study", "draws"),
    ("HTML", 'auto h = "<table class=x>";', "cli", "report"),
    ("HTML", 'auto h = "a</div>b";', "study", "report"),
    ("threads", "std::thread t(f);", "study", "evaluation"),
    ("threads", "std::vector<std::jthread> t;", "cli", "run"),
    ("threads", "auto a = std::async(f);", "surrogate", "run"),
    ("threads", "#pragma omp parallel for", "surrogate", "run"),
    ("mutexes", "std::mutex m;", "surrogate", "study"),
    ("mutexes", "const std::lock_guard lock(m);", "cli", "evaluation"),
    ("clocks", "auto t = std::chrono::steady_clock::now();", "sampler", "run"),
    ("clocks", "auto t = clock();", "surrogate", "cli"),
    ("clocks", "auto t = std::time(nullptr);", "core", "model"),
    ("clocks", "return time(nullptr);", "study", "evaluation"),
    ("clocks", "gettimeofday(&t, nullptr);", "problems", "evaluation"),
    ("random numbers", "std::mt19937 g;", "problems", None),
    ("random numbers", "std::mt19937_64 g;", "cli", None),
    ("random numbers", "double u = 2 * rand();", "sampler", None),
    ("random numbers", "std::random_device d;", "run", None),
    ("random numbers", "std::normal_distribution<double> n;", "core", None),
    ("random numbers", "#include <random>", "core", None),
]


class Tokens(PlantedTree):
    def test_each_is_caught_where_it_is_wrong_and_only_there(self):
        for rule, code, wrong, right in TOKENS:
            with self.subTest(code=code, room=wrong):
                self.plant(f"{wrong}/planted.cpp", f"int fine;\n\n{code}\n")
                self.assert_caught(f"{wrong}/planted.cpp:3", rule)
                (self.root / f"src/hunch/{wrong}/planted.cpp").unlink()
            if right:
                with self.subTest(code=code, room=right):
                    self.plant(f"{right}/planted.cpp", f"{code}\n")
                    self.assert_clean()
                    (self.root / f"src/hunch/{right}/planted.cpp").unlink()

    def test_comments_and_strings_are_not_code(self):
        self.plant("core/a.cpp", "// std::cout << rand();\n/* std::thread\n   fork() */\n"
                                 'auto s = "std::cout \\" std::mutex"; auto c = \'"\'; int n = 1\'000;\n'
                                 'auto t = "rand()";\n'
                                 'auto r = R"x(std::chrono " )" fork())x";\n')
        self.assert_clean()

    def test_code_after_a_tricky_literal_is_still_seen(self):
        self.plant("core/a.cpp", "auto c = '\"'; int n = 1'000'000;\nauto s = \"//\"; std::cout << 1;\n")
        self.assert_caught("core/a.cpp:2", "printing")
        self.plant("core/a.cpp", "int n = 1'000; std::cout << 2'000;\n")
        self.assert_caught("core/a.cpp:1", "printing")

    def test_names_that_only_look_alike(self):
        self.plant("core/a.cpp", "std::snprintf(b, 3, f); store.time(); Vector time(3); stream->socket(1);\n"
                                 "std::vector<double> clock(3); run_time(2); grid::random(1); int operand(3);\n"
                                 "int n = std::thread::hardware_concurrency(); bool less = a < b;\n")
        self.assert_clean()


class Script(PlantedTree):
    def test_violations_are_printed_and_fail(self):
        self.plant("core/a.cpp", "int fine;\nstd::cout << 1;\n")
        self.assertEqual(run_script(self.root), (1, ["src/hunch/core/a.cpp:2: printing only in cli"]))

    def test_clean_tree_succeeds_in_silence(self):
        self.assertEqual(run_script(self.root), (0, []))

    def test_wrong_root_is_no_success(self):
        self.assertEqual(run_script(self.root / "src")[0], 1)


class RealTree(unittest.TestCase):
    def test_is_clean(self):
        self.assertEqual(run_script(ROOT), (0, []))


if __name__ == "__main__":
    unittest.main()
