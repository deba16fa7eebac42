// PosteriorData: the data of posteriordb's posteriors, from data/posteriors, compiled into the library.
#pragma once

#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

class PosteriorData {
 public:
  explicit PosteriorData(const std::string& name);  // "earnings"; std::logic_error if there is none

  const Vector& column(const std::string& name) const;  // std::logic_error if there is none
  Vector log_column(const std::string& name) const { return column(name).array().log(); }

 private:
  std::vector<std::string> names_;
  std::vector<Vector> columns_;
};

}  // namespace hunch
