#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "hunch/model/answer.hpp"
#include "hunch/model/program.hpp"
#include "hunch/model/seats.hpp"

namespace hunch {

namespace fs = std::filesystem;

namespace {

fs::path fresh_directory(const fs::path& parent) {
  std::string name = parent / "evaluation-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw StartFailure(
        fmt::format("no directory could be made in {}: {}", parent.string(), strerrordesc_np(errno)));
  return name;
}

void write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  while (file.open() && !text.empty()) {
    const ssize_t written = write(file.number(), text.data(), text.size());
    if (written <= 0 && errno != EINTR) break;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file.open() || !text.empty())
    throw StartFailure(fmt::format("{} could not be written: {}", path.string(), strerrordesc_np(errno)));
}

// What a regular file holds, up to one byte more than an answer may have; nothing when there is no such file.
std::optional<std::string> content(const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!file.open() || fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  std::string text;
  std::array<char, 1 << 14> bytes;
  for (ssize_t count = 0;
       text.size() <= largest_answer && (count = read(file.number(), bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  return text;
}

// Simulators print progress; the answer is what they say last.
std::string_view last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const auto start = text.find_last_of('\n');
  return start == std::string_view::npos ? text : text.substr(start + 1);
}

// A process and a directory per evaluation.
class OnceModel final : public Model {
 public:
  explicit OnceModel(Program program)
      : program_(std::move(program)), seats_(static_cast<std::size_t>(program_.settings.instances)) {}

  Capabilities capabilities() const override { return program_.settings.capabilities; }

  void cancel() override { cancelled_.request_stop(); }

  Outcome evaluate(const Vector& theta, Want want) override {
    const Seats::Seat seat(seats_);
    if (cancelled_.stop_requested()) return abandoned();
    fs::path directory;
    Outcome outcome;
    try {
      directory = fresh_directory(program_.settings.directory);
      outcome = run_in(directory, theta, want);
    } catch (const StartFailure& failure) {
      outcome = {OutcomeKind::lost, {}, fmt::format("the program could not be started: {}", failure.what())};
    }
    if (directory.empty()) return outcome;
    if (outcome.answered() || cancelled_.stop_requested()) {
      std::error_code error;  // what cannot be removed is no reason to lose an answer
      fs::remove_all(directory, error);
    } else {
      outcome.message += fmt::format("; its directory is kept: {}", directory.string());
    }
    return outcome;
  }

 private:
  Outcome run_in(const fs::path& directory, const Vector& theta, Want want) const {
    Launch launch = program_.launch;
    launch.directory = directory;
    for (auto& argument : launch.arguments) argument = program_.filled(argument, theta);
    if (const auto& input = program_.settings.input)
      write_file(directory / input->file_name, program_.filled(input->text, theta));
    const Instant deadline = program_.deadline();
    ChildProcess child(launch);
    const auto stop =
        child.exchange(program_.question(theta), ChildProcess::Goal::exit, deadline, cancelled_.get_token());
    if (stop == ChildProcess::Stop::cancelled) return abandoned();
    if (stop == ChildProcess::Stop::deadline)
      return failed(OutcomeKind::timeout,
                    fmt::format("the program did not end within {:g} s", program_.settings.timeout_seconds),
                    child);
    if (stop == ChildProcess::Stop::flood)
      return failed(OutcomeKind::protocol,
                    fmt::format("the program wrote more than 1 MiB, beginning with {}",
                                quoted_beginning(child.output())),
                    child);
    if (!child.succeeded())
      return failed(OutcomeKind::crash, fmt::format("the program ended with {}", child.farewell()), child);
    const Outcome outcome = answer(directory, child, theta.size(), want);
    return outcome.answered() ? outcome : failed(outcome.kind, outcome.message, child);
  }

  Outcome answer(const fs::path& directory, ChildProcess& child, Index dimension, Want want) const {
    const auto& file = program_.settings.result_file;
    if (!file) return read_answer(last_line(child.output()), dimension, want);
    const auto text = content(directory / *file);
    if (!text) return {OutcomeKind::protocol, {}, fmt::format("the program wrote no file \"{}\"", *file)};
    return read_answer(*text, dimension, want);
  }

  Program program_;
  Seats seats_;
  std::stop_source cancelled_;
};

}  // namespace

std::unique_ptr<Model> make_once(Program program) {
  return std::make_unique<OnceModel>(std::move(program));
}

}  // namespace hunch
