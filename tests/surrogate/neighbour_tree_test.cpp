// The search for neighbours: against a look at all points, with ties, and by the work it does.
#include "hunch/surrogate/neighbour_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

std::vector<Vector> scattered(Index n, Index d, std::uint32_t stream) {
  Rng rng({21, stream, 0, Purpose::test});
  std::vector<Vector> points;
  for (Index i = 0; i < n; ++i) points.push_back(rng.normal(d));
  return points;
}

NeighbourTree tree_of(const std::vector<Vector>& points) {
  NeighbourTree tree(points.front().size());
  for (const Vector& point : points) tree.insert(point);
  return tree;
}

std::vector<Index> numbers(const NeighbourTree::Search& search) {
  std::vector<Index> found;
  for (const auto& one : search.nearest) found.push_back(one.number);
  return found;
}

// By sorting all, without ties.
std::vector<Index> nearest_of_all(const std::vector<Vector>& points, const Vector& z, Index count) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return (points[a] - z).squaredNorm() < (points[b] - z).squaredNorm(); });
  order.resize(static_cast<std::size_t>(std::min<Index>(count, static_cast<Index>(points.size()))));
  return order;
}

TEST(NeighbourTree, GrowingTreeFindsWhatALookAtAllPointsFinds) {
  for (const Index d : {1, 2, 5, 10}) {
    const std::vector<Vector> points = scattered(1500, d, 1);
    const std::vector<Vector> asked = scattered(60, d, 2);
    NeighbourTree tree(d);
    std::vector<Vector> inserted;
    std::size_t next = 0;
    for (const Vector& point : points) {
      tree.insert(point);
      inserted.push_back(point);
      if (inserted.size() % 25 != 1) continue;
      const Vector z = (next % 2 ? 1.0 : 4.0) * asked[next % asked.size()];  // every other one far outside
      ++next;
      for (const Index count : {1, 7, 64})
        ASSERT_EQ(numbers(tree.nearest(z, count)), nearest_of_all(inserted, z, count))
            << "d " << d << ", n " << inserted.size() << ", count " << count;
    }
  }
}

// Points of a lattice are at equal distances from each other in many ways.
TEST(NeighbourTree, TiesDoNotDependOnTheOrderInWhichPointsCame) {
  std::vector<Vector> points;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 30; ++j) points.push_back(Vector{{0.5 * i, 0.5 * j}});
  std::vector<Vector> shuffled = points;
  Rng rng({22, 0, 0, Purpose::test});
  for (std::size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[rng.below(i + 1)]);
  const NeighbourTree one = tree_of(points), other = tree_of(shuffled);
  for (int i = 0; i < 29; ++i) {
    for (const double beside : {0.0, 0.25}) {
      const Vector z{{0.5 * i + beside, 7.0 + beside}};
      const auto here = numbers(one.nearest(z, 17)), there = numbers(other.nearest(z, 17));
      ASSERT_EQ(here.size(), there.size());
      for (std::size_t k = 0; k < here.size(); ++k) EXPECT_EQ(points[here[k]], shuffled[there[k]]);
    }
  }
}

TEST(NeighbourTree, MergedHoldsEachPointOnceNearestFirstFromEitherEnd) {
  const std::vector<Vector> points = scattered(400, 2, 3);
  const NeighbourTree tree = tree_of(points);
  const Vector x{{0.1, 0.2}}, y{{0.4, -0.1}};
  const auto at_x = tree.nearest(x, 20), at_y = tree.nearest(y, 20);
  const std::vector<Index> both = tree.merged(at_x, at_y);
  EXPECT_EQ(both, tree.merged(at_y, at_x));
  std::vector<Index> expected = numbers(at_x);
  for (Index number : numbers(at_y)) expected.push_back(number);
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  ASSERT_LT(expected.size(), 40u);  // some are near to both
  std::vector<Index> sorted = both;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, expected);
  const auto key = [&](Index i) {
    return std::min((points[i] - x).squaredNorm(), (points[i] - y).squaredNorm());
  };
  for (std::size_t k = 1; k < both.size(); ++k) EXPECT_LE(key(both[k - 1]), key(both[k]));
}

// Cost, counted: distances computed per search, the waiting list of up to a fifth of all points included.
TEST(NeighbourTree, SearchLooksAtAFractionOfManyPoints) {
  const auto looked_at = [](Index n, Index d) {
    const NeighbourTree tree = tree_of(scattered(n, d, 4));
    const std::vector<Vector> asked = scattered(100, d, 5);
    double sum = 0;
    for (const Vector& z : asked) sum += static_cast<double>(tree.nearest(z, 64).looked_at);
    return sum / static_cast<double>(asked.size());
  };
  EXPECT_LT(looked_at(10000, 2), 1500);
  EXPECT_LT(looked_at(10000, 5), 4000);
  EXPECT_LT(looked_at(40000, 2), 0.2 * 40000);
}

TEST(NeighbourTree, EmptyAndShortTreesGiveWhatThereIs) {
  NeighbourTree tree(2);
  EXPECT_TRUE(tree.nearest(Vector::Zero(2), 5).nearest.empty());
  tree.insert(Vector{{1.0, 2.0}});
  tree.insert(Vector{{0.0, 1.0}});
  EXPECT_EQ(numbers(tree.nearest(Vector::Zero(2), 5)), (std::vector<Index>{1, 0}));
  EXPECT_TRUE(tree.nearest(Vector::Zero(2), 0).nearest.empty());
}

TEST(NeighbourTree, WhatIsNotAPointIsRefused) {
  EXPECT_THROW(NeighbourTree(0), InputError);
  NeighbourTree tree(2);
  EXPECT_THROW(tree.insert(Vector::Zero(3)), InputError);
  EXPECT_THROW(tree.insert(Vector{{0.0, infinity}}), InputError);
  EXPECT_EQ(tree.size(), 0);
}

}  // namespace
}  // namespace hunch
