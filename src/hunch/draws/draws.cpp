#include "hunch/draws/draws.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hunch {

namespace {

void require(bool condition, const char* rule) {
  if (!condition) throw std::logic_error(rule);
}

}  // namespace

Draws::Draws(std::vector<std::string> names, Index chains) : names_(std::move(names)) {
  require(chains >= 0, "Draws: the number of chains is not negative");
  chains_.assign(static_cast<std::size_t>(chains), Chain{Matrix(0, parameters()), 0});
}

Draws::Draws(std::vector<std::string> names, std::vector<Matrix> chains) : names_(std::move(names)) {
  chains_.reserve(chains.size());
  for (Matrix& rows : chains) {
    require(rows.cols() == parameters(), "Draws: every chain has one column per name");
    const Index length = rows.rows();
    chains_.push_back({std::move(rows), length});
  }
}

const Draws::Chain& Draws::at(Index chain) const {
  require(chain >= 0 && chain < chains(), "Draws: no such chain");
  return chains_[static_cast<std::size_t>(chain)];
}

Eigen::Block<const Matrix> Draws::chain(Index chain) const {
  const Chain& c = at(chain);
  return c.rows.block(0, 0, c.length, parameters());
}

Matrix Draws::parameter(Index parameter) const {
  require(parameter >= 0 && parameter < parameters(), "Draws: no such parameter");
  const Index draws = chains_.empty() ? 0 : chains_.front().length;
  Matrix out(draws, chains());
  for (Index c = 0; c < chains(); ++c) {
    require(length(c) == draws, "Draws: a parameter's matrix needs chains of equal length");
    out.col(c) = chain(c).col(parameter);
  }
  return out;
}

void Draws::append(Index chain, const Vector& draw) {
  require(draw.size() == parameters(), "Draws: a draw has one value per name");
  at(chain);
  Chain& c = chains_[static_cast<std::size_t>(chain)];
  if (c.length == c.rows.rows()) c.rows.conservativeResize(std::max<Index>(16, 2 * c.length), parameters());
  c.rows.row(c.length++) = draw.transpose();
}

}  // namespace hunch
