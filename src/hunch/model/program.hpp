// Program: what both styles of external program know: what to start, and what to tell it about theta.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hunch/model/child_process.hpp"
#include "hunch/model/keeper.hpp"
#include "hunch/model/program_model.hpp"

namespace hunch {

struct Program {
  ProgramSettings settings;        // checked; its paths are absolute
  Launch launch;                   // as it is before placeholders are filled in
  std::vector<std::string> keys;   // the parameters' names as JSON strings
  std::unique_ptr<Keeper> keeper;  // of all that is started

  // The one line that a program gets: {"beta": 4, "gamma": 1}
  std::string question(const Vector& theta) const;
  // `text` with each {{name}} replaced by the parameter's value.
  std::string filled(std::string_view text, const Vector& theta) const;
  Instant deadline() const;
};

// Each {{name}} in `text` replaced by replacement(name); whatever else there is stays as it is.
std::string fill_placeholders(std::string_view text,
                              const std::function<std::string(std::string_view name)>& replacement);

// What becomes of an evaluation that was cancelled.
Outcome abandoned();

// A failure, with the end of what the program wrote to its standard error.
Outcome failed(OutcomeKind kind, std::string what, const ChildProcess& child);

std::unique_ptr<Model> make_worker(Program program);
std::unique_ptr<Model> make_once(Program program);

}  // namespace hunch
