#include "hunch/config/differences.hpp"

#include <gtest/gtest.h>

#include "config/examples.hpp"
#include "hunch/config/identity.hpp"

namespace hunch {
namespace {

std::string difference(const std::string& stored, const std::string& now) {
  return first_difference(parse_config(stored, "stored.toml"), parse_config(now, "run.toml"))
      .value_or("none");
}

struct Edit {
  std::string text, old, now, difference;
};

TEST(Differences, EachEditThatChangesDrawsIsNamed) {
  const std::vector<Edit> edits = {
      {good, "(1, 0.5)", "(1, 0.6)",
       "parameters.beta.prior: the run has \"lognormal(1, 0.5)\", the config now says \"lognormal(1, 0.6)\""},
      {good, "start = 4.0", "start = 4.5", "parameters.beta.start: the run has 4.0, the config now says 4.5"},
      {good, ", start = 4.0", "", "parameters.beta.start: the run has 4.0, the config now says none"},
      {good, "gamma", "delta", "parameters: the run has [beta, gamma], the config now says [beta, delta]"},
      {good, "gamma = { prior = \"uniform(0, 5)\" }\n", "",
       "parameters: the run has [beta, gamma], the config now says [beta]"},
      {good, "beta  =", "a = { prior = \"flat\" }\nbeta =",
       "parameters: the run has [beta, gamma], the config now says [a, beta, gamma]"},
      {good, "sir.py", "sir2.py",
       R"(model.command: the run has ["python3", "sir.py"], the config now says ["python3", "sir2.py"])"},
      {good, "command = [\"python3\", \"sir.py\"]", "library = \"sir.so\"",
       "model: the run has command, the config now says library"},
      {good, "gradient = false", "gradient = true",
       "model.gradient: the run has false, the config now says true"},
      {good, "gradient", "style = \"once\"\ngradient",
       R"(model.style: the run has "worker", the config now says "once")"},
      {good, "gradient", "data_files = [\"a\"]\ngradient",
       R"(model.data_files: the run has [], the config now says ["a"])"},
      {good, "gp-mh", "mh", R"(sampler.method: the run has "gp-mh", the config now says "mh")"},
      {good, "chains = 4", "chains = 5", "sampler.chains: the run has 4, the config now says 5"},
      {good, "warmup = 500", "warmup = 0", "sampler.warmup: the run has 500, the config now says 0"},
      {good, "draws  = 1000", "draws = 2000", "sampler.draws: the run has 1000, the config now says 2000"},
      {good, "seed   = 1", "seed = 2", "sampler.seed: the run has 1, the config now says 2"},
      {good, "seed ", "screen = \"paper\"\nseed ",
       R"(sampler.screen: the run has "early", the config now says "paper")"},
      {good, "seed ", "learning = \"freeze\"\nseed ",
       R"(sampler.learning: the run has "continue", the config now says "freeze")"},
      {good, "seed ", "covariance = \"matern52\"\nseed ",
       R"(sampler.covariance: the run has "se", the config now says "matern52")"},
      {once, "out/loglik.txt", "out/ll.txt",
       R"(model.result_file: the run has "out/loglik.txt", the config now says "out/ll.txt")"},
      {once, "deck.txt", "deck2.txt",
       R"(model.template: the run has "inputs/deck.txt", the config now says "inputs/deck2.txt")"},
      {once, "style", "input_file = \"in.txt\"\nstyle",
       R"(model.input_file: the run has "deck.txt", the config now says "in.txt")"},
      {forward, "-0.25", "-0.26", "model.data[2]: the run has -0.25, the config now says -0.26"},
      {forward, "[0.1, 0.2, 0.3]", "0.1",
       "model.noise_sd: the run has 3 numbers, the config now says 1 number"},
      {forward, "0.2, 0.3", "0.2, 0.4", "model.noise_sd[2]: the run has 0.3, the config now says 0.4"},
      {forward, "gives", "name = \"m\"\ngives",
       R"(model.name: the run has "forward", the config now says "m")"},
      {library, "model.so", "model2.so",
       R"(model.library: the run has "./model.so", the config now says "./model2.so")"},
      {problem, "sir", "T1", R"(model.problem: the run has "sir", the config now says "T1")"},
  };
  for (const Edit& edit : edits)
    EXPECT_EQ(difference(edit.text, with(edit.text, edit.old, edit.now)), edit.difference);
}

TEST(Differences, TheServersSettingsAreCompared) {
  const std::string density =
      "[model]\nurl = 'http://h'\nconfig = { a = 1 }\n[parameters]\nx = { prior = 'flat' }\n";
  EXPECT_EQ(difference(density, with(density, "a = 1", "a = 2")),
            R"(model.config: the run has {"a": 1}, the config now says {"a": 2})");
  EXPECT_EQ(difference(density, with(density, "config", "output_index = 1\nconfig")),
            "model.output_index: the run has 0, the config now says 1");
  EXPECT_EQ(difference(density, with(density, "config", "gives = 'log_posterior'\nconfig")),
            R"(model.gives: the run has "log_likelihood", the config now says "log_posterior")");
}

TEST(Differences, TheOrderOfParametersMatters) {
  const std::string ab =
      "model.library = 'm'\n[parameters]\na = { prior = 'flat' }\nb = { prior = 'flat' }\n";
  const std::string ba =
      "model.library = 'm'\n[parameters]\nb = { prior = 'flat' }\na = { prior = 'flat' }\n";
  EXPECT_EQ(difference(ab, ba), "parameters: the run has [a, b], the config now says [b, a]");
}

TEST(Differences, HarmlessEditsAreNone) {
  const std::vector<Edit> edits = {
      {good, "[model]", "# a comment\n[model]", ""},
      {good, "timeout = \"10m\"", "timeout = \"3h\"", ""},
      {good, "attempts = 3", "attempts = 5", ""},
      {good, "on_failure = \"stop\"", "on_failure = \"reject\"", ""},
      {good, "evaluations = 5000", "evaluations = 9000", ""},
      {good, "evaluations = 5000\n", "", ""},
      {good, "time = \"12h\"", "time = 60", ""},
      {good, "goal = { ess = 400, rhat = 1.01 }", "goal = { ess = 100 }", ""},
      {good, "chains = 4\nwarmup = 500", "warmup = 500\nchains = 4", ""},
      {good, "chains = 4\n", "", ""},
      {good, "lognormal(1, 0.5)", " lognormal( 1.0,5e-1 )", ""},
      {good, "start = 4.0", "start = 4", ""},
      {good, "{ prior = \"lognormal(1, 0.5)\", start = 4.0 }",
       "{ start = 4.0, prior = \"lognormal(1, 0.5)\" }", ""},
      {forward, "\"http://localhost:4242\", ", "", ""},
  };
  for (const Edit& edit : edits)
    EXPECT_EQ(difference(edit.text, with(edit.text, edit.old, edit.now)), "none") << edit.now;
}

using Identity = std::vector<std::pair<std::string, std::string>>;

Identity identity(const std::string& text) {
  return likelihood_identity(parse_config(text, "run.toml"));
}

TEST(Identity, SaysWhatTheLikelihoodIs) {
  EXPECT_EQ(identity(good), (Identity{{"model", "command"},
                                      {"model.command", R"(["python3", "sir.py"])"},
                                      {"model.template", "none"},
                                      {"model.input_file", "none"},
                                      {"model.result_file", "none"},
                                      {"parameters", "[beta, gamma]"}}));
  EXPECT_EQ(
      identity(forward),
      (Identity{{"model", "url"},
                {"model.name", "\"forward\""},
                {"model.gives", "\"forward\""},
                {"model.output_index", "0"},
                {"model.data", "3 numbers"},
                {"model.data[0]", "1.5"},
                {"model.data[1]", "2.0"},
                {"model.data[2]", "-0.25"},
                {"model.noise_sd", "3 numbers"},
                {"model.noise_sd[0]", "0.1"},
                {"model.noise_sd[1]", "0.2"},
                {"model.noise_sd[2]", "0.3"},
                {"model.config", R"({"level": 2, "odd key: \"x\"": [1.5, true, "a: b", {"deep": -3}]})"},
                {"parameters", "[b, a]"}}));
}

// What was paid for serves any prior and any sampler.
TEST(Identity, PriorsAndSamplerDoNotChangeIt) {
  const Identity before = identity(good);
  EXPECT_EQ(identity(with(good, "lognormal(1, 0.5)", "normal(4, 1)")), before);
  EXPECT_EQ(identity(with(good, ", start = 4.0", "")), before);
  EXPECT_EQ(identity(with(good, "gp-mh", "mh")), before);
  EXPECT_EQ(identity(with(good, "seed   = 1", "seed = 2")), before);
  EXPECT_EQ(identity(with(good, "gradient = false", "gradient = true")), before);
  EXPECT_EQ(identity(with(good, "timeout = \"10m\"", "timeout = 1")), before);
  EXPECT_EQ(identity(with(forward, "http://localhost:4242", "http://cluster:80")), identity(forward));
}

TEST(Identity, AnotherLikelihoodHasAnother) {
  EXPECT_NE(identity(with(good, "gamma", "delta")), identity(good));
  EXPECT_NE(identity(with(good, "sir.py", "seir.py")), identity(good));
  EXPECT_NE(identity(with(forward, "1.5, 2, -0.25", "1.5, 2.5, -0.25")), identity(forward));
  EXPECT_NE(identity(with(forward, "level = 2", "level = 3")), identity(forward));
}

TEST(Identity, FilesWhoseContentCountsAreListed) {
  const auto files = [](const std::string& text) { return identity_files(parse_config(text, "run.toml")); };
  EXPECT_EQ(files(once), (std::vector<std::string>{"observed.csv", "inputs/deck.txt"}));
  EXPECT_EQ(files(library), std::vector<std::string>{"./model.so"});
  EXPECT_TRUE(files(good).empty());
}

}  // namespace
}  // namespace hunch
