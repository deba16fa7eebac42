// Draws: the table of kept draws, by chain, draw and named parameter.
#pragma once

#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// Sizes that do not fit together are a mistake inside the program: std::logic_error.
class Draws {
 public:
  Draws(std::vector<std::string> names, Index chains);
  Draws(std::vector<std::string> names, std::vector<Matrix> chains);  // each: draws x parameters

  const std::vector<std::string>& names() const { return names_; }
  Index parameters() const { return static_cast<Index>(names_.size()); }
  Index chains() const { return static_cast<Index>(chains_.size()); }
  Index length(Index chain) const { return at(chain).length; }

  // One chain, draws x parameters; a view that ends with the next append to that chain.
  Eigen::Block<const Matrix> chain(Index chain) const;

  // One parameter, draws x chains: the form the diagnostics take. Chains must be of equal length.
  Matrix parameter(Index parameter) const;

  void append(Index chain, const Vector& draw);

 private:
  // Rows beyond length are room to grow: appending costs constant time on average.
  struct Chain {
    Matrix rows;
    Index length;
  };
  const Chain& at(Index chain) const;

  std::vector<std::string> names_;
  std::vector<Chain> chains_;
};

}  // namespace hunch
