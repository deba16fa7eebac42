// Names: how methods, screens and the other closed choices are written on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "hunch/run/run.hpp"

namespace hunch::cli {

inline const std::map<std::string, Method> method_names = {
    {"mh", Method::mh},           {"gp-mh", Method::gp_mh},           {"mala", Method::mala},
    {"gp-mala", Method::gp_mala}, {"transition", Method::transition}, {"auto", Method::automatic}};
inline const std::map<std::string, Screen> screen_names = {
    {"paper", Screen::paper}, {"ratio", Screen::ratio}, {"early", Screen::early}};
inline const std::map<std::string, Learning> learning_names = {
    {"continue", Learning::proceed}, {"freeze", Learning::freeze}, {"epochs", Learning::epochs}};
inline const std::map<std::string, CovarianceFamily> covariance_names = {
    {"se", CovarianceFamily::squared_exponential}, {"matern52", CovarianceFamily::matern52}};

// Adds an option that takes one of the names, and says which there are.
template <typename Value>
void add_choice(CLI::App& app, const std::string& flag, Value& value,
                const std::map<std::string, Value>& names, const std::string& meaning) {
  std::string allowed;
  for (const auto& [name, unused] : names) allowed += (allowed.empty() ? "" : ", ") + name;
  app.add_option_function<std::string>(
      flag,
      [&value, &names, flag, allowed](const std::string& given) {
        const auto found = names.find(given);
        if (found == names.end())
          throw CLI::ValidationError(flag, "got '" + given + "', expected one of " + allowed);
        value = found->second;
      },
      meaning + ": " + allowed);
}

}  // namespace hunch::cli
