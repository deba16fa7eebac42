#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "hunch/model/program_model.hpp"

namespace hunch {
namespace {

namespace fs = std::filesystem;
using Style = ProgramSettings::Style;
using testing::AllOf;
using testing::HasSubstr;

// A directory for one test, gone afterwards.
class ProgramFiles : public testing::Test {
 protected:
  ProgramFiles() {
    std::string name = fs::temp_directory_path() / "hunch-files-XXXXXX";
    scratch_ = mkdtemp(name.data());
    fs::create_directory(scratch_ / "work");
  }
  ~ProgramFiles() override { fs::remove_all(scratch_); }

  // A shell script that is run once per evaluation.
  ProgramSettings script(const std::string& text, std::vector<std::string> arguments = {}) {
    std::ofstream(scratch_ / "simulate.sh") << text;
    ProgramSettings settings;
    settings.command = {"sh", "simulate.sh"};
    settings.command.insert(settings.command.end(), arguments.begin(), arguments.end());
    settings.parameter_names = {"alpha", "beta"};
    settings.style = Style::once;
    settings.base = scratch_;
    settings.directory = "work";
    return settings;
  }

  static Outcome evaluate(const ProgramSettings& settings) {
    return open_program(settings)->evaluate(Vector{{0.1, -3}}, Want::value);
  }

  std::string refusal(const ProgramSettings& settings) {
    try {
      open_program(settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::size_t kept() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(scratch_ / "work"), fs::directory_iterator()));
  }

  fs::path scratch_;
};

TEST_F(ProgramFiles, PlaceholdersReachTheArgumentsTheInputFileAndStandardInput) {
  auto settings = script(
      "test \"$1\" = --beta=-3 || exit 5\n"
      "test \"$(cat in/parameters.txt)\" = 'x = 0.10000000000000001; y = -3; {z}' || exit 6\n"
      "test \"$(cat)\" = '{\"alpha\": 0.10000000000000001, \"beta\": -3}' || exit 7\n"
      "echo working; echo -7.25; echo\n",
      {"--beta={{beta}}"});
  settings.input = InputTemplate{"in/parameters.txt", "x = {{alpha}}; y = {{ beta }}; {z}"};
  const Outcome outcome = evaluate(settings);
  ASSERT_EQ(outcome.kind, OutcomeKind::value) << outcome.message;
  EXPECT_EQ(outcome.exact.log_likelihood, -7.25);
  EXPECT_EQ(kept(), 0u);
}

TEST_F(ProgramFiles, ArgumentsNeverReachAShell) {
  const auto outcome =
      evaluate(script("test \"$1\" = '; touch pwned; $(id) {{' && echo 1\n", {"; touch pwned; $(id) {{"}));
  EXPECT_EQ(outcome.kind, OutcomeKind::value) << outcome.message;
}

TEST_F(ProgramFiles, ResultFileIsTheAnswerAndStandardOutputIsNoise) {
  auto settings = script("yes | head -c 3000000; echo '{\"log_likelihood\": -2.5}' > result.json\n");
  settings.result_file = "result.json";
  const Outcome outcome = evaluate(settings);
  ASSERT_EQ(outcome.kind, OutcomeKind::value) << outcome.message;
  EXPECT_EQ(outcome.exact.log_likelihood, -2.5);
}

TEST_F(ProgramFiles, ResultThatIsMissingHugeOrNoFileIsRefused) {
  for (const char* text :
       {"true", "mkdir result.txt", "mkfifo result.txt", "ln -s result.txt result.txt",
        "ln -s /dev/zero result.txt", "head -c 2000000 /dev/zero > result.txt", ": > result.txt"}) {
    auto settings = script(text);
    settings.result_file = "result.txt";
    EXPECT_EQ(evaluate(settings).kind, OutcomeKind::protocol) << text;
  }
}

TEST_F(ProgramFiles, DirectoryOfAFailureIsKeptAndNamed) {
  const Outcome outcome = evaluate(script("echo trace > log.txt; exit 2\n"));
  EXPECT_EQ(outcome.kind, OutcomeKind::crash);
  ASSERT_EQ(kept(), 1u);
  const fs::path directory = fs::directory_iterator(scratch_ / "work")->path();
  EXPECT_THAT(outcome.message, HasSubstr(directory.string()));
  EXPECT_TRUE(fs::exists(directory / "log.txt"));
}

TEST_F(ProgramFiles, EnvironmentIsAddedTo) {
  auto settings = script("test \"$SPEED\" = fast && test -n \"$PATH\" && echo 1\n");
  settings.environment = {{"SPEED", "fast"}};
  EXPECT_EQ(evaluate(settings).kind, OutcomeKind::value);
}

TEST_F(ProgramFiles, ProgramThatVanishedIsLostNotACrash) {
  auto settings = script("");
  settings.command = {"./model"};
  for (const Style style : {Style::once, Style::worker}) {
    std::ofstream(scratch_ / "model") << "#!/bin/sh\necho 1\n";
    chmod((scratch_ / "model").c_str(), 0755);
    settings.style = style;
    auto model = open_program(settings);
    EXPECT_EQ(model->evaluate(Vector{{1, 2}}, Want::value).kind, OutcomeKind::value);
    model = open_program(settings);
    fs::remove(scratch_ / "model");
    const Outcome outcome = model->evaluate(Vector{{1, 2}}, Want::value);
    EXPECT_EQ(outcome.kind, OutcomeKind::lost);
    EXPECT_THAT(outcome.message, HasSubstr("No such file"));
  }
}

TEST_F(ProgramFiles, DoorRefusesWhatCannotWorkAndNamesIt) {
  const auto with = [&](auto change) {
    auto settings = script("echo 1\n");
    change(settings);
    return refusal(settings);
  };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_THAT(with([](auto& s) { s.command = {"no-such-program"}; }),
              HasSubstr("\"no-such-program\" was not found"));
  EXPECT_THAT(with([](auto& s) { s.command = {"./simulate.sh"}; }),
              HasSubstr("simulate.sh\" is not executable"));
  EXPECT_THAT(with([](auto& s) { s.command = {"./nowhere.sh"}; }), HasSubstr("there is no \""));
  EXPECT_THAT(with([](auto& s) { s.command = {}; }), HasSubstr("command"));
  EXPECT_THAT(with([](auto& s) { s.command.push_back("{{gamma}}"); }),
              AllOf(HasSubstr("command: {{gamma}} is not a parameter"), HasSubstr("alpha, beta")));
  EXPECT_THAT(with([](auto& s) {
                s.input = InputTemplate{"in.txt", "{{alpha}} {{Beta}}"};
              }),
              HasSubstr("input \"in.txt\": {{Beta}} is not a parameter"));
  EXPECT_THAT(with([](auto& s) { s.input = InputTemplate{"../in.txt", ""}; }), HasSubstr("../in.txt"));
  EXPECT_THAT(with([](auto& s) { s.result_file = "/etc/passwd"; }), HasSubstr("/etc/passwd"));
  EXPECT_THAT(with([](auto& s) { s.timeout_seconds = 0; }), HasSubstr("timeout"));
  EXPECT_THAT(with([](auto& s) { s.instances = 0; }), HasSubstr("instances: got 0"));
  EXPECT_THAT(with([](auto& s) { s.directory = "/proc/nowhere"; }), HasSubstr("/proc/nowhere"));
  EXPECT_THAT(with([](auto& s) { s.environment = {{"A=B", "1"}}; }), HasSubstr("A=B"));
  EXPECT_THAT(with([](auto& s) { s.parameter_names = {"alpha", "\xff"}; }), HasSubstr("UTF-8"));
  EXPECT_THAT(with([](auto& s) {
                s.style = Style::worker;
                s.command.push_back("{{alpha}}");
              }),
              HasSubstr("once per evaluation"));
  EXPECT_THAT(with([](auto& s) {
                s.style = Style::worker;
                s.result_file = "x";
              }),
              HasSubstr("once per evaluation"));
}

}  // namespace
}  // namespace hunch
