#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "config/examples.hpp"
#include "hunch/config/choices.hpp"
#include "hunch/config/duration.hpp"
#include "hunch/config/identity.hpp"
#include "hunch/config/resolved.hpp"
#include "hunch/config/template.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

Config parsed(const std::string& text) {
  return parse_config(text, "run.toml");
}

const std::vector<std::string> good_ones = {good, once, forward, library, problem, config_template()};

TEST(Config, EveryKeyLandsInItsField) {
  const Config config = parsed(
      "budget = { evaluations = 7, time = '1h30m', goal = { ess = 50 } }\n"
      "sampler = { method = 'mala', screen = 'ratio', learning = 'freeze', chains = 2, warmup = 0, draws = "
      "9, "
      "seed = 9223372036854775807, covariance = 'matern52' }\n"
      "[model]\nlibrary = 'm.so'\ngradient = true\ntimeout = 1.5\nattempts = 5\non_failure = 'reject'\n"
      "data_files = ['a', 'b']\n[parameters.x]\nstart = 2\nprior = 'exponential(3)'\n");
  EXPECT_EQ(config.model, (ModelConfig{.door = LibraryConfig{"m.so"},
                                       .gradient = true,
                                       .timeout_seconds = 1.5,
                                       .attempts = 5,
                                       .on_failure = ModelConfig::OnFailure::reject,
                                       .data_files = {"a", "b"}}));
  ASSERT_EQ(config.parameters.size(), 1u);
  EXPECT_EQ(config.parameters[0], (ParameterConfig{"x", "exponential(3)", Prior{Exponential{3}}, 2.0}));
  EXPECT_EQ(config.sampler, (SamplerConfig{.method = SamplerConfig::Method::mala,
                                           .screen = SamplerConfig::Screen::ratio,
                                           .learning = SamplerConfig::Learning::freeze,
                                           .chains = 2,
                                           .warmup = 0,
                                           .draws = 9,
                                           .seed = 9223372036854775807u,
                                           .covariance = SamplerConfig::Covariance::matern52}));
  EXPECT_EQ(config.budget, (BudgetConfig{7, 5400.0, BudgetConfig::Goal{50, 1.01}}));
}

TEST(Config, WhatIsLeftOutHasItsDefault) {
  const Config config = parsed("[model]\ncommand = ['a']\n[parameters]\nx = { prior = 'normal(0, 1)' }\n");
  EXPECT_EQ(config.model, (ModelConfig{.door = ProgramConfig{.command = {"a"}}}));
  EXPECT_EQ(config.sampler, SamplerConfig{});
  EXPECT_EQ(config.budget, BudgetConfig{});
  EXPECT_EQ(config.parameters[0].start, std::nullopt);
}

TEST(Config, DoorsAreRead) {
  EXPECT_EQ(std::get<ProgramConfig>(parsed(once).model.door), (ProgramConfig{{"./simulate", "{{beta}}", ""},
                                                                             ProgramConfig::Style::once,
                                                                             "inputs/deck.txt",
                                                                             "deck.txt",
                                                                             "out/loglik.txt"}));
  const auto server = std::get<ServerConfig>(parsed(forward).model.door);
  EXPECT_EQ(server.urls,
            (std::vector<std::string>{"http://localhost:4242", "http://localhost:4243/balancer"}));
  EXPECT_EQ(server.name, "forward");
  EXPECT_EQ(server.data, (std::vector<double>{1.5, 2, -0.25}));
  EXPECT_EQ(server.noise_sd, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(server.config, R"({"level": 2, "odd key: \"x\"": [1.5, true, "a: b", {"deep": -3}]})");
  const Config plain = parsed("model.url = 'http://h'\nparameters.x.prior = 'flat'\n");
  EXPECT_EQ(std::get<ServerConfig>(plain.model.door), ServerConfig{.urls = {"http://h"}});
}

TEST(Config, AProblemBringsParametersAndGradients) {
  const Config config = parsed(problem);
  EXPECT_TRUE(config.parameters.empty());
  EXPECT_TRUE(config.model.gradient);
  EXPECT_FALSE(parsed(problem + "model.gradient = false\n").model.gradient);
}

std::vector<std::string> names(const Config& config) {
  std::vector<std::string> result;
  for (const ParameterConfig& parameter : config.parameters) result.push_back(parameter.name);
  return result;
}

TEST(Config, ParametersKeepTheOrderOfTheFile) {
  const std::string model = "model.library = 'm'\n";
  const std::vector<std::string> expected = {"zeta", "a b", "mu", "Alpha"};
  EXPECT_EQ(names(parsed(model + "[parameters]\nzeta = { prior = 'flat' }\n'a b' = { prior = 'flat' }\n"
                                 "mu = { prior = 'flat' }\nAlpha = { prior = 'flat' }\n")),
            expected);
  EXPECT_EQ(names(parsed(model + "[parameters.zeta]\nprior = 'flat'\n[parameters.'a b']\nprior = 'flat'\n"
                                 "[parameters.mu]\nprior = 'flat'\n[parameters.Alpha]\nprior = 'flat'\n")),
            expected);
  EXPECT_EQ(names(parsed(model + "parameters.zeta.prior = 'flat'\nparameters.'a b'.prior = 'flat'\n"
                                 "parameters.mu.prior = 'flat'\nparameters.Alpha.prior = 'flat'\n")),
            expected);
  EXPECT_EQ(names(parsed(model + "parameters = { zeta = { prior = 'flat' }, 'a b' = { prior = 'flat' }, "
                                 "mu.prior = 'flat', Alpha.prior = 'flat' }\n")),
            expected);
}

TEST(Config, PathsAreSeenFromTheConfigsDirectory) {
  const Config program = resolve(parsed(once), "/runs/a");
  EXPECT_EQ(std::get<ProgramConfig>(program.model.door).template_file, "/runs/a/inputs/deck.txt");
  EXPECT_EQ(std::get<ProgramConfig>(program.model.door).command[0], "./simulate");
  EXPECT_EQ(program.model.data_files, std::vector<std::string>{"/runs/a/observed.csv"});
  EXPECT_EQ(std::get<LibraryConfig>(resolve(parsed(library), "/runs/a").model.door).path, "/runs/a/model.so");
  const Config elsewhere = parsed(with(library, "./model.so", "/lib/model.so"));
  EXPECT_EQ(resolve(elsewhere, "/runs/a"), elsewhere);
}

TEST(Config, ChoicesHaveOneNameEach) {
  for (const auto& choice : choices(SamplerConfig::Method{})) EXPECT_EQ(name_of(choice.value), choice.name);
  EXPECT_EQ(name_of(SamplerConfig::Learning::proceed), "continue");
  EXPECT_EQ(door_key(parsed(forward).model.door), "url");
  EXPECT_EQ(door_key(parsed(problem).model.door), "problem");
}

// Written by a program for a function of its own; the commands that only read a run must understand it.
TEST(Config, OfAFunctionIsReadBackAndItsVersionIsPartOfTheLikelihood) {
  const std::string text =
      "[model]\nfunction = \"decay\"\nversion = \"2\"\n[parameters]\nx.prior = \"beta(2, 2)\"\n";
  const Config config = parsed(text);
  EXPECT_EQ(config.model, (ModelConfig{.door = FunctionConfig{"decay", "2"}}));
  EXPECT_EQ(parsed(to_toml(config)), config);
  EXPECT_NE(likelihood_identity(parsed(with(text, "\"2\"", "\"3\""))), likelihood_identity(config));
  EXPECT_NE(likelihood_identity(parsed(with(text, "decay", "delay"))), likelihood_identity(config));
}

TEST(Config, VersionGoesWithAFunctionAlone) {
  EXPECT_EQ(complaint(problem + "model.version = \"2\"\n"),
            "run.toml:2: model.version: got \"2\", expected no such key with problem; it goes with function");
}

// A text that nobody wrote has no lines that anybody could look at.
TEST(Config, WithoutAFileNameIsRefusedByKeyAlone) {
  try {
    parse_config(problem + "[sampler]\nchains = 0\n", "");
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "sampler.chains: got 0, expected 1 or more");
  }
}

TEST(Duration, ReadsWhatPeopleWrite) {
  EXPECT_EQ(duration_from("90s"), 90);
  EXPECT_EQ(duration_from("10m"), 600);
  EXPECT_EQ(duration_from("1h30m"), 5400);
  EXPECT_EQ(duration_from("2d"), 172800);
  EXPECT_EQ(duration_from("1d1h1m1s"), 90061);
  EXPECT_EQ(duration_from("0.5s"), 0.5);
  EXPECT_EQ(duration_from("1.5h"), 5400);
  for (const char* text :
       {"", "m", "10", "10 m", "-1m", "1m1h", "1m1m", "1e3s", "1w", "1..5s", "10min", "m10", "+1s"})
    EXPECT_EQ(duration_from(text), std::nullopt) << text;
}

TEST(Duration, ReadsBackBitForBit) {
  for (const double seconds :
       {1.0, 59.0, 60.0, 5400.0, 90061.0, 0.1, 1.0 / 3, 1e-9, 123456.789, 5e-324, longest_duration_seconds})
    EXPECT_EQ(duration_from(duration_text(seconds)), seconds) << duration_text(seconds);
  EXPECT_EQ(duration_text(600), "10m");
  EXPECT_EQ(duration_text(5400), "1h30m");
}

TEST(Resolved, ReadsBackAsTheSameConfig) {
  for (const std::string& text : good_ones) {
    const Config config = parsed(text);
    EXPECT_EQ(parsed(to_toml(config)), config) << to_toml(config);
    EXPECT_EQ(to_toml(parsed(to_toml(config))), to_toml(config));
  }
}

TEST(Resolved, NumbersReadBackBitForBit) {
  Config config = parsed(forward);
  auto& server = std::get<ServerConfig>(config.model.door);
  server.data = {1.0 / 3, -0.0, 5e-324, std::numeric_limits<double>::max(), 1e22, 123456789012345678.0};
  server.noise_sd = {0.1 + 0.2};
  config.parameters[0].start = 2.0 / 3e300;
  config.model.timeout_seconds = 1.0 / 7;
  config.budget = {std::numeric_limits<std::int64_t>::max(), 0.1 + 0.7, BudgetConfig::Goal{1e-5, 1 + 1e-15}};
  config.sampler.seed = std::numeric_limits<std::int64_t>::max();
  const Config back = parsed(to_toml(config));
  EXPECT_EQ(back, config) << to_toml(config);
  EXPECT_TRUE(std::signbit(std::get<ServerConfig>(back.model.door).data[1]));
}

TEST(Resolved, AwkwardTextsReadBack) {
  Config config = parsed(once);
  std::get<ProgramConfig>(config.model.door).command = {"a", "", "\"\\\n\t\x01\x7f'", "#[x]\r", "üλ"};
  config.parameters[0].name = "a.b \"c\" = {σ}";
  config.model.data_files = {"'''", "\"\"\""};
  EXPECT_EQ(parsed(to_toml(config)), config) << to_toml(config);
}

TEST(Resolved, EveryDefaultIsWrittenOut) {
  EXPECT_EQ(to_toml(parsed("model.url = 'http://h'\nparameters.x.prior = 'flat'\n")),
            R"toml([model]
url = ["http://h"]
name = "posterior"
gives = "log_likelihood"
output_index = 0
config = {}
gradient = false
timeout = "10m"
attempts = 3
on_failure = "stop"
data_files = []

[parameters]
x = { prior = "flat" }

[sampler]
method = "auto"
screen = "early"
learning = "continue"
chains = 4
warmup = 500
draws = 1000
seed = 1
covariance = "se"
exactness = "exact"
tolerance = 0.05

[budget]
)toml");
}

TEST(Template, IsAConfigWithTheDefaults) {
  const Config config = parsed(config_template());
  EXPECT_EQ(config.sampler, SamplerConfig{});
  EXPECT_EQ(std::get<ProgramConfig>(config.model.door).command,
            (std::vector<std::string>{"python3", "simulator.py"}));
  EXPECT_EQ(config.model, (ModelConfig{.door = config.model.door, .data_files = {"simulator.py"}}));
  EXPECT_EQ(names(config), (std::vector<std::string>{"beta", "gamma"}));
}

// A commented key is uncommented as a user would do it: it must then parse, given what it says it goes with.
TEST(Template, CommentedKeysAreRight) {
  std::string text = config_template();
  for (const std::string key : {"style", "template", "input_file", "result_file", "time", "goal"})
    text = with(text, "# " + key + " = ", key + " = ");
  const Config program = parsed(with(text, "style = \"worker\"", "style = \"once\""));
  EXPECT_EQ(std::get<ProgramConfig>(program.model.door).result_file, "out.txt");
  EXPECT_EQ(program.budget.goal, BudgetConfig::Goal{});
  text = config_template();
  for (const std::string key : {"url", "name", "gives", "data", "noise_sd", "config"})
    text = with(text, "# " + key + " = ", key + " = ");
  text =
      with(with(text, "command = [", "# command = ["), "gives = \"log_likelihood\"", "gives = \"forward\"");
  EXPECT_EQ(std::get<ServerConfig>(parsed(text).model.door).noise_sd, std::vector<double>{0.1});
}

// One random edit: a byte replaced, removed or put in, or a stretch moved elsewhere or removed.
std::string mutated(std::string text, Rng& rng) {
  const std::string alphabet = "[]{}=\"'.,#\n\\-+_0159eEnaif \t\r\x01\x80\xff:dT()\0x";
  const std::size_t at = rng.below(text.size());
  const char letter = alphabet[rng.below(alphabet.size())];
  const std::string stretch = text.substr(at, rng.below(20));
  switch (rng.below(5)) {
    case 0:
      text[at] = letter;
      break;
    case 1:
      text.erase(at, 1);
      break;
    case 2:
      text.insert(at, 1, letter);
      break;
    case 3:
      text.insert(rng.below(text.size()), stretch);
      break;
    default:
      text.erase(at, stretch.size());
  }
  return text.empty() ? "x" : text;
}

TEST(Config, DamagedFilesAreReadOrRefusedInOneLine) {
  int accepted = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    Rng rng(Address{20, 0, trial, Purpose::test});
    std::string text = good_ones[trial % good_ones.size()];
    for (std::uint64_t edits = 1 + rng.below(4); edits > 0; --edits) text = mutated(text, rng);
    try {
      const Config config = parsed(text);
      ++accepted;
      EXPECT_EQ(parsed(to_toml(config)), config) << text;
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.rfind("run.toml:", 0), 0u) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
  // Both ways are taken often, or this tests little.
  EXPECT_GT(accepted, 200);
  EXPECT_LT(accepted, 1800);
}

}  // namespace
}  // namespace hunch
