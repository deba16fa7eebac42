// ChildProcess: one program that we started, talked to over pipes by deadlines, and ended with all its
// offspring.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hunch {

using Instant = std::chrono::steady_clock::time_point;

// An open file descriptor; closed once.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  void close();
  bool open() const { return number_ >= 0; }
  int number() const { return number_; }  // -1 when closed, which poll() passes over

 private:
  int release();
  int number_ = -1;
};

// What to start: an argument vector, never a shell.
struct Launch {
  std::filesystem::path executable;                             // absolute
  std::vector<std::string> arguments;                           // the program's own name first
  std::vector<std::string> environment;                         // NAME=value
  std::filesystem::path directory;                              // where it runs
  enum class Output { answer, noise } output = Output::answer;  // noise: its standard output is thrown away
};

// The system could not start the program; what() says why.
class StartFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Used by one thread at a time.
class ChildProcess {
 public:
  // In a session of its own, with nothing open but its three streams. Throws StartFailure.
  explicit ChildProcess(const Launch& launch);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Goal { line, exit };
  enum class Stop {
    line,      // output() holds at least one whole line
    exit,      // it ended; output() holds all that it had written
    closed,    // it closed its output, wrote no whole line, and goes on running
    deadline,  // neither by the deadline
    flood,     // more than largest_answer bytes, without the goal
    cancelled,
  };
  // Writes `input` and reads until the goal is reached or cannot be. For Goal::exit its standard input ends
  // after `input`.
  Stop exchange(std::string_view input, Goal goal, Instant deadline, const std::stop_token& cancelled);

  // Whether it has left the last input where it was: then its end has nothing to do with that input.
  bool read_nothing() const;

  // Takes in what has been written so far, without waiting.
  void listen();

  std::string& output() { return output_; }                  // what was read and not yet taken out
  const std::string& last_words() const { return errors_; }  // the end of its standard error
  bool exited();                                             // it stays a zombie until it is ended
  bool succeeded() const { return farewell_ == "exit code 0"; }
  const std::string& farewell() const { return farewell_; }  // when exited: how, in words

  // Ends them and whatever they started. Patient: first their input ends, so that they may leave by
  // themselves. Both: SIGTERM, half a second, SIGKILL; over in about 1.5 seconds (2 when patient), whatever
  // they do.
  enum class Manner { at_once, patient };
  static void end(std::span<ChildProcess* const> children, Manner manner);

 private:
  void pump(std::string_view& input, Instant wake);
  void write_some(std::string_view& input);
  bool read_output();
  bool read_errors();
  static std::vector<pid_t> offspring(
      std::span<ChildProcess* const> children);  // the living, themselves included
  static bool gone(std::span<ChildProcess* const> children);
  static bool gone_by(std::span<ChildProcess* const> children, Instant deadline);
  static void signal(std::span<ChildProcess* const> children, int number);

  std::string mark_;  // in the environment of it and of its offspring, unless they wipe it
  Descriptor input_, read_end_, errors_end_;
  Launch::Output output_kind_;
  std::size_t written_ = 0;       // of the last input
  std::optional<pid_t> process_;  // until reaped: as long the number is nobody else's
  bool exited_ = false;
  bool ended_ = false;
  std::string farewell_;
  std::string output_;
  std::string errors_;
};

}  // namespace hunch
