// FakeUmBridge: tests/models/fake_umbridge.py as a process that lasts as long as this object.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace hunch {

class FakeUmBridge {
 public:
  explicit FakeUmBridge(const std::vector<std::string>& options = {}) {
    const auto tests = std::filesystem::path(HUNCH_TESTS_FOLDER);
    // The system's own starts at once; another one on the path may be a script that looks for the real one.
    const char* python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    std::vector<std::string> words{python, "-IS", tests / "models/fake_umbridge.py"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    const int error = posix_spawnp(&process_, python, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    FILE* lines = fdopen(out[0], "r");
    const int found = error == 0 ? std::fscanf(lines, "%d", &port_) : 0;
    std::fclose(lines);
    if (found != 1) throw std::runtime_error("the fake server did not start");
  }
  ~FakeUmBridge() {
    close(input_);  // it ends when its input does
    if (process_ != 0) waitpid(process_, nullptr, 0);
  }
  FakeUmBridge(const FakeUmBridge&) = delete;
  FakeUmBridge& operator=(const FakeUmBridge&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void kill_now() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  int input_ = -1;
  int port_ = 0;
};

}  // namespace hunch
