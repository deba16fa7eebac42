#include <gtest/gtest.h>

#include <vector>

#include "config/examples.hpp"

namespace hunch {
namespace {

struct Refusal {
  std::string text;
  std::string message;
};

void expect_each(const std::vector<Refusal>& refusals) {
  for (const auto& [text, message] : refusals) EXPECT_EQ(complaint(text), message) << text;
}

std::string sampler(const std::string& line) {
  return problem + "[sampler]\n" + line + "\n";
}
std::string budget(const std::string& line) {
  return problem + "[budget]\n" + line + "\n";
}
std::string model(const std::string& lines) {
  return "[model]\n" + lines + "\n[parameters]\nx = { prior = \"normal(0, 1)\" }\n";
}
std::string parameter(const std::string& line) {
  return problem + "[parameters]\n" + line + "\n";
}

TEST(Refusals, NumbersOutOfRangeNameTheRange) {
  expect_each({
      {with(good, "warmup = 500", "warmup = -5"), "run.toml:15: sampler.warmup: got -5, expected 0 or more"},
      {sampler("warmup = 1000000001"),
       "run.toml:3: sampler.warmup: got 1000000001, expected 1000000000 or less"},
      {sampler("chains = 0"), "run.toml:3: sampler.chains: got 0, expected 1 or more"},
      {sampler("chains = 1001"), "run.toml:3: sampler.chains: got 1001, expected 1000 or less"},
      {sampler("draws = 0"), "run.toml:3: sampler.draws: got 0, expected 1 or more"},
      {sampler("seed = -1"), "run.toml:3: sampler.seed: got -1, expected 0 or more"},
      {model("command = [\"a\"]\nattempts = 0"), "run.toml:3: model.attempts: got 0, expected 1 or more"},
      {model("command = [\"a\"]\nattempts = 101"),
       "run.toml:3: model.attempts: got 101, expected 100 or less"},
      {budget("evaluations = 0"), "run.toml:3: budget.evaluations: got 0, expected 1 or more"},
      {budget("goal.rhat = 1"), "run.toml:3: budget.goal.rhat: got 1, expected a number greater than 1"},
      {budget("goal = { ess = 0.0 }"),
       "run.toml:3: budget.goal.ess: got 0.0, expected a number greater than 0"},
  });
}

TEST(Refusals, ValuesOfTheWrongTypeAreShown) {
  expect_each({
      {sampler("draws = 10.0"), "run.toml:3: sampler.draws: got 10.0, expected a whole number, 1 or more"},
      {sampler("draws = \"ten\""),
       "run.toml:3: sampler.draws: got \"ten\", expected a whole number, 1 or more"},
      {sampler("method = 3"),
       "run.toml:3: sampler.method: got 3, expected mh, gp-mh, mala, gp-mala, transition or auto"},
      {sampler("method = \"hmc\""),
       "run.toml:3: sampler.method: got \"hmc\", expected mh, gp-mh, mala, gp-mala, transition or auto"},
      {sampler("screen = \"late\""),
       "run.toml:3: sampler.screen: got \"late\", expected early, paper or ratio"},
      {sampler("learning = true"),
       "run.toml:3: sampler.learning: got true, expected continue, freeze or epochs"},
      {sampler("covariance = [1]"), "run.toml:3: sampler.covariance: got an array, expected se or matern52"},
      {model("command = [\"a\"]\ngradient = \"yes\""),
       "run.toml:3: model.gradient: got \"yes\", expected true or false"},
      {model("command = \"python3 sir.py\""),
       "run.toml:2: model.command: got \"python3 sir.py\", expected an array of texts, such as [\"python3\", "
       "\"simulator.py\"]"},
      {model("command = []"),
       "run.toml:2: model.command: got an empty array, expected an array of texts, such as [\"python3\", "
       "\"simulator.py\"]"},
      {model("command = [\n\"a\",\n1]"), "run.toml:4: model.command[1]: got 1, expected a text"},
      {model("command = [\"\"]"), "run.toml:2: model.command[0]: got \"\", expected a text"},
      {model("command = [\"a\\u0000b\"]"),
       "run.toml:2: model.command[0]: got \"a\\u0000b\", expected a text"},
      {model("command = [\"a\"]\non_failure = 1979-05-27"),
       "run.toml:3: model.on_failure: got a date or a time, expected stop or reject"},
      {model("command = [\"a\"]\ndata_files = \"a.csv\""),
       "run.toml:3: model.data_files: got \"a.csv\", expected an array of paths"},
      {"model = 3", "run.toml:1: model: got 3, expected a table"},
      {problem + "[[sampler]]\nseed = 1", "run.toml:2: sampler: got an array, expected a table"},
      {budget("goal = 400"), "run.toml:3: budget.goal: got 400, expected a table"},
  });
}

TEST(Refusals, DurationsSayHowTheyAreWritten) {
  const std::string allowed =
      ", expected a duration such as \"90s\", \"10m\", \"1h30m\" or \"2d\", or a number of seconds";
  const std::string range = ", expected more than 0 and at most 3650 days";
  expect_each({
      {model("command = [\"a\"]\ntimeout = \"10 minutes\""),
       "run.toml:3: model.timeout: got \"10 minutes\"" + allowed},
      {budget("time = \"\""), "run.toml:3: budget.time: got \"\"" + allowed},
      {budget("time = true"), "run.toml:3: budget.time: got true" + allowed},
      {budget("time = \"0s\""), "run.toml:3: budget.time: got \"0s\"" + range},
      {budget("time = -3"), "run.toml:3: budget.time: got -3" + range},
      {budget("time = \"3651d\""), "run.toml:3: budget.time: got \"3651d\"" + range},
      {budget("time = inf"), "run.toml:3: budget.time: got inf, expected a finite number"},
  });
}

TEST(Refusals, MisspeltKeysAreToldTheNearest) {
  expect_each({
      {with(good, "warmup", "warmpu"), "run.toml:15: sampler.warmpu: unknown key, did you mean warmup?"},
      {with(good, "[sampler]", "[smapler]"), "run.toml:12: smapler: unknown key, did you mean sampler?"},
      {with(good, "on_failure", "on_fail"),
       "run.toml:6: model.on_fail: unknown key, did you mean on_failure?"},
      {with(good, "attempts", "Attempts"), "run.toml:5: model.Attempts: unknown key, did you mean attempts?"},
      {with(good, "start", "strat"), "run.toml:9: parameters.beta.strat: unknown key, did you mean start?"},
      {with(good, "rhat", "r-hat"), "run.toml:22: budget.goal.r-hat: unknown key, did you mean rhat?"},
      {with(good, "time = \"12h\"", "workers = 4"),
       "run.toml:21: budget.workers: unknown key, expected evaluations, time or goal"},
      {with(good, "seed ", "\"a\\nb\" "),
       "run.toml:17: sampler.\"a\\nb\": unknown key, expected method, screen, learning, chains, warmup, "
       "draws, seed, covariance, exactness or tolerance"},
      {"title = \"my run\"\n" + good,
       "run.toml:1: title: unknown key, expected model, parameters, sampler or budget"},
  });
}

TEST(Refusals, WhatIsMissingIsNamed) {
  expect_each({
      {"", "run.toml:1: model: missing, expected a table [model]"},
      {"[model]\ncommand = [\"a\"]\n", "run.toml:1: parameters: missing, expected a table [parameters]"},
      {"[model]\ncommand = [\"a\"]\n[parameters]\n",
       "run.toml:3: parameters: got an empty table, expected at least one parameter"},
      {"\n[model]\ngradient = true\n",
       "run.toml:2: model: missing what the model is, expected one of command, url, library or problem"},
      {parameter("x = { start = 1 }"),
       "run.toml:3: parameters.x.prior: missing, expected a prior such as \"lognormal(1, 0.5)\""},
      {model("url = \"http://a\"\ngives = \"forward\"\nnoise_sd = 1"),
       "run.toml:1: model.data: missing, expected an array of numbers, because gives = \"forward\""},
      {model("url = \"http://a\"\ngives = \"forward\"\ndata = [1]"),
       "run.toml:1: model.noise_sd: missing, expected a number or an array of numbers, because gives = "
       "\"forward\""},
  });
}

TEST(Refusals, KeysThatContradictEachOtherAreBothNamed) {
  expect_each({
      {model("command = [\"a\"]\nurl = \"http://a\""),
       "run.toml:3: model.url: got command and url, expected only one of command, url, library or problem"},
      {model("url = \"http://a\"\ncommand = [\"a\"]\nproblem = \"sir\""),
       "run.toml:3: model.command: got url and command and problem, expected only one of command, url, "
       "library or "
       "problem"},
      {model("command = [\"a\"]\ngives = \"forward\""),
       "run.toml:3: model.gives: got \"forward\", expected no such key with command; it goes with url"},
      {model("url = \"http://a\"\nstyle = \"once\""),
       "run.toml:3: model.style: got \"once\", expected no such key with url; it goes with command"},
      {model("library = \"m.so\"\nname = \"m\""),
       "run.toml:3: model.name: got \"m\", expected no such key with library; it goes with url"},
      {model("command = [\"a\"]\nresult_file = \"r\""),
       "run.toml:3: model.result_file: got \"r\", expected no such key with style = \"worker\"; it goes with "
       "style = "
       "\"once\""},
      {model("command = [\"a\"]\nstyle = \"once\"\ninput_file = \"r\""),
       "run.toml:4: model.input_file: got \"r\", expected template beside it"},
      {model("url = \"http://a\"\ndata = [1]"),
       "run.toml:3: model.data: got an array, expected no such key with gives = \"log_likelihood\"; it goes "
       "with "
       "gives = \"forward\""},
      {with(forward, "gradient", "output_index = 1\ngradient"),
       "run.toml:7: model.output_index: got 1, expected no such key with gives = \"forward\"; it goes with a "
       "log "
       "density"},
      {with(good, "gp-mh", "gp-mala"),
       "run.toml:13: sampler.method: got \"gp-mala\", expected auto, transition, mh or gp-mh, because "
       "model.gradient is false"},
      {model("url = \"http://a\"\ngives = \"log_posterior\""),
       "run.toml:5: parameters.x.prior: got \"normal(0, 1)\", expected flat or uniform, because model.gives "
       "= "
       "\"log_posterior\" has the prior inside"},
  });
}

TEST(Refusals, PathsAndUrlsThatCannotBeMeantAreRefused) {
  const std::string inner = ", expected the name of a file in the work directory";
  const std::string url = ", expected a URL such as \"http://localhost:4242\"";
  expect_each({
      {with(once, "out/loglik.txt", "/etc/passwd"),
       "run.toml:5: model.result_file: got \"/etc/passwd\"" + inner},
      {with(once, "out/loglik.txt", "a/../../b"), "run.toml:5: model.result_file: got \"a/../../b\"" + inner},
      {with(once, "out/loglik.txt", "out/"), "run.toml:5: model.result_file: got \"out/\"" + inner},
      {with(once, "deck.txt", ""),
       "run.toml:4: model.template: got \"inputs/\", expected the path of a file"},
      {model("url = \"localhost:4242\""), "run.toml:2: model.url: got \"localhost:4242\"" + url},
      {model("url = \"http://\""), "run.toml:2: model.url: got \"http://\"" + url},
      {model("url = [\"http://a\", \"http://b c\"]"), "run.toml:2: model.url[1]: got \"http://b c\"" + url},
      {model("url = []"), "run.toml:2: model.url: got an empty array, expected a URL or an array of URLs"},
      {model("library = \"\""), "run.toml:2: model.library: got \"\", expected the path of a shared library"},
  });
}

TEST(Refusals, DataAndNoiseMustBeUsable) {
  expect_each({
      {with(forward, "[1.5, 2, -0.25]", "[1.5, nan]"),
       "run.toml:4: model.data[1]: got nan, expected a finite number"},
      {with(forward, "[1.5, 2, -0.25]", "[]"),
       "run.toml:4: model.data: got an empty array, expected an array of numbers"},
      {with(forward, "[0.1, 0.2, 0.3]", "[0.1, 0.2]"),
       "run.toml:5: model.noise_sd: got 2 numbers, expected one number or 3, as many as data"},
      {with(forward, "[0.1, 0.2, 0.3]", "0"),
       "run.toml:5: model.noise_sd: got 0, expected a number greater than 0"},
      {with(forward, "level = 2", "level = -inf"),
       "run.toml:6: model.config.level: got -inf, expected a finite number"},
      {with(forward, "level = 2", "level = 07:32:00"),
       "run.toml:6: model.config.level: got a date or a time, expected a text, a number, true, false, an "
       "array or a "
       "table"},
  });
}

TEST(Refusals, ParametersAreCheckedOneByOne) {
  expect_each({
      {parameter("x = \"uniform(0, 5)\""),
       "run.toml:3: parameters.x: got \"uniform(0, 5)\", expected a table such as { prior = \"uniform(0, "
       "5)\", start "
       "= 1.0 }"},
      {parameter("x = { prior = 1 }"),
       "run.toml:3: parameters.x.prior: got 1, expected a prior such as \"lognormal(1, 0.5)\""},
      {parameter("x = { prior = \"gamma(1)\" }"),
       "run.toml:3: parameters.x.prior: got \"gamma(1)\": expected gamma(shape, rate) with 2 arguments and "
       "optional "
       "bounds, got 1"},
      {parameter("x = { prior = \"normal(0, -1)\" }"),
       "run.toml:3: parameters.x.prior: got normal(0, -1): sd must be positive and finite, got -1"},
      {parameter("x = { prior = \"normal(0,\\n\" }"),
       "run.toml:3: parameters.x.prior: got \"normal(0,\\n\": the closing parenthesis is missing or not the "
       "last "
       "character"},
      {parameter("x = { prior = \"uniform(0, 5)\", start = 5 }"),
       "run.toml:3: parameters.x.start: got 5, expected a number strictly between 0 and 5, the support of "
       "uniform(0, "
       "5)"},
      {parameter("x = { prior = \"normal(0, 1)\", start = nan }"),
       "run.toml:3: parameters.x.start: got nan, expected a finite number"},
      {parameter("\"\" = { prior = \"normal(0, 1)\" }"),
       "run.toml:3: parameters.\"\": got the name \"\", expected one or more characters, none a control "
       "character"},
      {parameter("\"a\\tb\" = { prior = \"normal(0, 1)\" }"),
       "run.toml:3: parameters.\"a\\tb\": got the name \"a\\tb\", expected one or more characters, none a "
       "control "
       "character"},
      {parameter("\"my beta\" = { prio = \"normal(0, 1)\" }"),
       "run.toml:3: parameters.\"my beta\".prio: unknown key, did you mean prior?"},
  });
}

TEST(Refusals, SyntaxErrorsHaveLineAndColumn) {
  expect_each({
      {"[model\n", "run.toml:1:7: TOML table header: expected ']', saw '\\n'"},
      {"[model]\ncommand = [\"a\"\n", "run.toml:2:16: TOML array: encountered end-of-file"},
      {"[sampler]\nseed = 1\nseed = 2\n",
       "run.toml:3:8: TOML key-value pair: cannot redefine existing integer 'seed'"},
      {"[sampler]\nseed = 99999999999999999999\n",
       "run.toml:2:28: TOML decimal integer: '99999999999999999999' is not representable in 64 bits"},
      {"[parameters]\nx = { prior = \"flat\" }\nx = { prior = \"flat\" }\n",
       "run.toml:3:5: TOML key-value pair: cannot redefine existing table 'x'"},
      {"[model]\nlibrary = \"a\xff\"\n", "run.toml:2:12: TOML: Encountered invalid utf-8 sequence"},
  });
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Refusals, NestingThatWouldExhaustTheStackIsRefused) {
  const std::string dots = ": TOML key: expected at most 16 dots";
  expect_each({
      {"[a" + repeated(".a", 100'000) + "]\n", "run.toml:1" + dots},
      {problem + "\"'\"" + repeated(". ',' ", 100'000) + " = 1\n", "run.toml:2" + dots},
      {problem + "x = '''\n'''''\ny = \"\\\"#\"\nb" + repeated(".\"=#\"", 17) + " = 1\n",
       "run.toml:5" + dots},
      {"x = " + repeated("[", 100'000),
       "run.toml:1:261: TOML value: exceeded maximum nested value depth of 256 (TOML_MAX_NESTED_VALUES)"},
  });
  // As deep as the parser goes: its own recursion must hold that, ours stops before.
  const std::string deepest = "{a" + repeated(".a", 16) + " = ";
  const std::string said =
      complaint(model("url = \"http://a\"\nconfig = " + repeated(deepest, 250) + "1" + repeated("}", 250)));
  EXPECT_EQ(said, "run.toml:3: model.config" + repeated(".a", 65) +
                      ": got a table, expected fewer levels of tables and arrays");
  const std::string config = repeated("[", 63) + "1" + repeated("]", 63);
  EXPECT_EQ(complaint(model("url = \"http://a\"\nconfig = { a = " + config + " }")), "accepted");
  EXPECT_NE(complaint(model("url = \"http://a\"\nconfig = { a = [" + config + "] }")), "accepted");
}

TEST(Refusals, DotsOutsideKeysAreNotCounted) {
  const std::string many = repeated(".", 100);
  EXPECT_EQ(complaint("# " + many + "\n" +
                      model("command = [\"a\", \"" + many + "\", '" + many + "', \"\"\"\n" + many +
                            "\n\"\"\", '''" + many + "\n''']\n")),
            "accepted");
  EXPECT_EQ(complaint(model("url = \"http://a\"\ngives = \"forward\"\nnoise_sd = 1\ndata = [" +
                            repeated("1.5, ", 1000) + "]")),
            "accepted");
}

TEST(Refusals, AHugeKeyDoesNotMakeAHugeLine) {
  EXPECT_LT(complaint(sampler(std::string(100'000, 'k') + " = 1")).size(), 1010u);
  EXPECT_LT(complaint(parameter("x = { prior = \"" + std::string(100'000, 'p') + "\" }")).size(), 1010u);
}

TEST(Refusals, LongValuesAreCutBetweenCharacters) {
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  const std::string said = complaint(sampler("method = \"x" + umlauts + "\""));
  std::string forty;
  for (int i = 0; i < 39; ++i) forty += "ü";
  EXPECT_EQ(said, "run.toml:3: sampler.method: got \"x" + forty +
                      "...\", expected mh, gp-mh, mala, gp-mala, transition or auto");
}

}  // namespace
}  // namespace hunch
