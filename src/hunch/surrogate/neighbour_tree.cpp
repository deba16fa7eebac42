#include "hunch/surrogate/neighbour_tree.hpp"

#include <algorithm>
#include <numeric>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr Index block_size = 32;
// Fewer points than this are searched as a list: a tree would not be faster.
constexpr Index least_tree = 8 * block_size;

using Block = Eigen::Array<double, block_size, 1>;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

// Candidates gather until there are twice as many as wanted; then the farther half goes, and what lies beyond
// the rest is no candidate any more.
struct NeighbourTree::Collecting {
  const NeighbourTree& tree;
  const Vector& z;
  std::size_t count;
  std::vector<Neighbour> candidates;
  double limit = infinity;
  Index looked_at = 0;

  void add(const Neighbour& candidate) {
    candidates.push_back(candidate);
    if (candidates.size() == 2 * count) thin();
  }
  void thin() {
    if (candidates.size() < count) return;
    const auto farthest = candidates.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(candidates.begin(), farthest, candidates.end(),
                     [this](const Neighbour& a, const Neighbour& b) { return tree.nearer(a, b); });
    candidates.resize(count);
    limit = candidates.back().squared_distance;
  }
};

NeighbourTree::NeighbourTree(Index dimension) : dimension_(dimension) {
  if (dimension < 1) throw InputError("neighbour tree: dimension must be at least 1");
}

void NeighbourTree::insert(const Vector& point) {
  if (point.size() != dimension_ || !point.allFinite())
    throw InputError("neighbour tree: expected " + std::to_string(dimension_) + " finite coordinates");
  const Index number = size();
  points_.insert(points_.end(), point.begin(), point.end());
  slots_.push_back(number);
  const Index block = number / block_size;
  blocks_.resize(at((block + 1) * block_size * dimension_), 0.0);
  for (Index j = 0; j < dimension_; ++j)
    blocks_[at((block * dimension_ + j) * block_size + number % block_size)] = point[j];
  const Index waiting = size() - tree_points_;
  if (waiting >= least_tree && 4 * waiting >= tree_points_) rebuild();
}

// Only whole blocks go into the tree; what is left over waits.
void NeighbourTree::rebuild() {
  const Index blocks = size() / block_size;
  tree_points_ = blocks * block_size;
  std::iota(slots_.begin(), slots_.end(), Index{0});
  lows_.resize(dimension_, 2 * blocks - 1);
  highs_.resize(dimension_, 2 * blocks - 1);
  build(0, 0, blocks);
  for (Index block = 0; block * block_size < size(); ++block) fill_block(block);
}

void NeighbourTree::build(Index node, Index first_block, Index blocks) {
  enclose(node, first_block, blocks);
  if (blocks == 1) return;
  Index widest = 0;
  (highs_.col(node) - lows_.col(node)).maxCoeff(&widest);
  const Index lower = (blocks + 1) / 2;
  const auto first = slots_.begin() + first_block * block_size;
  std::nth_element(first, first + lower * block_size, first + blocks * block_size,
                   [this, widest](Index a, Index b) {
                     const double of_a = coordinate(a, widest), of_b = coordinate(b, widest);
                     return of_a != of_b ? of_a < of_b : a < b;
                   });
  build(node + 1, first_block, lower);
  build(node + 2 * lower, first_block + lower, blocks - lower);
}

void NeighbourTree::enclose(Index node, Index first_block, Index blocks) {
  lows_.col(node).setConstant(infinity);
  highs_.col(node).setConstant(-infinity);
  for (Index slot = first_block * block_size; slot < (first_block + blocks) * block_size; ++slot) {
    const Eigen::Map<const Vector> point(&points_[at(slots_[at(slot)] * dimension_)], dimension_);
    lows_.col(node) = lows_.col(node).cwiseMin(point);
    highs_.col(node) = highs_.col(node).cwiseMax(point);
  }
}

void NeighbourTree::fill_block(Index block) {
  const Index end = std::min(size(), (block + 1) * block_size);
  for (Index slot = block * block_size; slot < end; ++slot) {
    for (Index j = 0; j < dimension_; ++j)
      blocks_[at((block * dimension_ + j) * block_size + slot % block_size)] =
          coordinate(slots_[at(slot)], j);
  }
}

NeighbourTree::Search NeighbourTree::nearest(const Vector& z, Index count) const {
  if (count < 1 || size() == 0) return {{}, 0};
  Collecting search{*this, z, at(std::min(count, size())), {}};
  search.candidates.reserve(2 * search.count);
  if (tree_points_ > 0) visit(0, 0, tree_points_ / block_size, search);
  for (Index block = tree_points_ / block_size; block * block_size < size(); ++block)
    look_at_block(block, search);
  search.thin();
  std::sort(search.candidates.begin(), search.candidates.end(),
            [this](const Neighbour& a, const Neighbour& b) { return nearer(a, b); });
  return {std::move(search.candidates), search.looked_at};
}

std::vector<Index> NeighbourTree::merged(const Search& a, const Search& b) const {
  std::vector<Neighbour> both(a.nearest.size() + b.nearest.size());
  std::merge(a.nearest.begin(), a.nearest.end(), b.nearest.begin(), b.nearest.end(), both.begin(),
             [this](const Neighbour& one, const Neighbour& other) { return nearer(one, other); });
  std::vector<bool> seen(at(size()));
  std::vector<Index> numbers;
  numbers.reserve(both.size());
  for (const Neighbour& one : both) {
    if (seen[at(one.number)]) continue;
    seen[at(one.number)] = true;
    numbers.push_back(one.number);
  }
  return numbers;
}

void NeighbourTree::visit(Index node, Index first_block, Index blocks, Collecting& search) const {
  if (blocks == 1) return look_at_block(first_block, search);
  const Index lower = (blocks + 1) / 2;
  const Index lower_node = node + 1, upper_node = node + 2 * lower;
  const double to_lower = distance_to_box(lower_node, search.z);
  const double to_upper = distance_to_box(upper_node, search.z);
  const auto visit_lower = [&] {
    if (to_lower <= search.limit) visit(lower_node, first_block, lower, search);
  };
  if (to_lower <= to_upper) visit_lower();
  if (to_upper <= search.limit) visit(upper_node, first_block + lower, blocks - lower, search);
  if (to_lower > to_upper) visit_lower();
}

// A little less than the distance, so that rounding never hides a point that ties with the farthest found.
double NeighbourTree::distance_to_box(Index node, const Vector& z) const {
  const auto outside = (lows_.col(node) - z).cwiseMax(z - highs_.col(node)).cwiseMax(0.0);
  return outside.squaredNorm() * (1 - 1e-12);
}

// All distances of a block at once, in whole registers: a point's distance has the same bits in any slot.
void NeighbourTree::look_at_block(Index block, Collecting& search) const {
  Block distances = Block::Zero();
  for (Index j = 0; j < dimension_; ++j) {
    const Eigen::Map<const Block> coordinates(&blocks_[at((block * dimension_ + j) * block_size)]);
    distances += (coordinates - search.z[j]).square();
  }
  const Index end = std::min(block_size, size() - block * block_size);
  search.looked_at += end;
  for (Index i = 0; i < end; ++i) {
    if (distances[i] <= search.limit) search.add({distances[i], slots_[at(block * block_size + i)]});
  }
}

bool NeighbourTree::nearer(const Neighbour& a, const Neighbour& b) const {
  if (a.squared_distance != b.squared_distance) return a.squared_distance < b.squared_distance;
  for (Index j = 0; j < dimension_; ++j) {
    const double of_a = coordinate(a.number, j), of_b = coordinate(b.number, j);
    if (of_a != of_b) return of_a < of_b;
  }
  return a.number < b.number;
}

}  // namespace hunch
