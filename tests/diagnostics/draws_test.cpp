#include "hunch/draws/draws.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hunch {
namespace {

TEST(Draws, AppendedRowsComeBackInOrderWhateverTheGrowth) {
  Draws draws({"a", "b"}, 2);
  for (int i = 0; i < 100; ++i) {
    draws.append(0, Eigen::Vector2d(i, -i));
    draws.append(1, Eigen::Vector2d(1000 + i, 0.5));
  }
  EXPECT_EQ(draws.chains(), 2);
  EXPECT_EQ(draws.length(1), 100);
  ASSERT_EQ(draws.chain(0).rows(), 100);
  const Matrix a = draws.parameter(0);
  ASSERT_EQ(a.rows(), 100);
  ASSERT_EQ(a.cols(), 2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(draws.chain(0)(i, 1), -i);
    EXPECT_EQ(a(i, 0), i);
    EXPECT_EQ(a(i, 1), 1000 + i);
  }
}

TEST(Draws, GivenMatricesCanBeAppendedTo) {
  Draws draws({"a"}, std::vector<Matrix>{Matrix::Constant(3, 1, 1.0)});
  draws.append(0, Vector::Constant(1, 2.0));
  EXPECT_EQ(draws.parameter(0), (Matrix(4, 1) << 1, 1, 1, 2).finished());
}

TEST(Draws, UnequalChainsHaveNoParameterMatrix) {
  Draws draws({"a"}, 2);
  draws.append(0, Vector::Zero(1));
  EXPECT_EQ(draws.length(0), 1);
  EXPECT_EQ(draws.length(1), 0);
  EXPECT_THROW(draws.parameter(0), std::logic_error);
}

TEST(Draws, SizesThatDoNotFitAreRefused) {
  EXPECT_THROW(Draws({"a", "b"}, std::vector<Matrix>{Matrix::Zero(3, 1)}), std::logic_error);
  Draws draws({"a"}, 1);
  EXPECT_THROW(draws.append(0, Vector::Zero(2)), std::logic_error);
  EXPECT_THROW(draws.append(1, Vector::Zero(1)), std::logic_error);
  EXPECT_THROW(draws.parameter(1), std::logic_error);
  EXPECT_THROW(draws.chain(-1), std::logic_error);
}

}  // namespace
}  // namespace hunch
