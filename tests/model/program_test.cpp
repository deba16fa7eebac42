#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "hunch/model/program_model.hpp"

namespace hunch {
namespace {

namespace fs = std::filesystem;
using Style = ProgramSettings::Style;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ptrdiff_t entries(const fs::path& directory) {
  std::error_code error;
  return std::distance(fs::directory_iterator(directory, error), fs::directory_iterator());
}

// Each test's own word in the command lines of the processes that it starts.
std::string tag() {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  for (auto& character : name) character = character == '/' ? '-' : character;
  return "tag-" + std::to_string(getpid()) + "-" + name + "-end";
}

// The system's own where there is one: others may be scripts that take longer to start than a test's
// deadline.
std::string python() {
  return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

// Sees processes by their command line, which owes nothing to the way in which the library finds them.
std::vector<std::string> processes_with(const std::string& word) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto line = text_of(entry.path() / "cmdline");
    if (line.find(word) != std::string::npos && entry.path().filename() != "self")
      found.push_back(entry.path());
  }
  return found;
}

// 'T' is stopped, 'Z' a zombie; '-' when there is no such process. Only a zombie has closed its pipes: the
// command line of a dying process is empty long before.
char state_of(const fs::path& process) {
  const std::string stat = text_of(process / "stat");
  const auto name_end = stat.rfind(") ");
  return name_end == std::string::npos ? '-' : stat[name_end + 2];
}

void wait_for_state(const fs::path& process, const std::string& states) {
  while (states.find(state_of(process)) == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// A directory for one test, gone afterwards.
class Scratch {
 public:
  Scratch() {
    std::string name = fs::temp_directory_path() / "hunch-program-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// After each test: no process, descriptor or thread is left that was not there before.
class Program : public testing::Test {
 protected:
  Program() : descriptors_(entries("/proc/self/fd")), threads_(entries("/proc/self/task")) {}

  void TearDown() override {
    EXPECT_THAT(processes_with(tag()), testing::IsEmpty());
    EXPECT_EQ(entries("/proc/self/fd"), descriptors_);
    // A thread that was joined can be seen there for a moment longer.
    const auto start = Clock::now();
    while (entries("/proc/self/task") != threads_ && seconds_since(start) < 10) std::this_thread::yield();
    EXPECT_EQ(entries("/proc/self/task"), threads_);
  }

  ProgramSettings settings(const std::string& mode, Style style, double timeout_seconds = 20) const {
    const fs::path program = fs::path(HUNCH_TESTS_FOLDER) / "models/misbehave.py";
    ProgramSettings chosen;
    chosen.command = {python(), "-IS", program, mode, tag()};
    chosen.parameter_names = {"a", "b"};
    chosen.style = style;
    chosen.timeout_seconds = timeout_seconds;
    chosen.directory = scratch_.path();
    return chosen;
  }

  Scratch scratch_;
  std::ptrdiff_t descriptors_, threads_;
};

const Vector theta{{1.5, -0.25}};
constexpr double right_answer = -0.5 * 1.5 * 1.5 + 3 * 0.25;

struct Misbehaviour {
  std::string mode;
  OutcomeKind as_worker, as_once;
  Want want = Want::value;
};

std::ostream& operator<<(std::ostream& out, const Misbehaviour& misbehaviour) {
  return out << misbehaviour.mode;
}

using enum OutcomeKind;
const std::vector<Misbehaviour> misbehaviours{
    {"good", value, value},
    {"good_gradient", value, value, Want::value_and_gradient},
    {"hang_before_output", timeout, timeout},
    {"hang_after_output", value, timeout},  // run once, it has answered when it has ended
    {"partial_line", timeout, timeout},
    {"slow", timeout, timeout},
    {"endless_bytes", protocol, protocol},
    {"endless_lines", protocol, protocol},
    {"nan", nan, nan},
    {"json_nan", nan, nan},
    {"plus_infinity", nan, nan},
    {"minus_infinity", zero, zero},
    {"overflow", nan, nan},
    {"comma", protocol, protocol},
    {"hexadecimal", protocol, protocol},
    {"empty_line", protocol, protocol},
    {"extra_columns", protocol, protocol},
    {"wrong_gradient", protocol, protocol, Want::value_and_gradient},
    {"bad_json", protocol, protocol},
    {"deep_json", protocol, protocol},
    {"two_answers", protocol, value},  // run once, what it says last counts
    {"markup", protocol, protocol},
    {"exit_three", crash, crash},
    {"answers_and_exit_three", value, crash},
    {"segfault", crash, crash},
    {"stops_itself", timeout, timeout},
    {"fork_and_exit", value, value},
    {"fork_and_exit_silently", crash, protocol},
    {"escape_by_two_forks", value, value},
    {"offspring_without_environment", value, value},
    {"offspring_in_another_group", value, value},
    {"ignores_sigterm", timeout, timeout},
    {"answers_but_never_leaves", value, timeout},
    {"closes_stdout", protocol, timeout},
    {"closes_stdout_and_ends", crash, protocol},
    {"closes_stdin", value, value},
    {"loud_errors", value, value},
    {"dies_at_start", crash, crash},
};

class ProgramMisbehaves : public Program,
                          public testing::WithParamInterface<std::tuple<Misbehaviour, Style>> {
 protected:
  static Misbehaviour misbehaviour() { return std::get<0>(GetParam()); }
  static Style style() { return std::get<1>(GetParam()); }
  static OutcomeKind expected() {
    return style() == Style::worker ? misbehaviour().as_worker : misbehaviour().as_once;
  }
};

TEST_P(ProgramMisbehaves, EndsInADefinedOutcomeByDeadlineAndLeavesNothing) {
  const double timeout_seconds = expected() == timeout ? 1 : 20;
  auto model = open_program(settings(misbehaviour().mode, style(), timeout_seconds));
  const auto start = Clock::now();
  const Outcome outcome = model->evaluate(theta, misbehaviour().want);
  EXPECT_LT(seconds_since(start), timeout_seconds + 2);
  EXPECT_EQ(outcome.kind, expected()) << outcome.message;
  EXPECT_EQ(outcome.message.empty(), outcome.answered()) << outcome.message;
  EXPECT_LT(outcome.message.size(), 10000u);
  if (outcome.kind == value) {
    EXPECT_EQ(outcome.exact.log_likelihood, misbehaviour().mode == "two_answers" ? -2.5 : right_answer);
  }
  EXPECT_EQ(entries(scratch_.path()) > 0, style() == Style::once && !outcome.answered());
  const auto closing = Clock::now();
  model.reset();
  EXPECT_LT(seconds_since(closing), 2.5);
}

INSTANTIATE_TEST_SUITE_P(Each, ProgramMisbehaves,
                         testing::Combine(testing::ValuesIn(misbehaviours),
                                          testing::Values(Style::worker, Style::once)),
                         [](const auto& tested) {
                           const bool worker = std::get<1>(tested.param) == Style::worker;
                           return std::get<0>(tested.param).mode + (worker ? "_worker" : "_once");
                         });

TEST_F(Program, NumbersPassBitForBitBothWays) {
  auto model = open_program(settings("echo", Style::worker));
  std::uint64_t bits = 1;
  for (int i = 0; i < 500; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const double number = std::bit_cast<double>(bits);
    if (!std::isfinite(number)) continue;
    const Outcome outcome = model->evaluate(Vector{{number, 0}}, Want::value);
    ASSERT_EQ(outcome.kind, value) << outcome.message;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(outcome.exact.log_likelihood), bits);
  }
}

TEST_F(Program, GradientArrivesInTheOrderOfTheta) {
  auto model = open_program(settings("good_gradient", Style::worker));
  const Outcome outcome = model->evaluate(theta, Want::value_and_gradient);
  ASSERT_EQ(outcome.kind, value) << outcome.message;
  EXPECT_EQ(*outcome.exact.gradient, Vector({{-1.5, -3}}));
}

TEST_F(Program, FourThreadsShareTwoWorkersAndGetTheirOwnAnswers) {
  for (const auto& [style, evaluations] : {std::pair(Style::worker, 50), std::pair(Style::once, 8)}) {
    auto chosen = settings("good", style);
    chosen.instances = 2;
    auto model = open_program(chosen);
    std::atomic<int> wrong = 0;
    std::atomic<std::size_t> most = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread, count = evaluations] {
        for (int i = 0; i < count; ++i) {
          const double a = thread + 0.001 * i, b = 0.5 * i;
          const Outcome outcome = model->evaluate(Vector{{a, b}}, Want::value);
          if (outcome.kind != value || outcome.exact.log_likelihood != -0.5 * (a * a) - 3 * b) ++wrong;
          if (i % 8 == 0) most = std::max(most.load(), processes_with(tag()).size());
        }
      });
    threads.clear();
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(most, 2u);
    EXPECT_GE(most, 1u);
  }
}

TEST_F(Program, WorkerIsKeptBetweenEvaluationsAndReplacedAfterAFailure) {
  auto model = open_program(settings("moody", Style::worker, 4));
  std::set<std::string> seen;
  const auto remember = [&] {
    for (const auto& process : processes_with(tag())) seen.insert(process);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(model->evaluate(Vector{{1.0 + i, 1}}, Want::value).kind, value);
    remember();
  }
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(model->evaluate(Vector{{-1, 1}}, Want::value).kind, crash);
  EXPECT_EQ(model->evaluate(Vector{{1, 1}}, Want::value).kind, value);
  remember();
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(model->evaluate(Vector{{1, -1}}, Want::value).kind, timeout);
  EXPECT_EQ(model->evaluate(Vector{{1, 1}}, Want::value).kind, value);
  remember();
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(Program, WorkerThatDiedIdleIsReplacedWithoutBlamingTheNextPoint) {
  auto model = open_program(settings("good", Style::worker));
  ASSERT_EQ(model->evaluate(theta, Want::value).kind, value);
  const auto living = processes_with(tag());
  ASSERT_EQ(living.size(), 1u);
  kill(std::stoi(fs::path(living[0]).filename()), SIGKILL);
  wait_for_state(living[0], "Z-");
  EXPECT_EQ(model->evaluate(theta, Want::value).kind, value);
}

// At whatever moment of its dying it is asked: what it never read says nothing about theta.
TEST_F(Program, WorkerThatIsDyingWhenAskedIsReplacedWithoutBlamingTheNextPoint) {
  auto model = open_program(settings("good", Style::worker));
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(model->evaluate(theta, Want::value).kind, value);
    const auto living = processes_with(tag());
    ASSERT_EQ(living.size(), 1u);
    const auto process = std::stoi(fs::path(living[0]).filename());
    kill(process, SIGSTOP);  // or it might read the question before it dies, and be blamed rightly
    wait_for_state(living[0], "T");
    std::jthread killer([process, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
      kill(process, SIGKILL);
    });
    const Outcome outcome = model->evaluate(theta, Want::value);
    EXPECT_EQ(outcome.kind, value) << i << ": " << outcome.message;
  }
}

// Once it has read the question, its death is the question's.
TEST_F(Program, WorkerThatDiesOfAQuestionIsNotAskedAgain) {
  auto model = open_program(settings("counts_then_dies", Style::worker));
  ASSERT_EQ(model->evaluate(Vector{{1, 1}}, Want::value).kind, value);
  EXPECT_EQ(model->evaluate(Vector{{-1, 1}}, Want::value).kind, crash);
  EXPECT_EQ(text_of(scratch_.path() / "asked"), "1\n-1\n");
}

TEST_F(Program, AnswerGivenWithoutBeingAskedIsNotTakenForTheNextOne) {
  auto model = open_program(settings("late_second_answer", Style::worker));
  ASSERT_EQ(model->evaluate(theta, Want::value).kind, value);
  while (!fs::exists(scratch_.path() / "said-twice"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Outcome next = model->evaluate(Vector{{7, 7}}, Want::value);
  EXPECT_EQ(next.kind, protocol);
  EXPECT_THAT(next.message, HasSubstr("without being asked"));
}

TEST_F(Program, MessageSaysHowItEndedAndItsLastWords) {
  const auto message = [&](const std::string& mode, Style style) {
    return open_program(settings(mode, style))->evaluate(theta, Want::value).message;
  };
  for (const Style style : {Style::worker, Style::once}) {
    EXPECT_THAT(message("exit_three", style), HasSubstr("exit code 3"));
    EXPECT_THAT(message("exit_three", style), HasSubstr("no convergence in cell 17"));
    EXPECT_THAT(message("segfault", style), HasSubstr("SIGSEGV"));
    EXPECT_THAT(message("comma", style), HasSubstr("\"1,5\""));
    EXPECT_THAT(message("markup", style), HasSubstr("\\x1b[31m"));
  }
}

TEST_F(Program, OnlyThreeStreamsAreOpenInAChild) {
  const int leaky = open("/dev/null", O_RDONLY);  // not close-on-exec, as a library of the user's may have it
  auto chosen = settings("open_files", Style::worker);
  chosen.instances = 2;
  auto model = open_program(chosen);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(model->evaluate(theta, Want::value).exact.log_likelihood, 3) << "descriptors in the child";
    });
  threads.clear();
  close(leaky);
}

// The deadline is far away; TearDown sees that nothing is left.
TEST_F(Program, CancelEndsWhatIsUnderWayAndWhatIsToComeAndLeavesNothing) {
  for (const Style style : {Style::worker, Style::once}) {
    for (const char* mode :
         {"hang_before_output", "ignores_sigterm", "offspring_in_another_group_and_hang"}) {
      auto chosen = settings(mode, style, 600);
      chosen.instances = 2;
      auto model = open_program(chosen);
      std::vector<Outcome> outcomes(3);  // the third waits for a seat
      std::vector<std::jthread> threads;
      for (auto& outcome : outcomes)
        threads.emplace_back([&] { outcome = model->evaluate(theta, Want::value); });
      while (processes_with(tag()).size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto start = Clock::now();
      model->cancel();
      threads.clear();
      EXPECT_LT(seconds_since(start), 10);
      for (const auto& outcome : outcomes) EXPECT_EQ(outcome.kind, lost) << mode << ": " << outcome.message;
      EXPECT_EQ(model->evaluate(theta, Want::value).kind, lost);
      EXPECT_THAT(processes_with(tag()), testing::IsEmpty()) << mode;
      EXPECT_EQ(entries(scratch_.path()), 0) << "the directory of an abandoned evaluation";
    }
  }
}

TEST_F(Program, ManyWorkersThatWillNotLeaveAreEndedTogether) {
  auto chosen = settings("answers_but_never_leaves", Style::worker);
  chosen.instances = 6;
  auto model = open_program(chosen);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&] { EXPECT_EQ(model->evaluate(theta, Want::value).kind, value); });
  threads.clear();
  const auto closing = Clock::now();
  model.reset();
  EXPECT_LT(seconds_since(closing), 2.5);
}

}  // namespace
}  // namespace hunch
