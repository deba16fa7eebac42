#include "hunch/config/sections.hpp"

#include <algorithm>
#include <limits>

#include "hunch/config/choices.hpp"
#include "hunch/config/quoting.hpp"
#include "hunch/target/number_text.hpp"

namespace hunch {
namespace {

constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

Prior read_prior(const Field& field, const std::string& text) {
  try {
    return parse_prior(text);
  } catch (const InputError& error) {
    std::string_view problem = error.what();
    constexpr std::string_view prefix = "prior ";
    if (problem.starts_with(prefix)) problem.remove_prefix(prefix.size());
    field.refuse("got " + std::string(problem));
  }
}

double read_start(const Field& field, const ParameterConfig& parameter) {
  const double start = field.number();
  const Support inside = support(parameter.prior);
  if (!inside.contains(start))
    field.expected("a number strictly between " + number_text(inside.lower) + " and " +
                   number_text(inside.upper) + ", the support of " + to_text(parameter.prior));
  return start;
}

void check_name(const Field& parameter) {
  const std::string& name = parameter.key();
  const bool control =
      std::any_of(name.begin(), name.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
  if (name.empty() || control)
    parameter.refuse("got the name " + string_text(name) +
                     ", expected one or more characters, none a control character");
}

ParameterConfig read_parameter(const Field& field) {
  constexpr std::array<std::string_view, 2> keys{"prior", "start"};
  check_name(field);
  if (!field.is_table()) field.expected("a table such as { prior = \"uniform(0, 5)\", start = 1.0 }");
  field.allow_keys(keys);
  const std::string meaning = "a prior such as \"lognormal(1, 0.5)\"";
  const Field prior = field.need("prior", meaning);
  const std::string text = prior.text(meaning);
  ParameterConfig parameter{.name = field.key(), .prior_text = text, .prior = read_prior(prior, text)};
  if (const auto start = field.find("start")) parameter.start = read_start(*start, parameter);
  return parameter;
}

BudgetConfig::Goal read_goal(const Field& table) {
  constexpr std::array<std::string_view, 2> keys{"ess", "rhat"};
  table.allow_keys(keys);
  BudgetConfig::Goal goal;
  if (const auto field = table.find("ess")) goal.ess = field->positive_number();
  if (const auto field = table.find("rhat")) {
    goal.rhat = field->number();
    if (!(goal.rhat > 1)) field->expected("a number greater than 1");
  }
  return goal;
}

}  // namespace

std::vector<ParameterConfig> read_parameters(const Field& table) {
  std::vector<ParameterConfig> parameters;
  for (const Field& field : table.members()) parameters.push_back(read_parameter(field));
  if (parameters.empty()) table.refuse("got an empty table, expected at least one parameter");
  return parameters;
}

SamplerConfig read_sampler(const Field& table) {
  constexpr std::array<std::string_view, 10> keys{"method", "screen", "learning",   "chains",    "warmup",
                                                  "draws",  "seed",   "covariance", "exactness", "tolerance"};
  table.allow_keys(keys);
  SamplerConfig sampler;
  if (const auto field = table.find("method")) sampler.method = field->choice<SamplerConfig::Method>();
  if (const auto field = table.find("screen")) sampler.screen = field->choice<SamplerConfig::Screen>();
  if (const auto field = table.find("learning")) sampler.learning = field->choice<SamplerConfig::Learning>();
  if (const auto field = table.find("chains")) sampler.chains = field->whole({1, 1000});
  if (const auto field = table.find("warmup")) sampler.warmup = field->whole({0, most_iterations});
  if (const auto field = table.find("draws")) sampler.draws = field->whole({1, most_iterations});
  if (const auto field = table.find("seed"))
    sampler.seed = static_cast<std::uint64_t>(field->whole({0, largest}));
  if (const auto field = table.find("covariance"))
    sampler.covariance = field->choice<SamplerConfig::Covariance>();
  const bool explores = sampler.method == SamplerConfig::Method::transition ||
                        sampler.method == SamplerConfig::Method::automatic;
  if (const auto field = table.find("exactness")) {
    sampler.exactness = field->choice<SamplerConfig::Exactness>();
    if (sampler.exactness == SamplerConfig::Exactness::audited && !explores)
      field->expected("exact, because only auto and transition make audited draws");
  }
  if (const auto field = table.find("tolerance")) {
    sampler.tolerance = field->positive_number();
    if (sampler.tolerance >= 1) field->expected("a number between 0 and 1");
  }
  return sampler;
}

BudgetConfig read_budget(const Field& table) {
  constexpr std::array<std::string_view, 3> keys{"evaluations", "time", "goal"};
  table.allow_keys(keys);
  BudgetConfig budget;
  if (const auto field = table.find("evaluations")) budget.evaluations = field->whole({1, largest});
  if (const auto field = table.find("time")) budget.time_seconds = field->seconds();
  if (const auto field = table.find("goal")) budget.goal = read_goal(*field);
  return budget;
}

}  // namespace hunch
