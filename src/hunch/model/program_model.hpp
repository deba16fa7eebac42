// ProgramModel: how a program of the user's own becomes a model: what to start, what it is told, where it
// answers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hunch/model/model.hpp"

namespace hunch {

// A file that the program reads: {{name}} stands for the value of that parameter, as %.17g.
struct InputTemplate {
  std::string file_name;  // inside the evaluation's directory
  std::string text;
};

struct ProgramSettings {
  // worker: long-lived; a line in, {"beta": 4, "gamma": 1}, a line out, over standard input and output.
  // once:   a process and a fresh directory per evaluation; {{name}} is filled in in the command and in the
  // input
  //         file; the same line is on standard input; the last line of its output, or a file, is the answer.
  enum class Style { worker, once };

  std::vector<std::string> command;          // never a shell; a program without '/' is looked up in PATH
  std::vector<std::string> parameter_names;  // in the order of theta
  Style style = Style::worker;
  double timeout_seconds = 600;      // per evaluation, the start of its process included
  Capabilities capabilities{false};  // gradient: every answer has one
  int instances = 1;                 // most processes at a time, 1..1024
  std::filesystem::path base;        // relative paths in the command; empty: the current directory
  std::filesystem::path directory;   // where it runs; empty: base (worker), the system's temporary one (once)
  std::optional<InputTemplate> input;  // once only
  std::optional<std::string>
      result_file;  // once only, inside the evaluation's directory; else standard output
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's own
};

// A process of our own is started with the model, and ends whatever the model started if this one is killed.
// Throws InputError when the program cannot be found or started by us, or the settings do not fit together.
// Arguments that name an existing file relative to `base` are passed as absolute paths, as the process runs
// elsewhere. A directory of `once` is removed when the evaluation was answered; otherwise the message names
// it.
std::unique_ptr<Model> open_program(ProgramSettings settings);

}  // namespace hunch
