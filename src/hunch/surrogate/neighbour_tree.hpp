// NeighbourTree: which of many points lie nearest to a position, while points keep coming.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// A KD-tree over most points and a list of the latest, which joins the tree once it has grown by a quarter:
// a value, to be copied freely. Points are numbered in the order in which they came.
class NeighbourTree {
 public:
  struct Neighbour {
    double squared_distance;
    Index number;
  };
  struct Search {
    std::vector<Neighbour> nearest;  // nearest first
    Index looked_at;                 // points whose distance was computed: the cost
  };

  explicit NeighbourTree(Index dimension);

  // The point must be finite. Amortised O(d log n).
  void insert(const Vector& point);

  // The `count` nearest points, or all if there are fewer. Ties go to the point whose first differing
  // coordinate is smaller, and to the earlier one of two equal points: as long as no two points are equal,
  // which points are found, and their order, does not depend on the order in which they came.
  Search nearest(const Vector& z, Index count) const;

  // What either search found, each point once, nearest to either position first; merged(b, a) is the same.
  std::vector<Index> merged(const Search& a, const Search& b) const;

  Index size() const { return static_cast<Index>(points_.size()) / dimension_; }

 private:
  struct Collecting;  // a search under way

  void rebuild();
  void build(Index node, Index first_block, Index blocks);
  void enclose(Index node, Index first_block, Index blocks);
  void fill_block(Index block);
  void visit(Index node, Index first_block, Index blocks, Collecting& search) const;
  void look_at_block(Index block, Collecting& search) const;
  double distance_to_box(Index node, const Vector& z) const;
  bool nearer(const Neighbour& a, const Neighbour& b) const;
  double coordinate(Index number, Index j) const {
    return points_[static_cast<std::size_t>(number * dimension_ + j)];
  }

  // Points stand in blocks of block_size, each coordinate of a block side by side; slots_ says which point
  // stands where. The first tree_points_ slots are in the tree. A node covers a range of blocks; its children
  // cover the first (blocks + 1) / 2 of them and the rest, and stand at node + 1 and after the first's nodes.
  Index dimension_;
  std::vector<double> points_;  // by number, one after the other
  std::vector<Index> slots_;
  std::vector<double> blocks_;
  Index tree_points_ = 0;
  Matrix lows_;  // the box around each node's points, one column each
  Matrix highs_;
};

}  // namespace hunch
