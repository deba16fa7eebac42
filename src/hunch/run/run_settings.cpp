#include <string>

#include "hunch/run/run.hpp"

namespace hunch {

namespace {

[[noreturn]] void refuse(const std::string& setting, const std::string& given, const std::string& expected) {
  throw InputError(setting + ": got " + given + ", expected " + expected);
}

}  // namespace

void validate(const RunSettings& settings) {
  if (settings.warmup < 0) refuse("warmup", std::to_string(settings.warmup), "0 or more");
  if (settings.draws < 1) refuse("draws", std::to_string(settings.draws), "1 or more");
  if (settings.initial_evaluations < 1)
    refuse("initial_evaluations", std::to_string(settings.initial_evaluations), "1 or more");
  if (!(settings.screen_floor >= 0 && settings.screen_floor < 1))
    refuse("screen_floor", std::to_string(settings.screen_floor), "0 or more, below 1");
  if (settings.target_acceptance && !(*settings.target_acceptance > 0 && *settings.target_acceptance < 1))
    refuse("target_acceptance", std::to_string(*settings.target_acceptance), "a number between 0 and 1");
  if (settings.exactness == Exactness::audited && !explores(settings.method))
    refuse("exactness", "audited", "exact, because only auto and transition make audited draws");
  if (!(settings.tolerance > 0 && settings.tolerance < 1))
    refuse("tolerance", std::to_string(settings.tolerance), "a number between 0 and 1");
  const Budget& budget = settings.budget;
  if (budget.evaluations && *budget.evaluations < 1)
    refuse("budget.evaluations", std::to_string(*budget.evaluations), "1 or more");
  if (budget.seconds && !(*budget.seconds > 0))
    refuse("budget.seconds", std::to_string(*budget.seconds), "more than 0");
  if (budget.goal && !(budget.goal->ess > 0))
    refuse("budget.goal.ess", std::to_string(budget.goal->ess), "more than 0");
  if (budget.goal && !(budget.goal->rhat > 1))
    refuse("budget.goal.rhat", std::to_string(budget.goal->rhat), "more than 1");
}

}  // namespace hunch
